import { SECOND_MS } from "../duration.ts";
import { AppError } from "../errors.ts";

const TRIES = 3;
/** Doubled after every try. Half of it is random, so that clients do not retry in step. */
const PAUSE_MS = SECOND_MS / 5;
const RETRY_AFTER_SECONDS = 5;

/**
 * Sends a request that is safe to repeat, signed anew for each try, until a response is about the request itself and not
 * about the state of the server.
 *
 * @throws {AppError} UNAVAILABLE after three failed tries.
 */
export async function fetchWithRetries(makeRequest: () => Promise<Request>, timeoutMs: number): Promise<Response> {
  let cause: unknown;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (attempt > 0) await pause(PAUSE_MS * 2 ** (attempt - 1));
    try {
      const response = await fetch(await makeRequest(), { signal: AbortSignal.timeout(timeoutMs) });
      if (response.status < 500 && response.status !== 429) return response;
      await response.body?.cancel();
      cause = new Error(`It answered ${response.status}`);
    } catch (error) {
      cause = error;
    }
  }
  throw new AppError("UNAVAILABLE", "File storage is temporarily unavailable", {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds * (1 + Math.random()) / 2));
}
