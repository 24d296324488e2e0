import { SECOND_MS } from "../duration.ts";
import { AppError } from "../errors.ts";
import { errorJson } from "../http/error_body.ts";
import type { Handler } from "./outer_handler.ts";

/** A handler that can be brought to rest. */
export interface Drainable {
  handler: Handler;
  /**
   * Calls `stop`, which closes the listener, at a moment when nobody is about to be cut off by it.
   *
   * @returns what `stop` does.
   */
  drain(stop: () => Promise<void>): Promise<void>;
}

/** How long a response is held back at most; and how long whoever comes meanwhile is still served. */
const HOLD_MS = SECOND_MS;
/**
 * When nobody has come at so many looks, all who go on asking are waiting for an answer, of ours or of another instance,
 * which may have passwords to hash. It is the looks that count: a process that has itself not been let run for a while
 * has not heard those who came meanwhile.
 */
const QUIET_LOOKS = 30;
/** For bodies that are still arriving. With the other times it makes less than what the server has. */
const BODIES_MS = 7 * SECOND_MS;
const LISTENER_CLOSES_LOOKS = 2;
const POLL_MS = 10;

/**
 * Two things are lost when `Deno.serve` is told to shut down: bodies that are still arriving are taken away from their
 * handlers, and who has connected or sent a request that it has not yet taken up, which under load is nearly everybody,
 * is cut off without an answer.
 *
 * So bodies are let finish before. And answers are held back until the listener is closed: whoever waits for one does
 * not send the next request into the closing door, and goes elsewhere with it, for the answer says that the connection
 * ends. For as long as answers are held, a second, those who come are served; where slow bodies take longer, they get
 * 503.
 */
export function drainable(next: Handler): Drainable {
  let bodies = 0;
  let quietLooks = 0;
  let drainsSince: number | undefined;
  const stopped = Promise.withResolvers<void>();

  const respond: Handler = async (req, info) => {
    if (drainsSince !== undefined && performance.now() - drainsSince > HOLD_MS) return restarting();
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
      quietLooks = 0;
      const response = await respond(req, info);
      if (drainsSince === undefined) return response;
      await atMost(HOLD_MS, stopped.promise);
      return lastOfConnection(response);
    },
    async drain(stop) {
      drainsSince = performance.now();
      await until(() => bodies === 0, BODIES_MS);
      quietLooks = 0;
      await until(() => bodies === 0 && quietLooks++ > QUIET_LOOKS, HOLD_MS);
      const stopping = stop();
      for (let look = 0; look < LISTENER_CLOSES_LOOKS; look++) await pause(POLL_MS);
      stopped.resolve();
      await stopping;
    },
  };
}

function restarting(): Response {
  return errorJson(new AppError("UNAVAILABLE", "The service is restarting", { retryAfterSeconds: 1 }));
}

function lastOfConnection(response: Response): Response {
  const last = new Response(response.body, response);
  last.headers.set("Connection", "close");
  return last;
}

async function until(isSo: () => boolean, maxMs: number): Promise<void> {
  const giveUpAt = performance.now() + maxMs;
  while (!isSo() && performance.now() < giveUpAt) await pause(POLL_MS);
}

async function atMost(ms: number, promise: Promise<void>): Promise<void> {
  const timeUp = Promise.withResolvers<void>();
  const timer = setTimeout(timeUp.resolve, ms);
  await Promise.race([promise, timeUp.promise]);
  clearTimeout(timer);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
