import { SECOND_MS } from "../duration.ts";
import { AppError } from "../errors.ts";
import { errorFields, type Log } from "../log.ts";
import { errorJson, INTERNAL_MESSAGE } from "../http/error_body.ts";
import { endIsolate, isFirstIsolate } from "./isolates.ts";
import type { Handler } from "./outer_handler.ts";

/** What runs when the process is told to end gets this long, and closing the services what is then left of 10 s. */
const DRAIN_MS = 9 * SECOND_MS;
const CLOSE_MS = SECOND_MS;
const LISTEN_AGAIN_MS = 200;

export interface ServeOptions {
  port: number;
  hostname: string;
  /** Whether other isolates of this process listen there too; the system deals out the connections. */
  reusePort: boolean;
  /** Aborts when it is time to stop. */
  signal: AbortSignal;
  /** Resolves when the isolates that this one started have stopped. */
  others: Promise<void>;
  log: Log;
  /** Runs each time a listener is up. */
  onListen(): void;
  /** Runs when the server is told to end, and calls `stop` when requests need be taken no longer. */
  drain(stop: () => Promise<void>): Promise<void>;
  /** Runs after the last response: closes what the services hold open. */
  close(): Promise<void>;
}

/**
 * Serves until the signal, then stops accepting, lets what runs finish, closes the services and ends the isolate.
 * Neither a stray rejection nor running out of file descriptors ends it.
 *
 * @throws when the address cannot be listened on.
 */
export async function serve(handler: Handler, { close, others, ...options }: ServeOptions): Promise<never> {
  const { log } = options;
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log("error", "unhandled rejection", errorFields(event.reason));
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    log("error", "uncaught error", errorFields(event.error));
  });
  const { signal } = options;
  const isTimeUp = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => setTimeout(resolve, DRAIN_MS), { once: true });
  });
  await Promise.race([Promise.all([listen(handler, options), others]), isTimeUp]);
  const closing = close().catch((error) => log("error", "could not close", errorFields(error)));
  await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, CLOSE_MS))]);
  log("info", "stopped");
  return await endIsolate("stopped");
}

/** Listens until the signal. When accepting fails (no file descriptors left) the listener dies: it gets a new one. */
async function listen(
  handler: Handler,
  { port, hostname, reusePort, signal, log, onListen, drain }: Omit<ServeOptions, "close" | "others">,
): Promise<void> {
  let hasListened = false;
  const onError = (error: unknown) => {
    log("error", "response could not be sent", errorFields(error));
    return errorJson(new AppError("INTERNAL", INTERNAL_MESSAGE));
  };
  while (!signal.aborted) {
    try {
      // With a shared port, the address of another program would not be refused.
      if (reusePort && isFirstIsolate && !hasListened) Deno.listen({ port, hostname }).close();
      const server = Deno.serve({ port, hostname, reusePort, onListen, onError }, handler);
      hasListened = true;
      const stop = () =>
        void drain(() => server.shutdown()).catch((error) => log("error", "could not drain", errorFields(error)));
      signal.addEventListener("abort", stop, { once: true });
      await server.finished;
      signal.removeEventListener("abort", stop);
    } catch (error) {
      if (!hasListened) throw cannotListen(`HOST ${hostname}, PORT ${port}`, error);
      log("error", "listener lost, listening again", errorFields(error));
      await new Promise((resolve) => setTimeout(resolve, LISTEN_AGAIN_MS));
    }
  }
}

function cannotListen(where: string, cause: unknown): Error {
  return new Error(`Cannot listen on ${where}: ${cause instanceof Error ? cause.message : cause}`, { cause });
}
