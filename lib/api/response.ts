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
