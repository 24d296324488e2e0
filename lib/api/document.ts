import { createHash } from "node:crypto";
import { z } from "zod";
import type { Config } from "../config/config.ts";
import { VERSION } from "../version.ts";
import { SECTIONS } from "./all_entries.ts";
import { isOn, leaveOut } from "./left_out.ts";
import { type Entry, methodAndPath, RESPONSE_HEADERS } from "./entry.ts";
import { describeOperation, type OperationObject } from "./operation_object.ts";
import { createSchemaConverter, type JsonSchema } from "./schemas.ts";
import { describeMessages, type MessageObject, WEBHOOK_BODIES } from "./webhook_messages.ts";

/** An OpenAPI document, as far as we read it ourselves. */
export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  webhooks: Record<string, MessageObject>;
  components: {
    schemas: Record<string, JsonSchema>;
    headers: object;
    securitySchemes: object;
  };
}

/** The document, and the form in which it is sent. */
export interface PublishedDocument {
  document: ApiDocument;
  text: string;
  etag: string;
}

const published = new WeakMap<Config, PublishedDocument>();

/** Returns the API document. Generates it at the first call. Source: OpenAPI 3.1. */
export function publishedDocument(config: Config): PublishedDocument {
  const known = published.get(config);
  if (known !== undefined) return known;
  const document = generate(config);
  const text = JSON.stringify(document);
  const etag = `"${createHash("sha256").update(text).digest("base64url")}"`;
  const made = { document, text, etag };
  published.set(config, made);
  return made;
}

function generate(config: Config): ApiDocument {
  const sections = SECTIONS.map(({ entries, ...section }) => ({
    ...section,
    entries: Object.entries(entries).filter(([, entry]) => isOn(config, entry)).map(withoutFile),
  })).filter(({ entries }) => entries.length > 0);
  const converter = createSchemaConverter(
    sections.flatMap(({ entries }) => entries).flatMap(([, { query, body, form, returns }]) =>
      [query, body, form, ...Object.values(returns)].filter((schema): schema is z.ZodType => !!schema)
    ).concat(WEBHOOK_BODIES),
  );
  const paths: ApiDocument["paths"] = {};
  for (const { name, entries } of sections) {
    for (const [key, entry] of entries) {
      const { method, path } = methodAndPath(key);
      paths[path] ??= {};
      paths[path][method.toLowerCase()] = describeOperation(key, entry, { tag: name, converter, config });
    }
  }
  const document = {
    openapi: "3.1.0",
    info: {
      title: `${config.brand.name} API`,
      version: VERSION,
      ...{
        summary: "Accounts, sessions and profiles",
        description: "The paths, fields, codes and operation ids are stable; see docs/api.md, Promise.",
        license: { name: "MIT", identifier: "MIT" },
      },
    },
    servers: [{ url: config.baseUrl }],
    tags: sections.map(({ name, description }) => ({ name, description })),
    paths,
    webhooks: describeMessages({ tag: "Webhooks", converter, config }),
    components: {
      schemas: converter.named,
      headers: headerObjects(),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
  return withoutUnused(leaveOut(document, config));
}

/** Leaves out the schemas to which nothing refers any longer. */
function withoutUnused(document: ApiDocument): ApiDocument {
  const { schemas } = document.components;
  const refersTo = (name: string) => JSON.stringify(document).includes(`"#/components/schemas/${name}"`);
  const unused = Object.keys(schemas).filter((name) => !refersTo(name));
  for (const name of unused) delete schemas[name];
  return document;
}

/** JSON Schema has no type for the file of a form. The description of the request adds it. */
function withoutFile([key, entry]: [string, Entry]): [string, Entry] {
  if (entry.file === undefined) return [key, entry];
  const { [entry.file.field]: _, ...texts } = (entry.body as z.ZodObject).shape;
  return [key, { ...entry, body: z.object(texts) }];
}

const SECURITY_SCHEMES = {
  session: {
    type: "apiKey",
    in: "cookie",
    name: "auth_session",
    description: "The session that `POST /auth/login` opens",
  },
  token: {
    type: "http",
    scheme: "bearer",
    description: "An API token from `POST /api/tokens`, with the scope that the operation names",
  },
  client: {
    type: "http",
    scheme: "basic",
    description: "The id and the secret of an app, both form-encoded first. The form may have them instead",
  },
  accessToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "An access token of an app from `POST /oauth/token`, for this service, with the scope that the operation names",
  },
};

function headerObjects(): object {
  return Object.fromEntries(
    Object.entries(RESPONSE_HEADERS).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
  );
}
