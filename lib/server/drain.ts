import { SECOND_MS } from "../duration.ts";
import { AppError } from "../errors.ts";
import { errorJson } from "../http/error_body.ts";
import type { Handler } from "./outer_handler.ts";

/** A handler that can be drained. */
export interface Drainable {
  handler: Handler;
  /** Calls `stop`, which closes the listener, once no client would lose a request. Resolves as `stop` does. */
  drain(stop: () => Promise<void>): Promise<void>;
}

/** How long a response is held at most, and how long new requests are still served. */
const HOLD_MS = SECOND_MS;
/**
 * After this many polls without a new request, clients that keep sending are all waiting for a response. Count polls,
 * not elapsed time: a stalled process has not seen the requests that arrived during the stall.
 */
const QUIET_POLLS = 30;
/** How long to wait for bodies that are still arriving. All times together stay within the time for draining. */
const BODIES_MS = 7 * SECOND_MS;
/** How many polls the listener takes to close. */
const LISTENER_CLOSE_POLLS = 2;
const POLL_MS = 10;

/**
 * Makes a handler drainable. The shutdown of `Deno.serve` loses requests in two ways: it cuts off bodies that handlers
 * are still reading, and it drops connections whose request it has not yet accepted. Under load, that is most of them.
 *
 * So request bodies finish first, and responses are held until the listener has closed. A client that waits for a
 * response sends no request to the closing listener, and the response tells it to open a new connection, which reaches
 * another instance. New requests are served during the second in which responses are held. If bodies take longer, new
 * requests get 503.
 */
export function drainable(next: Handler): Drainable {
  let bodies = 0;
  let quietPolls = 0;
  let drainingSince: number | undefined;
  const stopped = Promise.withResolvers<void>();

  const respond: Handler = async (req, info) => {
    if (drainingSince !== undefined && performance.now() - drainingSince > HOLD_MS) return restarting(req);
    if (req.body === null) return await next(req, info);
    bodies++;
    try {
      return await next(req, info);
    } finally {
      bodies--;
    }
  };

  return {
    async handler(req, info) {
      quietPolls = 0;
      const response = await respond(req, info);
      if (drainingSince === undefined) return response;
      await atMost(HOLD_MS, stopped.promise);
      return closingConnection(response);
    },
    async drain(stop) {
      drainingSince = performance.now();
      await until(() => bodies === 0, BODIES_MS);
      quietPolls = 0;
      await until(() => bodies === 0 && quietPolls++ > QUIET_POLLS, HOLD_MS);
      const stopping = stop();
      for (let poll = 0; poll < LISTENER_CLOSE_POLLS; poll++) await pause(POLL_MS);
      stopped.resolve();
      await stopping;
    },
  };
}

function restarting(req: Request): Response {
  return errorJson(new AppError("UNAVAILABLE", "The service is restarting", { retryAfterSeconds: 1 }), req);
}

function closingConnection(response: Response): Response {
  const last = new Response(response.body, response);
  last.headers.set("Connection", "close");
  return last;
}

async function until(isTrue: () => boolean, maxMs: number): Promise<void> {
  const giveUpAt = performance.now() + maxMs;
  while (!isTrue() && performance.now() < giveUpAt) await pause(POLL_MS);
}

async function atMost(ms: number, promise: Promise<void>): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, ms);
  await Promise.race([promise, timeout.promise]);
  clearTimeout(timer);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
