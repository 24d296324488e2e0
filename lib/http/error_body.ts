import { AppError } from "../errors.ts";

/** What clients are told of a failure that they need not know more about. */
export const INTERNAL_MESSAGE = "Something went wrong on our side";
export const METHOD_NOT_ALLOWED = "This method is not allowed here";

/** The JSON body that every error has, and its headers. */
export function errorJson(error: AppError): Response {
  const { message, code, details } = error;
  return Response.json({ message, code, error: message, details }, {
    status: error.status,
    headers: errorHeaders(error),
  });
}

/** The headers of every error: none is worth keeping. */
export function errorHeaders({ retryAfterSeconds }: AppError): Record<string, string> {
  return {
    "Cache-Control": "no-store",
    ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
  };
}
