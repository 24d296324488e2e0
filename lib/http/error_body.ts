import { AppError } from "../errors.ts";

/** The message of an unexpected error. Its details are only logged. */
export const INTERNAL_MESSAGE = "Something went wrong on our side";

/** The header of a response that repeats an earlier one. */
export const REPLAYED_HEADER = "Idempotent-Replayed";

/** The JSON response to an error. */
export function errorJson(error: AppError): Response {
  const { message, code, details } = error;
  return Response.json({ message, code, error: message, details }, {
    status: error.status,
    headers: errorHeaders(error),
  });
}

/** The headers of an error response. Errors are never cached. */
export function errorHeaders(
  { retryAfterSeconds, allowedMethods, challenge, isReplayed }: AppError,
): Record<string, string> {
  return {
    "Cache-Control": "no-store",
    ...(allowedMethods === undefined ? {} : { "Allow": allowedMethods.join(", ") }),
    ...(challenge === undefined ? {} : { "WWW-Authenticate": challenge }),
    ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
    ...(isReplayed ? { [REPLAYED_HEADER]: "true" } : {}),
  };
}
