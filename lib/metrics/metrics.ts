import type { SignInMethod } from "../access/tables.ts";
import { FAMILIES, LABEL_SEPARATOR, type Values } from "./families.ts";

/** How an attempt to log in ended. */
export type SignInOutcome = "success" | "second_step" | "wrong" | "refused" | "limited" | "failed";

/** How an attempt to deliver something ended. */
export type DeliveryOutcome = "sent" | "retried" | "failed";

/** A request that was answered. */
export interface AnsweredRequest {
  /** The pattern of the route; undefined for static files and unknown paths. */
  route?: string;
  method: string;
  status: number;
  seconds: number;
}

/** Images, in this isolate. */
export interface ConversionCounts {
  running: number;
  waiting: number;
}

/** Counts what happens in this isolate. Nothing that it is given may name a person. */
export interface Metrics {
  countRequest(request: AnsweredRequest): void;
  countSignIn(method: SignInMethod, outcome: SignInOutcome): void;
  countDelivery(of: "email" | "webhook" | "logout", outcome: DeliveryOutcome): void;
  observeEventLoop(delaySeconds: number): void;
  /** The image converter keeps them up to date. */
  conversions: ConversionCounts;
  /** Returns everything counted so far. */
  values(): Values;
}

/** A client may send any method. Each becomes a label only if a route can have it. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const OTHER = "other";
const DELIVERY_OUTCOMES: DeliveryOutcome[] = ["sent", "retried", "failed"];

/** Creates the metrics of this isolate. */
export function createMetrics(): Metrics {
  const requests = histogram(FAMILIES.requestSeconds.bounds);
  const eventLoop = histogram(FAMILIES.eventLoopDelay.bounds);
  const signIns = counter();
  const deliveries = {
    email: counter(DELIVERY_OUTCOMES),
    webhook: counter(DELIVERY_OUTCOMES),
    logout: counter(DELIVERY_OUTCOMES),
  };
  const conversions = { running: 0, waiting: 0 };
  return {
    countRequest({ route = OTHER, method, status, seconds }) {
      const known = METHODS.includes(method) ? method : OTHER;
      requests.observe(route + LABEL_SEPARATOR + known + LABEL_SEPARATOR + status, seconds);
    },
    countSignIn: (method, outcome) => signIns.add(method + LABEL_SEPARATOR + outcome),
    countDelivery: (of, outcome) => deliveries[of].add(outcome),
    observeEventLoop: (delaySeconds) => eventLoop.observe("", delaySeconds),
    conversions,
    values: () => ({
      requests: requests.counts(),
      requestSeconds: requests.values(),
      signIns: signIns.values(),
      emails: deliveries.email.values(),
      webhooks: deliveries.webhook.values(),
      logouts: deliveries.logout.values(),
      conversionsRunning: { "": [conversions.running] },
      conversionsWaiting: { "": [conversions.waiting] },
      eventLoopDelay: eventLoop.values(),
    }),
  };
}

/** @param labels what is 0 from the start, so that the first time is an increase. */
function counter(labels: string[] = []) {
  const counts = new Map(labels.map((label) => [label, 0]));
  return {
    add: (labels: string) => void counts.set(labels, (counts.get(labels) ?? 0) + 1),
    values: () => Object.fromEntries([...counts].map(([labels, count]) => [labels, [count]])),
  };
}

function histogram(bounds: readonly number[]) {
  const series = new Map<string, number[]>();
  const create = (labels: string) => {
    const values = Array<number>(bounds.length + 2).fill(0);
    series.set(labels, values);
    return values;
  };
  return {
    observe(labels: string, value: number) {
      const values = series.get(labels) ?? create(labels);
      let bucket = 0;
      while (bucket < bounds.length && value > bounds[bucket]) bucket++;
      values[bucket]++;
      values[bounds.length + 1] += value;
    },
    values: () => Object.fromEntries([...series].map(([labels, values]) => [labels, [...values]])),
    /** The number of observations. */
    counts: () =>
      Object.fromEntries(
        [...series].map(([labels, values]) => [labels, [values.slice(0, -1).reduce((sum, count) => sum + count)]]),
      ),
  };
}
