import type { RESPONSE_HEADERS } from "./entry.ts";
import type { JsonSchema } from "./schemas.ts";

/** A response in the document. Source: OpenAPI 3.1, Response Object. */
export interface ResponseObject {
  description: string;
  headers: Record<string, { $ref: string }>;
  content?: Record<string, MediaType>;
}

/** A body in the document. */
export interface MediaType {
  schema: JsonSchema;
  example?: unknown;
}

/** Refers to the descriptions of headers. Every response has an id. */
export function headerReferences(names: (keyof typeof RESPONSE_HEADERS)[]): ResponseObject["headers"] {
  return Object.fromEntries(
    [...names, "X-Request-Id" as const].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

/** Returns the response to which a description refers, or the description itself. */
export function resolveResponse(
  response: ResponseObject | { $ref: string },
  { responses }: { responses: Record<string, ResponseObject> },
): ResponseObject {
  return "$ref" in response ? responses[response.$ref.split("/").at(-1)!] : response;
}
