import { ERROR_STATUS, type ErrorCode } from "../errors.ts";
import { type Entry, errorCodesOf } from "./entry.ts";
import { headerReferences, type MediaType, type ResponseObject } from "./response.ts";
import type { JsonSchema, SchemaConverter } from "./schemas.ts";

/** What the error responses of one endpoint depend on. */
interface Surroundings {
  converter: SchemaConverter;
  /** The responses that endpoints share, by name. Missing ones are added. */
  shared: Record<string, ResponseObject>;
}

/** Describes the errors of an endpoint by status. Endpoints with the same codes share the description. */
export function errorResponses(
  key: string,
  entry: Entry,
  { converter, shared }: Surroundings,
): Record<string, ResponseObject | { $ref: string }> {
  const codes = Map.groupBy(errorCodesOf(key, entry), (code) => ERROR_STATUS[code]);
  const responses: Record<string, ResponseObject | { $ref: string }> = {};
  for (const [status, codesOfStatus] of codes) {
    const success = entry.returns[status];
    if (success) {
      responses[status] = errorResponse(status, codesOfStatus, converter.convert(success));
    } else {
      const name = codesOfStatus.join(".");
      shared[name] ??= errorResponse(status, codesOfStatus);
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return responses;
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
