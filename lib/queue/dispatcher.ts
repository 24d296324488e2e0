import { secondsAfter } from "../duration.ts";
import { errorFields } from "../log/log.ts";
import type { Services } from "../services/services.ts";
import { DeliveryError } from "./delivery_error.ts";
import { keepLease, LEASE_SECONDS, RENEWAL_MS } from "./lease.ts";
import { pauseSeconds } from "./retry.ts";

/** An item that is leased to this process. */
export interface LeasedItem {
  id: string;
  /** How many attempts there have been, with this one. */
  attempts: number;
  /** Since when it is in the queue. */
  queuedAt: Date;
}

/** A queue in a table of the database. No transaction is open while an item is delivered. */
export interface DeliveryQueue<Item extends LeasedItem> {
  /** What an item is called in log lines and metrics. */
  name: "email" | "webhook" | "logout";
  /** How many deliveries may run in this process. */
  maxRunning: number;
  /** The delivery of an item that still fails at this age is abandoned. */
  abandonAfterSeconds: number;
  /** The level at which the log says that a delivery is abandoned. Default: error. */
  abandonLevel?: "warn" | "error";
  /** What log lines say about an item. */
  fieldsOf(item: Item): Record<string, unknown>;
  /**
   * Counts an attempt of each item that is due, makes it due again in {@linkcode LEASE_SECONDS}, and returns it.
   *
   * @param running the items that this process is delivering.
   */
  lease(running: ReadonlySet<Item>): Promise<Item[]>;
  /** @throws {DeliveryError} if the item was not delivered. */
  deliver(item: Item): Promise<void>;
  /** Makes an item due later, unless it has ended meanwhile. `error` is missing while the attempt runs. */
  postpone(item: Item, seconds: number, error?: unknown): Promise<void>;
  /** Ends an item that has been delivered, or with the error of the last attempt. */
  finish(item: Item, error?: unknown): Promise<void>;
}

/** Delivers items concurrently, so that a stalled delivery does not delay the others. */
export interface Dispatcher {
  /**
   * Starts to deliver the items that are due. Any number of instances may do this concurrently, because each item is
   * leased to one of them.
   *
   * @returns the number of deliveries started.
   */
  dispatch(): Promise<number>;
  /** Resolves once all started deliveries have ended. */
  waitUntilIdle(): Promise<void>;
}

type QueueServices = Pick<Services, "log" | "metrics" | "now">;

/**
 * Creates the dispatcher of a queue in this process.
 *
 * @param options.onEnd is called when a delivery has ended.
 */
export function createDispatcher<Item extends LeasedItem>(
  services: QueueServices,
  queue: DeliveryQueue<Item>,
  { renewalMs = RENEWAL_MS, onEnd = () => {} }: { renewalMs?: number; onEnd?(): void } = {},
): Dispatcher {
  const running = new Map<Item, Promise<void>>();
  return {
    async dispatch() {
      if (running.size >= queue.maxRunning) await Promise.race(running.values());
      const items = await queue.lease(new Set(running.keys()));
      for (const item of items) {
        const delivery = deliver(services, queue, item, renewalMs)
          .catch((error) =>
            services.log("error", `${queue.name} outcome could not be stored`, {
              ...queue.fieldsOf(item),
              ...errorFields(error),
            })
          )
          .finally(() => {
            running.delete(item);
            onEnd();
          });
        running.set(item, delivery);
      }
      return items.length;
    },
    waitUntilIdle: async () => void await Promise.all(running.values()),
  };
}

async function deliver<Item extends LeasedItem>(
  services: QueueServices,
  queue: DeliveryQueue<Item>,
  item: Item,
  renewalMs: number,
): Promise<void> {
  try {
    await using _lease = keepLease(() => queue.postpone(item, LEASE_SECONDS), renewalMs);
    await queue.deliver(item);
  } catch (error) {
    return await handleFailure(services, queue, item, error);
  }
  await queue.finish(item);
  services.metrics.countDelivery(queue.name, "sent");
  services.log("info", `${queue.name} sent`, queue.fieldsOf(item));
}

async function handleFailure<Item extends LeasedItem>(
  { log, metrics, now }: QueueServices,
  queue: DeliveryQueue<Item>,
  item: Item,
  error: unknown,
): Promise<void> {
  const { isFinal = false, answer, retryAfterSeconds } = error instanceof DeliveryError
    ? error
    : { retryAfterSeconds: 0 };
  const fields = { ...queue.fieldsOf(item), answer, ...errorFields(error) };
  if (isFinal || now() >= secondsAfter(item.queuedAt, queue.abandonAfterSeconds)) {
    log(queue.abandonLevel ?? "error", `${queue.name} delivery abandoned`, fields);
    metrics.countDelivery(queue.name, "failed");
    return await queue.finish(item, error);
  }
  log("warn", `${queue.name} not sent, will retry`, fields);
  metrics.countDelivery(queue.name, "retried");
  await queue.postpone(item, pauseSeconds(item.attempts, retryAfterSeconds), error);
}
