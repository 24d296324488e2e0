import { sharedPlaces } from "../../lib/turns/concurrency_limit.ts";

/** Runs in a worker: takes the only place of the worker's name, says so, and keeps it. */
const worker = globalThis as unknown as { name: string; postMessage(message: string): void };
await sharedPlaces(worker.name, 1).run(() => {
  worker.postMessage("taken");
  return new Promise(() => {});
});
