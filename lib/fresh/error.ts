/** The status codes of an {@linkcode HttpError}. */
export type ErrorStatus =
  | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417 | 418)
  | (421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451)
  | (500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511);

/** An error with an HTTP status. Error pages may render it. */
export class HttpError extends Error {
  /** Without a message, the response contains the standard text for the status. */
  constructor(public status: ErrorStatus, message?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = this.constructor.name;
  }
}

// Importing the table from node:http would add about 40 ms to every start.
const STATUS_TEXT = `
  400 Bad Request, 401 Unauthorized, 402 Payment Required, 403 Forbidden, 404 Not Found, 405 Method Not Allowed,
  406 Not Acceptable, 408 Request Timeout, 409 Conflict, 410 Gone, 411 Length Required, 412 Precondition Failed,
  413 Content Too Large, 414 URI Too Long, 415 Unsupported Media Type, 416 Range Not Satisfiable, 418 I'm a teapot,
  422 Unprocessable Entity, 423 Locked, 425 Too Early, 426 Upgrade Required, 428 Precondition Required,
  429 Too Many Requests, 431 Request Header Fields Too Large, 451 Unavailable For Legal Reasons,
  500 Internal Server Error, 501 Not Implemented, 502 Bad Gateway, 503 Service Unavailable, 504 Gateway Timeout,`;

/** Returns the response to an error that no middleware or error page handled. */
export function plainErrorResponse(error: unknown): Response {
  const status = error instanceof HttpError ? error.status : 500;
  if (status >= 500) console.error(error);
  if (!(error instanceof HttpError)) return new Response("Internal server error", { status });
  const text = new RegExp(`${status} ([^,]+),`).exec(STATUS_TEXT)?.[1];
  return new Response(error.message || text, { status });
}
