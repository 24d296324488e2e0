import { STATUS_CODES as STATUS_TEXT } from "node:http";
import { AppError } from "../errors.ts";

/** The message of an unexpected error. Its details are only logged. */
export const INTERNAL_MESSAGE = "Something went wrong on our side";

/** The header of a response that repeats an earlier one. */
export const REPLAYED_HEADER = "Idempotent-Replayed";

const PROBLEM = "application/problem+json";

/** The JSON response to an error, in the form that the request accepts: our own, or the one of RFC 9457. */
export function errorJson(error: AppError, request?: { headers: Headers }): Response {
  const { message, code, details, status } = error;
  const headers = errorHeaders(error);
  if (!acceptsProblem(request?.headers)) {
    return Response.json({ message, code, error: message, details }, { status, headers });
  }
  const title = STATUS_TEXT[status];
  const problem = { type: "about:blank", title, status, detail: message, code, errors: details };
  return Response.json(problem, { status, headers: { ...headers, "Content-Type": PROBLEM } });
}

/** Programs that also accept ordinary JSON mean that for successes, unless they prefer it. */
function acceptsProblem(headers?: Headers): boolean {
  const accepted = headers?.get("accept") ?? "";
  const quality = (type: string) => Math.max(0, ...accepted.split(",").flatMap((range) => qualityOf(range, type)));
  return quality(PROBLEM) > 0 && quality(PROBLEM) >= quality("application/json");
}

function qualityOf(range: string, type: string): number[] {
  const [name, ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  return name === type ? [weight === undefined ? 1 : Number(weight.slice(2)) || 0] : [];
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
