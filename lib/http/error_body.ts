import { STATUS_CODES as STATUS_TEXT } from "node:http";
import type { AppError } from "../errors/errors.ts";
import { detailsInEnglish, errorInEnglish } from "./error_english.ts";

/** The header of a response that repeats an earlier one. */
export const REPLAYED_HEADER = "Idempotent-Replayed";

const PROBLEM = "application/problem+json";
/** More types and parameters are not read: no client sends this many. */
const [MAX_TYPES, MAX_PARAMETERS] = [50, 10];

/** The JSON response to an error, in the form that the request accepts: our own, or the one of RFC 9457. */
export function errorJson(error: AppError, request?: { headers: Headers }): Response {
  const { code, status } = error;
  const [message, details] = [errorInEnglish(error), detailsInEnglish(error)];
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
  const quality = (type: string) =>
    Math.max(0, ...accepted.split(",", MAX_TYPES).flatMap((range) => qualityOf(range, type)));
  return quality(PROBLEM) > 0 && quality(PROBLEM) >= quality("application/json");
}

function qualityOf(range: string, type: string): number[] {
  const [name, ...parameters] = range.split(";", 1 + MAX_PARAMETERS).map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  return name === type ? [weight === undefined ? 1 : Number(weight.slice(2)) || 0] : [];
}

/** The headers of an error response. Errors are never cached. */
export function errorHeaders(error: AppError): Record<string, string> {
  const { retryAfterSeconds } = error;
  const allowedMethods = error.is("METHOD_NOT_ALLOWED") ? error.data.allowedMethods : undefined;
  const challenge = challengeOf(error);
  return {
    "Cache-Control": "no-store",
    ...(allowedMethods === undefined ? {} : { "Allow": allowedMethods.join(", ") }),
    ...(challenge === undefined ? {} : { "WWW-Authenticate": challenge }),
    ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
  };
}

/** What a client with an API token must send to be accepted. Source: RFC 6750, 3. */
function challengeOf(error: AppError): string | undefined {
  if (error.is("UNAUTHENTICATED") && error.data.reason === "token") return 'Bearer error="invalid_token"';
  if (!error.is("SCOPE_MISSING")) return undefined;
  const { scopes } = error.data;
  return `Bearer error="insufficient_scope"${scopes.length === 0 ? "" : `, scope="${scopes.join(" ")}"`}`;
}
