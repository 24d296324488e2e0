import { SECOND_MS } from "../../duration.ts";
import { AppError } from "../../errors.ts";

const TRIES = 3;
/**
 * The pause after the first try. It doubles after each try. Half of it is random, so that clients do not retry all at
 * once.
 */
const PAUSE_MS = SECOND_MS / 5;
const RETRY_AFTER_SECONDS = 5;

/**
 * Sends a request that is safe to repeat, newly signed for each try, until the response is not a temporary error of the
 * server.
 *
 * @throws {AppError} UNAVAILABLE after three failed tries.
 */
export async function fetchWithRetries(makeRequest: () => Promise<Request>, timeoutMs: number): Promise<Response> {
  let cause: unknown;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (attempt > 0) await pause(PAUSE_MS * 2 ** (attempt - 1));
    try {
      const response = await fetch(await makeRequest(), { signal: AbortSignal.timeout(timeoutMs) });
      if (!isTemporary(response.status)) return response;
      await response.body?.cancel();
      cause = new Error(`The object store responded with ${response.status}`);
    } catch (error) {
      cause = error;
    }
  }
  throw new AppError("UNAVAILABLE", {
    reason: "storage",
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** Source: RFC 9110, 15.6.2: 501 means that the server does not support the request, which trying again cannot change. */
function isTemporary(status: number): boolean {
  return status === 429 || status >= 500 && status !== 501;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds * (1 + Math.random()) / 2));
}
