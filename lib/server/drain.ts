import { SECOND_MS } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { errorJson } from "../http/error_body.ts";
import type { Handler } from "./outer_handler.ts";

/** A handler that can be drained. */
export interface Drainable {
  handler: Handler;
  /** Calls `stop`, which closes the listener, once no client would lose a request. Resolves as `stop` does. */
  drain(stop: () => Promise<void>): Promise<void>;
}

/**
 * Most times while draining are counted in polls: a process that is stalled or short of processor time sees requests
 * late and answers them late.
 */
const POLL_MS = 10;
/** How long a response is held at most, and how long new bodies are still accepted. */
const HOLD_POLLS = SECOND_MS / POLL_MS;
/** After this many polls without a new request, clients that keep sending are all waiting for a response. */
const QUIET_POLLS = 30;
/** How long to wait for bodies that are still arriving: by the clock, like the time for draining, which is longer. */
const BODIES_MS = 6 * SECOND_MS;
/** How many polls the listener takes to close. */
const LISTENER_CLOSE_POLLS = 2;

/**
 * Makes a handler drainable. The shutdown of `Deno.serve` loses requests in two ways: it cuts off bodies that handlers
 * are still reading, and it drops connections whose request it has not yet accepted. Under load, that is most of them.
 *
 * So request bodies finish first, and responses are held until the listener has closed. A client that waits for a
 * response sends no request to the closing listener, and the response tells it to open a new connection, which reaches
 * another instance. New requests are still served. After the first second, those with a body get 503, because they
 * would delay the end.
 */
export function drainable(next: Handler): Drainable {
  let bodies = 0;
  let quietPolls = 0;
  let isDraining = false;
  let refusesBodies = false;
  let hasStopped = false;

  const respond: Handler = async (req, info) => {
    if (req.body === null) return await next(req, info);
    if (refusesBodies) return restarting(req);
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
      if (!isDraining) return response;
      await until(() => hasStopped, HOLD_POLLS);
      return closingConnection(response);
    },
    async drain(stop) {
      const bodiesEndAt = performance.now() + BODIES_MS;
      const isReading = () => bodies > 0 && performance.now() < bodiesEndAt;
      isDraining = true;
      void until(() => false, HOLD_POLLS).then(() => refusesBodies = true);
      await until(() => !isReading());
      quietPolls = 0;
      await until(() => !isReading() && quietPolls++ > QUIET_POLLS, HOLD_POLLS);
      const stopping = stop();
      await until(() => false, LISTENER_CLOSE_POLLS);
      hasStopped = true;
      await stopping;
    },
  };
}

function restarting(req: Request): Response {
  return errorJson(new AppError("UNAVAILABLE", { reason: "restart", retryAfterSeconds: 1 }), req);
}

function closingConnection(response: Response): Response {
  const last = new Response(response.body, response);
  last.headers.set("Connection", "close");
  return last;
}

async function until(isTrue: () => boolean, maxPolls = Infinity): Promise<void> {
  for (let poll = 0; poll < maxPolls && !isTrue(); poll++) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
