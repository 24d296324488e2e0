import type { UploadPart } from "../config/uploads_setting.ts";
import type { Policy } from "../config/limits.ts";
import { errorResponses } from "./error_responses.ts";
import { exampleOf } from "./example.ts";
import { policyOf } from "../limits/policy.ts";
import { type Entry, methodAndPath, REQUEST_HEADERS, serviceAccessOf, tokenAccessOf } from "./entry.ts";
import { headerReferences, type MediaType, type ResponseObject } from "./response.ts";
import type { JsonSchema, SchemaConverter } from "./schemas.ts";

/** An operation in the document. Source: OpenAPI 3.1, Operation Object. */
export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters: ParameterObject[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, ResponseObject>;
  "x-limit"?: { policy: string; requests: number; seconds: number };
}

/** An operation as the build describes it. What depends on the settings is added when the document is published. */
export interface DescribedOperation extends Omit<OperationObject, "x-limit"> {
  /** What decides whether it exists. */
  uploads?: UploadPart;
  limit?: Policy;
}

/** A parameter in the document. */
export interface ParameterObject {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

/** What describes one endpoint. */
interface Surroundings {
  tag: string;
  converter: SchemaConverter;
}

/** Describes an endpoint in the language of OpenAPI. */
export function describeOperation(key: string, entry: Entry, around: Surroundings): DescribedOperation {
  const { operationId, summary, description, uploads } = entry;
  const limit = policyOf(entry.limit);
  return {
    operationId,
    tags: [around.tag],
    summary,
    ...(description && { description }),
    security: securityOf(entry),
    parameters: parametersOf(key, entry, around),
    ...requestBodyOf(entry, around),
    responses: { ...successesOf(entry, around), ...errorResponses(key, entry, around.converter) },
    ...(limit && { limit }),
    ...(uploads && { uploads }),
  };
}

function securityOf(entry: Entry): Record<string, string[]>[] {
  // The form may have the credentials of an app too.
  if (entry.forApps !== undefined) {
    return entry.forApps.presents === "client" ? [{ client: [] }, {}] : [{ accessToken: [] }];
  }
  const tokenAccess = tokenAccessOf(entry);
  const acceptsTokens = tokenAccess !== null && tokenAccess !== "session" && tokenAccess !== "adminSession";
  return [
    ...(entry.caller === "public" ? [{}] : []),
    { session: [] },
    ...(acceptsTokens ? [{ token: [tokenAccess] }] : []),
    ...[...accessTokenScopes(entry)].map((scope) => ({ accessToken: [scope] })),
  ];
}

/** The scopes with which an access token opens an endpoint. That of admins is for apps that act as themselves. */
function accessTokenScopes(entry: Entry): Set<string> {
  const [access, ofServices] = [tokenAccessOf(entry), serviceAccessOf(entry)];
  const isScope = access !== null && access !== "session" && access !== "adminSession";
  return new Set([...isScope ? [access] : [], ...Array.isArray(ofServices) ? ofServices : []]);
}

function parametersOf(
  key: string,
  { query, headers = [], isRepeatable }: Entry,
  { converter }: Surroundings,
): ParameterObject[] {
  const { path } = methodAndPath(key);
  const { properties = {}, required = [] } = query === undefined ? {} : converter.convert(query);
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]): ParameterObject => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string", ...(name === "id" && { format: "uuid" }) },
    })),
    ...Object.entries(properties as Record<string, JsonSchema>).map(
      ([name, { description, ...schema }]): ParameterObject => ({
        name,
        in: "query",
        required: required.includes(name),
        ...(description && { description }),
        schema,
      }),
    ),
    ...[...headers, ...(isRepeatable ? ["Idempotency-Key" as const] : [])].map((name): ParameterObject => ({
      name,
      in: "header",
      required: false,
      description: REQUEST_HEADERS[name],
      schema: { type: "string" },
    })),
  ];
}

/** The content type of the forms that apps send. */
export const FORM = "application/x-www-form-urlencoded";

function requestBodyOf({ operationId, body, form, bodyIsOptional, file }: Entry, { converter }: Surroundings) {
  const described = form ?? body;
  if (described === undefined) return {};
  const schema = converter.convert(described);
  const content: Record<string, MediaType> = file === undefined
    ? { [form ? FORM : JSON_TYPE]: withExample(schema, converter, `the body of ${operationId}`) }
    : { "multipart/form-data": { schema: withFile(schema, file.field) } };
  return { requestBody: { required: !bodyIsOptional, content } };
}

const JSON_TYPE = "application/json";

function withExample(schema: JsonSchema, { named }: SchemaConverter, place: string): MediaType {
  return { schema, example: exampleOf(schema, named, place) };
}

function withFile(schema: JsonSchema, field: string): JsonSchema {
  const file: JsonSchema = { type: "string", format: "binary" };
  return {
    ...schema,
    properties: { ...schema.properties, [field]: file },
    required: [...schema.required ?? [], field],
  };
}

function successesOf(entry: Entry, { converter }: Surroundings) {
  const { operationId, returns, sends = [], etagOf, isRepeatable } = entry;
  const names = [
    ...(etagOf === undefined ? [] : ["ETag" as const]),
    ...sends,
    ...(policyOf(entry.limit) === undefined ? [] : ["RateLimit" as const, "RateLimit-Policy" as const]),
    ...(isRepeatable ? ["Idempotent-Replayed" as const] : []),
  ];
  return Object.fromEntries(
    Object.entries(returns).map(([status, schema]): [string, ResponseObject] => [status, {
      description: DESCRIPTIONS[status] ?? "Done",
      headers: headerReferences(names),
      ...(schema && {
        content: {
          [JSON_TYPE]: withExample(converter.convert(schema), converter, `the response ${status} of ${operationId}`),
        },
      }),
    }]),
  );
}

const DESCRIPTIONS: Record<string, string> = {
  201: "Created",
  202: "Accepted",
  204: "Done, without content",
  302: "A redirect",
  303: "A redirect",
  304: "Nothing has changed",
  503: "The service does not work",
};
