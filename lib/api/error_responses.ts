import { OAUTH_ERROR_STATUS } from "../authorization_server/tokens/oauth_error.ts";
import { ERROR_STATUS, type ErrorCode } from "../errors/errors.ts";
import { type Entry, errorCodesOf } from "./entry.ts";
import { headerReferences, type MediaType, type ResponseObject } from "./response.ts";
import type { JsonSchema, SchemaConverter } from "./schemas.ts";

/**
 * Describes the errors of an endpoint by status. Each endpoint has descriptions of its own, because generators give
 * shared ones long names, or none.
 */
export function errorResponses(key: string, entry: Entry, converter: SchemaConverter): Record<string, ResponseObject> {
  if (entry.forApps !== undefined) return appErrorResponses(entry.forApps);
  const codes = Map.groupBy(errorCodesOf(key, entry), (code) => ERROR_STATUS[code]);
  return Object.fromEntries(
    [...codes].map(([status, codesOfStatus]) => {
      const success = entry.returns[status];
      return [status, errorResponse(status, codesOfStatus, success ? converter.convert(success) : undefined)];
    }),
  );
}

/** What every endpoint for apps may return besides its own errors. */
const USUAL_APP_ERRORS: Record<string, number[]> = { server_error: [500], temporarily_unavailable: [429, 503] };

/**
 * Describes the errors of an endpoint for apps. Where such endpoints are switched off, the error has the usual form.
 */
function appErrorResponses({ errors }: NonNullable<Entry["forApps"]>): Record<string, ResponseObject> {
  const own = errors.map((code) => ({ code: code as string, status: OAUTH_ERROR_STATUS[code] as number }));
  const usual = Object.entries(USUAL_APP_ERRORS).flatMap(([code, all]) => all.map((status) => ({ code, status })));
  const byStatus = Map.groupBy([...own, ...usual], ({ status }) => status);
  const described = [...byStatus].map(([status, each]): [number, ResponseObject] => {
    const codes = each.map(({ code }) => code);
    const schema = withCodes("OAuthError", codes);
    const hasChallenge = status === 401 || status === 403;
    return [status, {
      description: describe(codes),
      headers: headerReferences([
        ...(hasChallenge ? ["WWW-Authenticate" as const] : []),
        ...waitHeaders(status),
      ]),
      content: { "application/json": { schema } },
    }];
  });
  return { ...Object.fromEntries(described), 404: errorResponse(404, ["NOT_FOUND"]) };
}

function describe(codes: string[]): string {
  return codes.map((code) => `\`${code}\``).join(", ");
}

function waitHeaders(status: number) {
  return [
    ...(status === 429 ? ["RateLimit" as const, "RateLimit-Policy" as const] : []),
    ...(status === 429 || status === 503 ? ["Retry-After" as const] : []),
  ];
}

/** @param alternative a body with this status that is not one of our errors. */
function errorResponse(status: number, codes: ErrorCode[], alternative?: JsonSchema): ResponseObject {
  const error = withCodes("ApiError", codes);
  const content: Record<string, MediaType> = {
    "application/json": { schema: alternative ? { anyOf: [alternative, error] } : error },
    "application/problem+json": { schema: withCodes("Problem", codes) },
  };
  return {
    description: describe(codes),
    headers: headerReferences([...(status === 401 ? ["WWW-Authenticate" as const] : []), ...waitHeaders(status)]),
    content,
  };
}

function withCodes(name: "ApiError" | "Problem" | "OAuthError", codes: string[]): JsonSchema {
  const field = name === "OAuthError" ? "error" : "code";
  return {
    allOf: [{ $ref: `#/components/schemas/${name}` }, { type: "object", properties: { [field]: { enum: codes } } }],
  };
}
