import { ok, strictEqual } from "node:assert/strict";
import { createWakeSignal, startWorker } from "../../lib/jobs/background_worker.ts";
import { HOUR_SECONDS } from "../../lib/duration.ts";
import { createMailDispatcher } from "../../lib/mail/outbox_worker.ts";
import type { TestApp } from "./app/test_app.ts";

const SAMPLES = 40;
/** The AUC is 0.5 if both kinds of address take the same time, and 1 if one always takes longer. */
const MAX_DISTANCE_FROM_HALF = 0.15;
/** Other processes can distort one round. A real difference would show in all of them. */
const ROUNDS = 3;

/** Requests that must take the same time for a known and an unknown address. */
export interface TimedRequests {
  knownEmail: string;
  status: number;
  send(email: string): Promise<Response>;
  /** Runs before each request, outside the measured time. */
  prepare?(): Promise<void>;
}

/** Fails if the times of the responses reveal which address is known. */
export async function assertEqualTimes(
  app: TestApp,
  { knownEmail, status, send, prepare = () => Promise.resolve() }: TimedRequests,
): Promise<void> {
  const measure = async (email: string) => {
    await prepare();
    const startedAt = performance.now();
    const response = await send(email);
    const milliseconds = performance.now() - startedAt;
    strictEqual(response.status, status, await response.text());
    return milliseconds;
  };
  const results: number[] = [];
  while (results.length < ROUNDS && !isFair(results.at(-1))) results.push(await auc(app, knownEmail, measure));
  ok(isFair(results.at(-1)), `AUC in each round: ${results.join(", ")}`);
}

function isFair(auc = 1): boolean {
  return Math.abs(auc - 0.5) <= MAX_DISTANCE_FROM_HALF;
}

/** The probability that a request for the known address takes longer than one for an unknown address. */
async function auc(app: TestApp, knownEmail: string, send: (email: string) => Promise<number>): Promise<number> {
  const [known, unknown]: number[][] = [[], []];
  for (let sample = 0; sample < SAMPLES; sample++) {
    app.advance(HOUR_SECONDS); // resets the hourly limit of emails
    const isKnownFirst = Math.random() < 0.5;
    for (const isKnown of [isKnownFirst, !isKnownFirst]) {
      if (isKnown) known.push(await send(knownEmail));
      else unknown.push(await send(`nobody${sample}@example.com`));
    }
  }
  const wins = known.flatMap((long) => unknown.map((short) => long > short ? 1 : long === short ? 0.5 : 0));
  return wins.reduce<number>((sum, win) => sum + win, 0) / wins.length;
}

/** Delivers emails as the server does: in the same thread, woken by requests. */
export function startMailWorker({ services }: TestApp): AsyncDisposable {
  const signal = createWakeSignal();
  services.outboxSignal = signal;
  const dispatcher = createMailDispatcher(services);
  const worker = startWorker(() => dispatcher.dispatch(), {
    name: "outbox",
    pauseSeconds: 1,
    signal,
    log: services.log,
  });
  return {
    async [Symbol.asyncDispose]() {
      await worker.stop();
      await dispatcher.waitUntilIdle();
    },
  };
}
