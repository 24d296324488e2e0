import { SECOND_MS } from "../duration.ts";
import { AppError } from "../errors.ts";

const TRIES = 3;
/** Doubled after every try; half of it is left to chance, so that not all come back at once. */
const PAUSE_MS = SECOND_MS / 5;
const RETRY_AFTER_SECONDS = 5;

/**
 * Sends a request that may be sent twice, made anew for each try, until it gets an answer that speaks of the request.
 *
 * @throws {AppError} UNAVAILABLE after three tries that got none within their time.
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
  throw new AppError("UNAVAILABLE", "The object store cannot be reached at the moment", {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds * (1 + Math.random()) / 2));
}
