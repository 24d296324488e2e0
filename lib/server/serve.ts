import { stripTypeScriptTypes } from "node:module";
import { ConfigError } from "../config/config.ts";
import { SECOND_MS } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { errorFields, type Log, messageOf } from "../log/log.ts";
import { errorJson } from "../http/error_body.ts";
import { endIsolate, isFirstIsolate, isolateNumber } from "../start/isolates.ts";
import type { Handler } from "./outer_handler.ts";

/** Shutdown budget: 9 s to drain, 1 s to close. Supervisors kill a process after 10 s. */
const DRAIN_MS = 9 * SECOND_MS;
const CLOSE_MS = SECOND_MS;
const LISTEN_AGAIN_MS = 200;

export interface ServeOptions {
  port: number;
  hostname: string;
  /** Whether other isolates of this process listen on the same port. The system distributes the connections. */
  reusePort: boolean;
  /** Aborts when the server must stop. */
  signal: AbortSignal;
  /** Resolves when the isolates that this one started have stopped. */
  others: Promise<void>;
  log: Log;
  /** Runs each time the server starts to listen. */
  onListen(): void;
  /** Runs when the server must stop, and calls `stop` when the listener can close. */
  drain(stop: () => Promise<void>): Promise<void>;
  /** Runs after the last response. Closes the services. */
  close(): Promise<void>;
}

/**
 * Serves until the signal, then drains, closes the services and ends the isolate. Neither an unhandled rejection nor a
 * lack of file descriptors ends it.
 *
 * @throws {ConfigError} when it cannot listen on the address.
 */
export async function serve(handler: Handler, { close, others, ...options }: ServeOptions): Promise<never> {
  const { log } = options;
  prepareParser();
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log("error", "unhandled rejection", errorFields(event.reason));
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    log("error", "uncaught error", errorFields(event.error));
  });
  const { signal } = options;
  const timeIsUp = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => setTimeout(resolve, DRAIN_MS), { once: true });
  });
  await Promise.race([Promise.all([listen(handler, options), others]), timeIsUp]);
  const closing = close().catch((error) => log("error", "could not close", errorFields(error)));
  await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, CLOSE_MS))]);
  log("info", "stopped", { isolate: isolateNumber });
  return await endIsolate("stopped");
}

/**
 * Makes Deno's TypeScript parser find the limits of this thread's stack. It does so once, at the first `if` that it
 * parses, and Deno 2.9.6 panics if no file descriptor is free then. Later that could happen at any error: to map its
 * stack, Deno reads its cache, and parses the module again if it cannot open the cache.
 */
function prepareParser(): void {
  stripTypeScriptTypes("if (true) {}");
}

/** Listens until the signal. A listener that runs out of file descriptors fails and is replaced. */
async function listen(
  handler: Handler,
  { port, hostname, reusePort, signal, log, onListen, drain }: Omit<ServeOptions, "close" | "others">,
): Promise<void> {
  let hasListened = false;
  const onError = (error: unknown) => {
    log("error", "response could not be sent", errorFields(error));
    return errorJson(new AppError("INTERNAL"));
  };
  while (!signal.aborted) {
    try {
      // With a shared port, listening succeeds even if another program has the address. Detect that once.
      if (reusePort && isFirstIsolate && !hasListened) Deno.listen({ port, hostname }).close();
      const server = Deno.serve({ port, hostname, reusePort, onListen, onError }, handler);
      hasListened = true;
      const stop = () =>
        void drain(() => server.shutdown()).catch((error) => log("error", "could not drain", errorFields(error)));
      signal.addEventListener("abort", stop, { once: true });
      await server.finished;
      signal.removeEventListener("abort", stop);
    } catch (error) {
      if (!hasListened) throw cannotListen({ hostname, port }, error);
      log("error", "listener failed, listening again", errorFields(error));
      await new Promise((resolve) => setTimeout(resolve, LISTEN_AGAIN_MS));
    }
  }
}

function cannotListen({ hostname, port }: { hostname: string; port: number }, cause: unknown): ConfigError {
  const example = cause instanceof Deno.errors.AddrInUse ? `PORT=${port + 1}` : "HOST=0.0.0.0 PORT=8000";
  return new ConfigError(
    `Cannot listen on HOST ${hostname}, PORT ${port}: ${messageOf(cause)}. Example: ${example}`,
    { cause },
  );
}
