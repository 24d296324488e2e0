import { ConfigError } from "../../config/config.ts";
import { exampleOf } from "../../config/examples.ts";
import { errorFields, type Log, messageOf } from "../../log/log.ts";
import { PROMETHEUS_TYPE } from "../../metrics/prometheus_text.ts";

const PATH = "/metrics";
const LISTEN_AGAIN_MS = 200;

/** Where to listen. */
export interface MetricsAddress {
  hostname: string;
  port: number;
}

/**
 * Serves the metrics on a port of its own, which visitors do not reach.
 *
 * @param read returns the text for one scrape. Concurrent scrapes share it.
 * @throws {ConfigError} when it cannot listen there.
 */
export function serveMetrics(address: MetricsAddress, read: () => Promise<string>, log: Log): AsyncDisposable {
  let reading: Promise<string> | undefined;
  const readShared = () => reading ??= read().finally(() => reading = undefined);
  const listen = () => {
    const onError = (error: unknown) => {
      log("error", "metrics could not be sent", errorFields(error));
      return new Response(null, { status: 500 });
    };
    return Deno.serve({ ...address, onListen() {}, onError }, (req) => respond(req, readShared));
  };
  let isClosing = false;
  let server = listenAtStart(address, listen);
  const running = keepListening();

  /** A listener that runs out of file descriptors fails. */
  async function keepListening(): Promise<void> {
    while (!isClosing) {
      try {
        await server.finished;
        if (isClosing) return;
        server = listen();
      } catch (error) {
        log("error", "listener of metrics failed, listening again", errorFields(error));
      }
      await new Promise((resolve) => setTimeout(resolve, LISTEN_AGAIN_MS));
    }
  }

  return {
    async [Symbol.asyncDispose]() {
      isClosing = true;
      await server.shutdown();
      await running;
    },
  };
}

function listenAtStart<Server>({ hostname, port }: MetricsAddress, listen: () => Server): Server {
  try {
    return listen();
  } catch (cause) {
    const isTaken = cause instanceof Deno.errors.AddrInUse;
    const example = isTaken ? `METRICS_PORT=${port + 1}` : exampleOf("METRICS_HOST");
    throw new ConfigError(
      `Cannot listen on METRICS_HOST ${hostname}, METRICS_PORT ${port}: ${messageOf(cause)}. Example: ${example}`,
      { cause },
    );
  }
}

async function respond(req: Request, read: () => Promise<string>): Promise<Response> {
  if (new URL(req.url).pathname !== PATH) return new Response(null, { status: 404 });
  if (req.method !== "GET" && req.method !== "HEAD") {
    return new Response(null, { status: 405, headers: { Allow: "GET, HEAD" } });
  }
  const headers = { "Content-Type": PROMETHEUS_TYPE, "Cache-Control": "no-store" };
  return new Response(req.method === "HEAD" ? null : await read(), { headers });
}
