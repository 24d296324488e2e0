import { z } from "zod";
import type { Services } from "../../../lib/services/services.ts";
import { type ApiDocument, publishedDocument } from "../../../lib/api/document.ts";
import type { JsonSchema } from "../../../lib/api/schemas.ts";

/** The length of a report. A list may have many faults. */
const PROBLEM_MAX = 500;

/** A response to check. */
interface Exchange {
  method: string;
  /** Without the query. */
  path: string;
  status: number;
  headers: Headers;
  /** The body, if it has been read. */
  text: string;
}

/** Checks responses against the published document. It is strict: unknown properties are reported. */
export interface DocumentCheck {
  /** Returns what is wrong with the response, or null. */
  problemOf(exchange: Exchange): string | null;
}

const checks = new WeakMap<ApiDocument, DocumentCheck>();

/** Returns the check for the document of an app. Each schema is compiled once. */
export async function documentCheck(services: Services): Promise<DocumentCheck> {
  const { document } = await publishedDocument(services);
  const check = checks.get(document) ?? createCheck(document);
  checks.set(document, check);
  return check;
}

function createCheck(document: ApiDocument): DocumentCheck {
  const routes = Object.entries(document.paths).map(([path, methods]) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    methods,
  }));
  const compiled = new Map<JsonSchema, z.ZodType>();
  const compile = (schema: JsonSchema) => {
    const made = compiled.get(schema) ?? z.fromJSONSchema(strict(schema, document) as z.core.JSONSchema.JSONSchema);
    compiled.set(schema, made);
    return made;
  };
  return {
    problemOf({ method, path, status, headers, text }) {
      if (method === "OPTIONS" || !isDocumented(path) || isPage(headers)) return null;
      // A path without parameters is more exact. Its route also responds with a slash at the end.
      const exact = path.replace(/\/$/, "");
      const route = routes.find((route) => route.path === exact) ?? routes.find(({ pattern }) => pattern.test(path));
      // "get" is a different method than "GET". Source: RFC 9110, 9.1.
      const isKnownMethod = method === method.toUpperCase();
      const operation = isKnownMethod ? route?.methods[method === "HEAD" ? "get" : method.toLowerCase()] : undefined;
      if (operation === undefined) return status >= 400 ? null : "the document has no such operation";
      if (text.includes('"Invalid URL or Host header"')) return null;
      const response = operation.responses[status];
      if (response === undefined) return `status ${status} is not documented`;
      if (method === "HEAD") return null;
      if (response.content === undefined) return text === "" ? null : `status ${status} must have no body`;
      const contentType = headers.get("content-type") ?? "";
      const schema = response.content[contentType]?.schema;
      if (schema === undefined) return `the content type ${contentType} is not documented`;
      const { error } = compile(schema).safeParse(JSON.parse(text));
      return error === undefined ? null : z.prettifyError(error).slice(0, PROBLEM_MAX);
    },
  };
}

/** Whether the document has the routes below this path. */
export function isDocumented(path: string): boolean {
  return /^\/(api\/|auth\/|\.well-known\/[oj]|oauth\/(token|userinfo|revoke|introspect|device_authorization)\b)/.test(
    path,
  );
}

/** Errors under /auth are pages for browsers. */
function isPage(headers: Headers): boolean {
  return headers.get("content-type")?.startsWith("text/html") ?? false;
}

/** A copy of the schema with its references resolved, which refuses unknown properties. */
function strict(schema: JsonSchema, document: ApiDocument): JsonSchema {
  const { $ref, allOf, ...rest } = schema;
  if ($ref !== undefined) return strict(document.components.schemas[$ref.split("/").at(-1)!], document);
  if (allOf !== undefined) return allOf.map((part) => strict(part as JsonSchema, document)).reduce(merged);
  const each = (schemas: unknown) => (schemas as JsonSchema[]).map((part) => strict(part, document));
  return {
    ...rest,
    ...(rest.anyOf && { anyOf: each(rest.anyOf) }),
    ...(rest.items && { items: strict(rest.items as JsonSchema, document) }),
    ...(typeof rest.additionalProperties === "object" &&
      { additionalProperties: strict(rest.additionalProperties, document) }),
    ...(rest.properties && {
      additionalProperties: rest.additionalProperties ?? false,
      properties: Object.fromEntries(
        Object.entries(rest.properties).map(([name, part]) => [name, strict(part as JsonSchema, document)]),
      ),
    }),
  };
}

function merged(a: JsonSchema, b: JsonSchema): JsonSchema {
  const names = Object.keys({ ...a.properties, ...b.properties });
  const properties = names.map((
    name,
  ) => [name, { ...a.properties?.[name] as object, ...b.properties?.[name] as object }]);
  return {
    ...a,
    ...b,
    required: [...a.required ?? [], ...b.required ?? []],
    properties: Object.fromEntries(properties),
  };
}
