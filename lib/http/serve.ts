import { SECOND_MS } from "../duration.ts";
import { errorFields, type Log } from "../log.ts";
import type { Handler } from "./outer_handler.ts";

/** What runs when the process is told to end gets this long. */
const DRAIN_MS = 10 * SECOND_MS;
const LISTEN_AGAIN_MS = 200;

export interface ServeOptions {
  port: number;
  hostname: string;
  log: Log;
  /** Runs each time a listener is up. */
  onListen(): void;
  /** Runs when the server is told to end; until it resolves, requests are still taken. */
  drain(): Promise<void>;
  /** Runs after the last response: closes what the services hold open. */
  close(): Promise<void>;
}

/**
 * Serves until SIGTERM or SIGINT, then stops accepting, lets what runs finish, closes the services and exits 0.
 * Neither a stray rejection nor running out of file descriptors ends it.
 *
 * @throws when the address cannot be listened on.
 */
export async function serve(handler: Handler, { close, ...options }: ServeOptions): Promise<never> {
  const { log } = options;
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log("error", "unhandled rejection", errorFields(event.reason));
  });
  const stopping = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    Deno.addSignalListener(signal, () => {
      log("info", "stopping", { signal });
      setTimeout(() => Deno.exit(0), DRAIN_MS);
      stopping.abort();
    });
  }
  await listen(handler, { ...options, signal: stopping.signal });
  await close().catch((error) => log("error", "could not close", errorFields(error)));
  log("info", "stopped");
  Deno.exit(0);
}

/** Listens until the signal. When accepting fails (no file descriptors left) the listener dies: it gets a new one. */
async function listen(
  handler: Handler,
  { port, hostname, log, onListen, drain, signal }: Omit<ServeOptions, "close"> & { signal: AbortSignal },
): Promise<void> {
  let hasListened = false;
  while (!signal.aborted) {
    try {
      const server = Deno.serve({ port, hostname, onListen }, handler);
      hasListened = true;
      const stop = () =>
        void drain().then(() => server.shutdown()).catch((error) =>
          log("error", "could not drain", errorFields(error))
        );
      signal.addEventListener("abort", stop, { once: true });
      await server.finished;
      signal.removeEventListener("abort", stop);
    } catch (error) {
      if (!hasListened) throw error;
      log("error", "listener lost, listening again", errorFields(error));
      await new Promise((resolve) => setTimeout(resolve, LISTEN_AGAIN_MS));
    }
  }
}
