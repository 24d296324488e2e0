import { SECOND_MS } from "../../duration.ts";
import { AppError } from "../../errors/errors.ts";
import { innermostMessageOf, OutageError } from "../../log/log.ts";

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
 * @throws {AppError} UNAVAILABLE after three failed tries, because of an {@linkcode OutageError}.
 */
export async function fetchWithRetries(makeRequest: () => Promise<Request>, timeoutMs: number): Promise<Response> {
  let outage: OutageError | undefined;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (attempt > 0) await pause(PAUSE_MS * 2 ** (attempt - 1));
    const request = await makeRequest();
    // Not the whole URL, which may be signed.
    const { origin } = new URL(request.url);
    try {
      const response = await fetch(request, { signal: AbortSignal.timeout(timeoutMs) });
      if (!isTemporary(response.status)) return response;
      await response.body?.cancel();
      outage = new OutageError(`${origin} responded with ${response.status}`);
    } catch (error) {
      outage = new OutageError(`${origin}: ${reasonOf(error, timeoutMs)}`);
    }
  }
  throw new AppError("UNAVAILABLE", {
    reason: "storage",
    cause: outage,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const isTimeout = error instanceof DOMException && error.name === "TimeoutError";
  return isTimeout ? `no response within ${timeoutMs / SECOND_MS} seconds` : innermostMessageOf(error);
}

/**
 * Source: RFC 9110, 15.6.2: 501 means that the server does not support the request, which trying again cannot change.
 */
function isTemporary(status: number): boolean {
  return status === 429 || status >= 500 && status !== 501;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds * (1 + Math.random()) / 2));
}
