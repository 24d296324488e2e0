import { z } from "zod";
import type { ApiDocument, PublishedDocument } from "./document.ts";
import { FORM, type OperationObject } from "./operation_object.ts";
import type { JsonSchema } from "./schemas.ts";
import { lineOf } from "../schemas/text.ts";
import { ERROR_STATUS, type ErrorCode } from "../errors/errors.ts";
import { EXAMPLE_ID } from "./example.ts";
import { SECTIONS } from "./sections.ts";

/** The page that shows the document to people. */
export const API_PAGE = "/docs";

/** One field of the input of an operation. */
export interface InputField {
  name: string;
  place: "path" | "query" | "header" | "body";
  isRequired: boolean;
  description?: string;
  schema: JsonSchema;
}

/** An operation, prepared for people to read. */
export interface ReadableOperation {
  id: string;
  /** Where its section shows it. */
  href: string;
  method: string;
  path: string;
  operation: OperationObject;
  fields: InputField[];
  /** Without {@linkcode ERRORS_OF_ANY}. */
  responses: { status: string; description: string }[];
  /** A command that sends the example. */
  curl: string;
  /** True if people open the route in a browser, and it redirects them. */
  isOpenedInBrowser: boolean;
  /** The response to the example. */
  result?: { status: string; text: string };
}

/** A part of the document, prepared for people to read. */
export interface ReadableSection {
  name: string;
  description: string;
  operations: ReadableOperation[];
}

/** Every error code with its status, by status. */
export function readableErrors(leftOut: PublishedDocument["codesLeftOut"]): { code: ErrorCode; status: number }[] {
  return Object.entries(ERROR_STATUS).map(([code, status]) => ({ code: code as ErrorCode, status }))
    .filter(({ code }) => !leftOut.has(code));
}

/** What any request may get. The page says it once. */
export const ERRORS_OF_ANY: readonly ErrorCode[] = [
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "RATE_LIMITED",
  "INTERNAL",
  "UNAVAILABLE",
];

/** The ways to be logged in, by their names in the texts: where the page shows how it begins, and commands. */
export function waysToLogIn({ servers: [{ url }], paths }: ApiDocument) {
  const login = JSON.stringify({ email: "ada@example.com", password: "Correct-horse-7" });
  return {
    session: {
      href: hrefOf(paths["/auth/login"].post),
      commands: `curl -c cookies ${url}/auth/login \\\n  -H 'Content-Type: application/json' \\\n  -d '${login}'\n` +
        `curl -b cookies ${url}/api/profile`,
    },
    token: {
      href: hrefOf(paths["/api/tokens"].post),
      commands: `curl ${url}/api/profile \\\n  -H "Authorization: Bearer $FOYER_TOKEN"`,
    },
    app: { href: hrefOf(paths["/oauth/token"].post), commands: `curl ${url}/.well-known/openid-configuration` },
  };
}

/** Prepares the document for people to read. */
export function readableSections(document: ApiDocument): ReadableSection[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      readable(document, { method: method.toUpperCase(), path, operation })
    )
  );
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

/** How many characters a search may have. */
export const SEARCH_MAX = 100;

/** The query of the page: words to find, or a section to show. */
export const ApiFilters = z.object({
  query: lineOf({ max: SEARCH_MAX }).optional(),
  section: z.enum(SECTIONS.map(({ name }) => name)).optional(),
});

/** What a search finds: an operation, or an error by its code. */
export interface Found {
  href: string;
  title: string;
  /** The method and path of an operation. */
  route?: string;
}

/**
 * Finds the operations that have each of these words in their names, routes, descriptions or fields, and the errors
 * that have them in their codes.
 */
