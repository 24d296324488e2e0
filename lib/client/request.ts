import { type ErrorBody, FoyerError, FoyerUnavailable } from "./errors.ts";

/** Foyer answers within a second. A product that waits longer keeps its own people waiting. */
const TIMEOUT_MS = 10_000;
/** The largest file takes longer. */
const UPLOAD_TIMEOUT_MS = 600_000;

/** A request as frameworks pass it on: with the headers of fetch, or with those of Node. */
export interface IncomingRequest {
  headers: Headers | Record<string, string | string[] | undefined>;
  method?: string;
  url?: string;
  /** Express: the path before a router has shortened it. */
  originalUrl?: string;
}

/** Returns a header of a request, or null. */
export function headerOf({ headers }: IncomingRequest, name: string): string | null {
  if (isHeaders(headers)) return headers.get(name);
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : value ?? null;
}

/** Frameworks bring classes of their own. */
function isHeaders(headers: IncomingRequest["headers"]): headers is Headers {
  return typeof headers.get === "function";
}

/**
 * Sends a request to Foyer. Follows no redirect.
 *
 * @throws {FoyerUnavailable} without an answer.
 */
export async function send(url: string, init: RequestInit & { isUpload?: boolean } = {}): Promise<Response> {
  const { isUpload = false, signal, ...rest } = init;
  const timeout = AbortSignal.timeout(isUpload ? UPLOAD_TIMEOUT_MS : TIMEOUT_MS);
  try {
    return await fetch(url, {
      ...rest,
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new FoyerUnavailable(`Foyer at ${new URL(url).origin} does not answer`, { cause });
  }
}

/**
 * Returns the error that an answer says.
 *
 * @returns {@linkcode FoyerUnavailable} for an answer that is not the API's.
 */
export async function refusalOf(response: Response): Promise<FoyerError | FoyerUnavailable> {
  const body = await response.json().catch(() => null) as Partial<ErrorBody> | null;
  if (!isText(body?.code) || !isText(body?.message)) {
    return new FoyerUnavailable(`Foyer’s address answered ${response.status}, and not as Foyer does`);
  }
  const retryAfter = Number(response.headers.get("retry-after") ?? NaN);
  const requestId = body.requestId ?? response.headers.get("x-request-id") ?? undefined;
  return new FoyerError(response.status, { ...body as ErrorBody, requestId }, {
    retryAfter: Number.isNaN(retryAfter) ? undefined : retryAfter,
  });
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
