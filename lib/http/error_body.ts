import { AppError } from "../errors.ts";

/** What clients are told of a failure that they need not know more about. */
export const INTERNAL_MESSAGE = "Something went wrong on our side";

/** The JSON body that every error has, and its headers. */
export function errorJson(error: AppError): Response {
  const { message, code, details } = error;
  return Response.json({ message, code, error: message, details }, {
    status: error.status,
    headers: errorHeaders(error),
  });
}

/** The headers of an error response. Errors are never cached. */
export function errorHeaders({ retryAfterSeconds, allowedMethods }: AppError): Record<string, string> {
  return {
    "Cache-Control": "no-store",
    ...(allowedMethods === undefined ? {} : { "Allow": allowedMethods.join(", ") }),
    ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
  };
}
