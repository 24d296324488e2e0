import { SECOND_MS } from "../duration.ts";
import { errorFields, type Log } from "../log.ts";

/** One that has failed is started again after this pause. */
const RESTART_MS = SECOND_MS;
const STOPPED = "stopped";

/** Whether this isolate started the process; the others serve beside it, each on a thread of its own. */
export const isFirstIsolate = !("WorkerGlobalScope" in globalThis);

/**
 * Starts the module again in isolates of their own, and any of them that fails once more.
 *
 * @returns a promise of the end of all; each ends itself when the process is told to.
 */
export async function runIsolates(count: number, module: string, log: Log): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => runIsolate(module, log)));
}

async function runIsolate(module: string, log: Log): Promise<void> {
  while (true) {
    const worker = new Worker(module, { type: "module" });
    const ended = Promise.withResolvers<string>();
    worker.addEventListener("message", ({ data }) => ended.resolve(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      log("error", "isolate failed", errorFields(event.error ?? event.message));
      ended.resolve("failed");
    });
    if (await ended.promise === STOPPED) return;
    await new Promise((resolve) => setTimeout(resolve, RESTART_MS));
  }
}

/** Ends this isolate in order, and the process with the first one. */
export function endIsolate(): void {
  if (isFirstIsolate) Deno.exit(0);
  globalThis.dispatchEvent(new Event("unload")); // the log prints what it has collected
  (globalThis as unknown as { postMessage(message: string): void }).postMessage(STOPPED);
  globalThis.close();
}
