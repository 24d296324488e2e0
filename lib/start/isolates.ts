import { SECOND_MS } from "../duration.ts";
import { errorFields, type Log } from "../log/log.ts";

/** How long to wait before restarting an isolate that failed. */
const RESTART_MS = SECOND_MS;

/** The message that asks an isolate to stop. */
const STOP = "stop";
/** The message that an isolate sends when it ends. */
type Ending = "stopped" | "failed";

/** Whether this isolate started the process. The others also serve, each on its own thread. */
export const isFirstIsolate = !("WorkerGlobalScope" in globalThis);
/** The number of this isolate, from 1. A worker gets it as its name. */
export const isolateNumber = isFirstIsolate ? 1 : Number((globalThis as unknown as { name: string }).name);

const stopping = new AbortController();
// Listen at once: a message that arrives while the server module is loading would be lost.
if (!isFirstIsolate) {
  globalThis.addEventListener("message", ({ data }: MessageEvent) => {
    if (data === STOP) stopping.abort();
  });
}

/** Aborts when this isolate must stop. The system signals the first isolate, which signals the others. */
export function stopSignal(log: Log): AbortSignal {
  for (const signal of isFirstIsolate ? ["SIGTERM", "SIGINT"] as const : []) {
    Deno.addSignalListener(signal, () => {
      // Ctrl+C signals every process of the terminal, and the launcher forwards its own.
      if (stopping.signal.aborted) return;
      log("info", "stopping", { signal });
      stopping.abort();
    });
  }
  return stopping.signal;
}

/** Stops this process as a signal does, because its launcher has ended: without it, no image could be converted. */
export function stopWithoutLauncher(log: Log): void {
  if (stopping.signal.aborted) return;
  log("error", "stopping, because the launcher has ended");
  stopping.abort();
}

/** Runs the module in `count` workers and restarts those that fail, until aborted. Resolves when all have stopped. */
export async function runIsolates(
  count: number,
  { module, log, signal }: { module: string; log: Log; signal: AbortSignal },
): Promise<void> {
  await Promise.all(Array.from({ length: count }, async (_, index) => {
    const run = () => runIsolate({ module, name: String(index + 2) }, log, signal);
    while (!signal.aborted && await run() === "failed") await pause(RESTART_MS, signal);
  }));
}

async function runIsolate(
  { module, name }: { module: string; name: string },
  log: Log,
  signal: AbortSignal,
): Promise<Ending> {
  const worker = new Worker(module, { type: "module", name });
  const ended = Promise.withResolvers<Ending>();
  worker.addEventListener("message", ({ data }) => ended.resolve(data));
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    log("error", "isolate failed", { isolate: Number(name), ...errorFields(event.error ?? event.message) });
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
  const ended = Promise.withResolvers<void>();
  const timer = setTimeout(ended.resolve, ms);
  signal.addEventListener("abort", () => ended.resolve(), { once: true });
  await ended.promise;
  clearTimeout(timer);
}

/** Ends this isolate, and the process with the first one. */
export async function endIsolate(ending: Ending): Promise<never> {
  if (isFirstIsolate) Deno.exit(ending === "stopped" ? 0 : 1);
  globalThis.dispatchEvent(new Event("unload")); // the log prints its buffered lines
  (globalThis as unknown as { postMessage(message: Ending): void }).postMessage(ending);
  return await new Promise<never>(() => {}); // the isolate that started this one terminates it
}