export function findInDocument(
  { document, codesLeftOut }: Pick<PublishedDocument, "document" | "codesLeftOut">,
  query: string,
): Found[] {
  const words = query.toLowerCase().split(/\s+/);
  const hasAll = (...texts: (string | undefined)[]) => {
    const text = texts.join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const operations = readableSections(document).flatMap(({ operations }) => operations);
  return [
    ...operations.filter(({ id, method, path, operation: { summary, description }, fields }) =>
      hasAll(id, method, path, summary, description, ...fields.map(({ name }) => name))
    ).map(({ href, method, path, operation: { summary } }) => ({ href, title: summary, route: `${method} ${path}` })),
    ...readableErrors(codesLeftOut).filter(({ code }) => hasAll(code))
      .map(({ code }) => ({ href: errorHref(code), title: code })),
  ];
}

/** Where the page says what an error means. */
export function errorHref(code: string): string {
  return `${API_PAGE}#${code}`;
}

function hrefOf({ operationId, tags: [section] }: OperationObject): string {
  return `${API_PAGE}?${new URLSearchParams({ section })}#${operationId}`;
}

type Named = Pick<ReadableOperation, "method" | "path" | "operation">;

function readable({ servers: [{ url: server }] }: ApiDocument, named: Named): ReadableOperation {
  const { operation } = named;
  const [status, { content }] = Object.entries(operation.responses)[0];
  const result = content?.["application/json"]?.example;
  return {
    ...named,
    id: operation.operationId,
    href: hrefOf(operation),
    fields: [...parameterFields(operation), ...bodyFields(operation)],
    responses: Object.entries(operation.responses).map(([status, { description }]) => ({ status, description }))
      .filter(({ description }) => !ERRORS_OF_ANY.some((code) => description === `\`${code}\``)),
    curl: curlLine(server, named),
    isOpenedInBrowser: "302" in operation.responses,
    ...(result !== undefined && { result: { status, text: JSON.stringify(result, null, 2) } }),
  };
}

function parameterFields({ parameters }: OperationObject): InputField[] {
  return parameters.map(({ name, in: place, required, description, schema }) => ({
    name,
    place,
    isRequired: required,
    description,
    schema,
  }));
}

function bodyFields({ requestBody }: OperationObject): InputField[] {
  const [media] = Object.values(requestBody?.content ?? {});
  const { properties = {}, required = [] } = media?.schema ?? {};
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => ({
    name,
    place: "body",
    isRequired: required.includes(name),
    description: schema.description ?? (schema.anyOf as JsonSchema[] | undefined)?.[0].description,
    schema,
  }));
}

/** What paths have besides ids. */
const PATH_EXAMPLES: Record<string, string> = { client: "wiki", key: "google", name: "staff" };

function curlLine(server: string, { method, path, operation }: Named): string {
  const { security, requestBody } = operation;
  const example = Object.values(requestBody?.content ?? {})[0]?.example;
  const isForm = requestBody?.content[FORM] !== undefined;
  const body = isForm ? undefined : example;
  const isMultipart = operation.requestBody?.content["multipart/form-data"] !== undefined;
  const url = server + path.replaceAll(/\{(\w+)\}/g, (_, name) => PATH_EXAMPLES[name] ?? EXAMPLE_ID);
  const opensSession = Object.values(operation.responses).some(({ headers }) => headers["Set-Cookie"]);
  const isPublic = operation.security.some((scheme) => Object.keys(scheme).length === 0);
  const needsAccessToken = security.every((scheme) => "accessToken" in scheme);
  const hasOwnMethod = method === "GET" || (method === "POST" && (isMultipart || isForm || body !== undefined));
  return [
    "302" in operation.responses ? "curl -i" : "curl",
    ...(isPublic || needsAccessToken ? [] : ["-b cookies"]),
    ...(opensSession ? ["-c cookies"] : []),
    ...(hasOwnMethod ? [] : [`-X ${method}`]),
    url,
    ...(needsAccessToken ? ["\\\n  -H 'Authorization: Bearer eyJ...'"] : []),
    ...(isForm ? ['\\\n  -u "wiki:$CLIENT_SECRET"', ...formParts(example)] : []),
    ...(isMultipart ? ["\\\n  -F type=avatar -F file=@photo.png"] : []),
    ...(body === undefined ? [] : [
      `\\\n  -H 'Content-Type: application/json' \\\n  -d ${
        quoted(JSON.stringify(body, null, 2).replaceAll("\n", "\n  "))
      }`,
    ]),
  ].join(" ");
}

function formParts(form: unknown): string[] {
  return Object.entries((form ?? {}) as Record<string, string>).map(([name, value]) =>
    `\\\n  --data-urlencode ${quoted(`${name}=${value}`)}`
  );
}

/** Quotes a text for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
