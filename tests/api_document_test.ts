import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { type Config, readSettings } from "../lib/config/config.ts";
import { ENTRIES } from "../lib/api/all_entries.ts";
import { type ApiDocument, publishedDocument } from "../lib/api/document.ts";
import { type Entry, errorCodesOf } from "../lib/api/entry.ts";
import { handlersUnder } from "./support/api/route_handlers.ts";

const config: Config = { ...readSettings({ BASE_URL: "https://foyer.example" }), appSecret: "x".repeat(32) };
const { document, text } = publishedDocument(config);

Deno.test("every method of every route under /api, /auth and /files obeys its own entry, and every entry has a route", async () => {
  const folders = ["routes/api", "routes/auth", "routes/files"];
  const handlers = (await Promise.all(folders.map(handlersUnder))).flat();
  deepStrictEqual(handlers.filter(({ key, obeys }) => obeys !== key), []);
  deepStrictEqual(handlers.map(({ key }) => key).sort(), Object.keys(ENTRIES).sort());
});

Deno.test("the API document is valid and has no flaws", async () => {
  // A sign-in at a provider consists of redirects.
  const rules = { "operation-2xx-response": "off" } as const;
  const linting = await createConfig({ extends: ["recommended"], rules });
  const problems = await lintFromString({ source: text, config: linting });
  deepStrictEqual(problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`), []);
});

Deno.test("the published document does not forbid unknown properties, because new ones will be added", () => {
  ok(!text.includes('"additionalProperties":false'));
});

Deno.test("the API document shows the rules of the input", () => {
  const body = bodyOf(document, "/auth/register", "post");
  deepStrictEqual(body.required, ["name", "email", "password"]);
  const { name, email, password } = body.properties;
  deepStrictEqual([name.minLength, name.maxLength], [2, 100]);
  deepStrictEqual([email.format, email.maxLength], ["email", 254]);
  deepStrictEqual([password.minLength, password.maxLength], [8, 128]);
  const [limit] = document.paths["/api/users"].get.parameters;
  deepStrictEqual([limit.schema.type, limit.schema.minimum, limit.schema.maximum], ["integer", 1, 500]);
  const { size, contentType } = bodyOf(document, "/api/upload/presign", "post").properties;
  deepStrictEqual([size.type, size.minimum], ["integer", 1]);
  ok(contentType.pattern?.includes("/"));
});

Deno.test("every string that the body of a request may contain is bounded or follows a pattern", () => {
  deepStrictEqual(openStrings({ properties: { a: { items: { type: ["string", "null"] } } } }), ["/properties/a/items"]);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method }))
  );
  const open = operations.flatMap(({ path, method }) =>
    openStrings(bodyOf(document, path, method), `${method} ${path}: `)
  );
  deepStrictEqual(open, []);
});

Deno.test("the document is generated once for a configuration", () => {
  strictEqual(publishedDocument(config), publishedDocument(config));
});

interface Rules {
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  contentMediaType?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
}

function bodyOf({ paths }: ApiDocument, path: string, method: string) {
  const [media] = Object.values(paths[path][method].requestBody?.content ?? {});
  return media?.schema as unknown as { required: string[]; properties: Record<string, Rules> };
}

/** Returns where a schema allows any string, at any depth. */
function openStrings(schema: unknown, place = ""): string[] {
  if (!(schema instanceof Object)) return [];
  const { type, pattern, maxLength, contentMediaType, ...rules } = schema as Rules;
  const isFixed = rules.enum !== undefined || rules.const !== undefined;
  const isOpen = [type].flat().includes("string") && !pattern && !maxLength && !contentMediaType && !isFixed;
  const inner = Object.entries(schema).flatMap(([name, value]) => openStrings(value, `${place}/${name}`));
  return isOpen ? [place, ...inner] : inner;
}

Deno.test("any request but a read may have a body, so it has the errors of one", () => {
  const entry: Entry = { summary: "", caller: "session", whileClosing: "refused", returns: {} };
  ok(errorCodesOf("POST /auth/logout", entry).includes("VALIDATION_FAILED"));
  ok(!errorCodesOf("GET /api/health", entry).includes("VALIDATION_FAILED"));
});
