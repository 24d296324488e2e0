import { createHash } from "node:crypto";
import { eventKindsIn, TEST_KIND } from "../activity/kinds.ts";
import type { Config } from "../config/config.ts";
import { hasUploads, UPLOAD_PARTS } from "../config/uploads_setting.ts";
import type { ErrorCode } from "../errors/errors.ts";
import type { Services } from "../services/services.ts";
import { VERSION } from "../version.ts";
import type { ApiDescription } from "./description.ts";
import { leaveOut } from "./left_out.ts";
import type { DescribedOperation, OperationObject } from "./operation_object.ts";
import { SECTIONS } from "./sections.ts";

/** An OpenAPI document, as far as we read it ourselves. */
export interface ApiDocument extends Omit<ApiDescription, "paths" | "errorCodes"> {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OperationObject>>;
}

/** The document, and the form in which it is sent. */
export interface PublishedDocument {
  document: ApiDocument;
  text: string;
  etag: string;
  /** The error codes of what UPLOADS switches off, which nothing else returns. */
  codesLeftOut: ReadonlySet<ErrorCode>;
}

const published = new WeakMap<Config, Promise<PublishedDocument>>();

/** Returns the API document. Makes it at the first call from what the build has collected. Source: OpenAPI 3.1. */
export function publishedDocument(
  { config, describedApi }: Pick<Services, "config" | "describedApi">,
): Promise<PublishedDocument> {
  const known = published.get(config);
  if (known !== undefined) return known;
  const made = describedApi().then((text) => publish(JSON.parse(text), config));
  published.set(config, made);
  return made;
}

function publish(description: ApiDescription, config: Config): PublishedDocument {
  const isOn = ({ uploads }: DescribedOperation) => uploads === undefined || hasUploads(config, uploads);
  const on = Object.values(description.paths).flatMap((methods) => Object.values(methods)).filter(isOn);
  const paths = Object.entries(description.paths).map(([path, methods]): [string, Record<string, OperationObject>] => [
    path,
    Object.fromEntries(
      Object.entries(methods).filter(([, operation]) => isOn(operation))
        .map(([method, operation]) => [method, publishOperation(operation, config)]),
    ),
  ]);
  const document = withoutUnused(leaveOut({
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
    tags: SECTIONS.filter(({ name }) => on.some(({ tags }) => tags.includes(name)))
      .map(({ name, description }) => ({ name, description })),
    paths: Object.fromEntries(paths.filter(([, methods]) => Object.keys(methods).length > 0)),
    webhooks: Object.fromEntries(
      [...eventKindsIn(config), TEST_KIND].map((kind) => [kind, description.webhooks[kind]]),
    ),
    components: description.components,
  }, config));
  const text = JSON.stringify(document);
  return {
    document,
    text,
    etag: `"${createHash("sha256").update(text).digest("base64url")}"`,
    codesLeftOut: codesLeftOut(description, config),
  };
}

function codesLeftOut({ errorCodes: { always, ...parts } }: ApiDescription, config: Config): Set<ErrorCode> {
  const codesOf = (isWanted: boolean) =>
    UPLOAD_PARTS.filter((part) => hasUploads(config, part) === isWanted).flatMap((part) => parts[part]);
  return new Set(codesOf(false)).difference(new Set([...always, ...codesOf(true)]));
}

/** Adds what depends on the settings. */
function publishOperation(
  { limit: policy, uploads: _, ...operation }: DescribedOperation,
  { limits }: Config,
): OperationObject {
  const quota = policy && limits[policy];
  if (!policy || !quota) return operation;
  return { ...operation, "x-limit": { policy, requests: quota.quota, seconds: quota.windowSeconds } };
}

/** Leaves out the schemas to which nothing refers any longer. */
function withoutUnused(document: ApiDocument): ApiDocument {
  const { schemas } = document.components;
  const text = JSON.stringify(document);
  const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
  for (const name of unused) delete schemas[name];
  return document;
}
