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
    super(body.message, { cause: options.cause });
    this.status = status;
    this.code = body.code;
    this.details = body.details;
    this.requestId = body.requestId;
    this.retryAfter = options.retryAfter;
  }
}

/** Foyer did not answer, or answered what it never should. Who is logged in is unknown, so let no one in. */
export class FoyerUnavailable extends Error {
  override name = "FoyerUnavailable";
}
