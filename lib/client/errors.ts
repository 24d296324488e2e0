/** What the API answers to a request that it refuses. */
export interface ErrorBody {
  message: string;
  code: string;
  details?: unknown;
  requestId?: string;
}

/** A request that Foyer refused, or a token or an event that is not from Foyer. */
export class FoyerError extends Error {
  override name = "FoyerError";
  /** The status of HTTP. 401 for tokens, 400 for events that were checked here. */
  readonly status: number;
  /** For programs. It never changes. */
  readonly code: string;
  /** For example the fields that are wrong, with what is wrong about each. */
  readonly details: unknown;
  /** Names the request in Foyer's log. */
  readonly requestId: string | undefined;
  /** Seconds after which the same request may succeed. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: ErrorBody, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(messageOf(body), { cause: options.cause });
    this.status = status;
    this.code = body.code;
    this.details = body.details;
    this.requestId = body.requestId;
    this.retryAfter = options.retryAfter;
  }
}

/** The message, with the first field that is wrong. */
function messageOf({ message, code, details }: ErrorBody): string {
  if (code !== "VALIDATION_FAILED" || typeof details !== "object" || details === null) return message;
  const [first] = Object.entries(details);
  return first === undefined ? message : `${message}: ${first[0]}: ${[first[1]].flat()[0]}`;
}

const RETRY_AFTER_SECONDS = "5";

/**
 * Foyer did not answer, or answered what it never should. Who is logged in is unknown, so let no one in. Where nothing
 * catches it, the frameworks answer with 503.
 */
export class FoyerUnavailable extends Error {
  override name = "FoyerUnavailable";
  /** For Express. */
  readonly status = 503;
  /** For Express. */
  readonly headers: Record<string, string> = { "Retry-After": RETRY_AFTER_SECONDS };

  /** For Hono, and for your own code. */
  getResponse(): Response {
    const { status, headers } = this;
    return Response.json({ message: "Logins do not work at the moment", code: "UNAVAILABLE" }, { status, headers });
  }
}
