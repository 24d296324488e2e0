import { SECOND_MS } from "../duration.ts";
import { errorFields, type Log } from "../log.ts";

/** One that has failed is started again after this pause. */
const RESTART_MS = SECOND_MS;

/** What an isolate was told: to stop. */
const STOP = "stop";
/** What it tells when it ends: that it was told to, or not. */
type Ending = "stopped" | "failed";

/** Whether this isolate started the process; the others serve beside it, each on a thread of its own. */
export const isFirstIsolate = !("WorkerGlobalScope" in globalThis);

const stopping = new AbortController();
// At once: what is sent while the module that serves is still loading would reach nobody.
if (!isFirstIsolate) {
  globalThis.addEventListener("message", ({ data }: MessageEvent) => {
    if (data === STOP) stopping.abort();
  });
}

/** Aborts when this isolate is told to stop: the first by the system, from now on, the others by the first. */
export function stopSignal(log: Log): AbortSignal {
  for (const signal of isFirstIsolate ? ["SIGTERM", "SIGINT"] as const : []) {
    Deno.addSignalListener(signal, () => {
      log("info", "stopping", { signal });
      stopping.abort();
    });
  }
  return stopping.signal;
}

/**
 * Runs a module in so many isolates of their own, again in those that fail, until the signal, which is passed on.
 *
 * @returns a promise of the end of all.
 */
export async function runIsolates(
  count: number,
  { module, log, signal }: { module: string; log: Log; signal: AbortSignal },
): Promise<void> {
  await Promise.all(Array.from({ length: count }, async () => {
    while (!signal.aborted && await runIsolate(module, log, signal) === "failed") await pause(RESTART_MS, signal);
  }));
}

async function runIsolate(module: string, log: Log, signal: AbortSignal): Promise<Ending> {
  const worker = new Worker(module, { type: "module" });
  const ended = Promise.withResolvers<Ending>();
  worker.addEventListener("message", ({ data }) => ended.resolve(data));
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    log("error", "isolate failed", errorFields(event.error ?? event.message));
    ended.resolve("failed");
  });
  const stop = () => worker.postMessage(STOP);
  signal.addEventListener("abort", stop);
  return await ended.promise.finally(() => {
    signal.removeEventListener("abort", stop);
    worker.terminate();
  });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  signal.addEventListener("abort", () => over.resolve(), { once: true });
  await over.promise;
  clearTimeout(timer);
}

/** Ends this isolate, and the process with the first one. */
export async function endIsolate(ending: Ending): Promise<never> {
  if (isFirstIsolate) Deno.exit(ending === "stopped" ? 0 : 1);
  globalThis.dispatchEvent(new Event("unload")); // the log prints what it has collected
  (globalThis as unknown as { postMessage(message: Ending): void }).postMessage(ending);
  return await new Promise<never>(() => {}); // whoever started it terminates it
}
