import { z } from "zod";
import type { UploadPart } from "../config/uploads_setting.ts";
import type { ErrorCode } from "../errors/errors.ts";
import { type Entry, errorCodesOf, methodAndPath, RESPONSE_HEADERS } from "./entry.ts";
import { type DescribedOperation, describeOperation } from "./operation_object.ts";
import { createSchemaConverter, type JsonSchema } from "./schemas.ts";
import { inOrder, sectionOf } from "./sections.ts";
import { describeMessages, type MessageObject, WEBHOOK_BODIES } from "./webhook_messages.ts";

/** The API with everything switched on, as the build writes it. The API document is made from it. */
export interface ApiDescription {
  paths: Record<string, Record<string, DescribedOperation>>;
  webhooks: Record<string, MessageObject>;
  /** The codes of errors by what UPLOADS can switch off; the others as `always`. */
  errorCodes: Record<UploadPart | "always", ErrorCode[]>;
  components: {
    schemas: Record<string, JsonSchema>;
    headers: object;
    securitySchemes: object;
  };
}

/** Returns the description of endpoints, as JSON. Leaves out the samples of schemas: operations have examples. */
export function writeDescription(entries: Record<string, Entry>): string {
  return JSON.stringify(describeApi(entries), (name, value) => name === "sample" ? undefined : value);
}

/** Describes endpoints. @param entries by method and path, such as `GET /api/users/{id}`. */
export function describeApi(entries: Record<string, Entry>): ApiDescription {
  const documented = inOrder(Object.entries(entries).filter(([, { isUndocumented }]) => !isUndocumented))
    .map(withoutFile);
  const converter = createSchemaConverter(
    documented.flatMap(([, { query, body, form, returns }]) =>
      [query, body, form, ...Object.values(returns)].filter((schema): schema is z.ZodType => !!schema)
    ).concat(WEBHOOK_BODIES),
  );
  const paths: ApiDescription["paths"] = {};
  for (const [key, entry] of documented) {
    const { method, path } = methodAndPath(key);
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = describeOperation(key, entry, { tag: sectionOf(path), converter });
  }
  return {
    paths,
    webhooks: describeMessages({ tag: "Webhooks", converter }),
    errorCodes: {
      always: codesOf(entries, undefined),
      photos: codesOf(entries, "photos"),
      files: codesOf(entries, "files"),
    },
    components: { schemas: converter.named, headers: headerObjects(), securitySchemes: SECURITY_SCHEMES },
  };
}

function codesOf(entries: Record<string, Entry>, part: UploadPart | undefined): ErrorCode[] {
  const own = Object.entries(entries).filter(([, { uploads }]) => uploads === part);
  return [...new Set(own.flatMap(([key, entry]) => errorCodesOf(key, entry)))];
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
