import { ERROR_STATUS, type ErrorCode } from "../errors.ts";
import { type Entry, errorCodesOf } from "./entry.ts";
import { headerReferences, type MediaType, type ResponseObject } from "./response.ts";
import type { JsonSchema, SchemaConverter } from "./schemas.ts";

/**
 * Describes the errors of an endpoint by status. Each endpoint has descriptions of its own, because generators give shared
 * ones long names, or none.
 */
export function errorResponses(key: string, entry: Entry, converter: SchemaConverter): Record<string, ResponseObject> {
  const codes = Map.groupBy(errorCodesOf(key, entry), (code) => ERROR_STATUS[code]);
  return Object.fromEntries(
    [...codes].map(([status, codesOfStatus]) => {
      const success = entry.returns[status];
      return [status, errorResponse(status, codesOfStatus, success ? converter.convert(success) : undefined)];
    }),
  );
}

/** @param alternative a body with this status that is not one of our errors. */
function errorResponse(status: number, codes: ErrorCode[], alternative?: JsonSchema): ResponseObject {
  const error = withCodes("ApiError", codes);
  const content: Record<string, MediaType> = {
    "application/json": { schema: alternative ? { anyOf: [alternative, error] } : error },
    "application/problem+json": { schema: withCodes("Problem", codes) },
  };
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    headers: headerReferences([
      ...(status === 401 ? ["WWW-Authenticate" as const] : []),
      ...(status === 429 ? ["RateLimit" as const, "RateLimit-Policy" as const] : []),
      ...(status === 429 || status === 503 ? ["Retry-After" as const] : []),
    ]),
    content,
  };
}

function withCodes(name: "ApiError" | "Problem", codes: ErrorCode[]): JsonSchema {
  return {
    allOf: [{ $ref: `#/components/schemas/${name}` }, { type: "object", properties: { code: { enum: codes } } }],
  };
}
