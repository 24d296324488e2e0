import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import { z } from "zod";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { type Config, readSettings } from "../lib/config/config.ts";
import { BUILT_IN_TAGS } from "../lib/texts/languages.ts";
import { type ApiDocument, publishedDocument } from "../lib/api/document.ts";
import { exampleOf } from "../lib/api/example.ts";
import { type Entry, errorCodesOf } from "../lib/api/entry.ts";
import { EVENT_KINDS } from "../lib/activity/kinds.ts";
import type { JsonSchema } from "../lib/api/schemas.ts";
import { describedApi, DOCUMENTED, ENTRIES, exampleBody, exampleResponse } from "./support/api/entries.ts";
import { runTool } from "./support/api/generated_clients.ts";
import { handlersUnder } from "./support/api/route_handlers.ts";

const config: Config = { ...readSettings({ BASE_URL: "https://foyer.example" }), appSecret: "x".repeat(32) };
const { document, text } = await publishedDocument({ config, describedApi });

Deno.test("every method of every route under /api, /auth and /files has an entry, and the build collects every entry", async () => {
  const handlers = await handlersUnder("routes");
  const required = handlers.filter(({ file }) => /^routes\/(api|auth|files)\//.test(file));
  deepStrictEqual(required.filter(({ entry }) => entry === undefined).map(({ key }) => key), []);
  const keys = handlers.filter(({ entry }) => entry !== undefined).map(({ key }) => key);
  deepStrictEqual(keys.sort(), Object.keys(ENTRIES).sort());
});

Deno.test("the API document is valid and has no flaws", async () => {
  // A sign-in at a provider consists of redirects.
  const rules = { "operation-2xx-response": "off" } as const;
  const linting = await createConfig({ extends: ["recommended"], rules });
  const problems = await lintFromString({ source: text, config: linting });
  deepStrictEqual(problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`), []);
});

Deno.test("the document names the languages that a profile may have", () => {
  const { language } = document.paths["/api/profile"].put.requestBody!.content["application/json"].schema.properties!;
  const { description } = language as JsonSchema;
  for (const tag of BUILT_IN_TAGS) ok(description!.includes(`\`${tag}\``), tag);
});

Deno.test("the document describes what webhooks get, with the details of every kind of event", () => {
  deepStrictEqual(Object.keys(document.webhooks), [...EVENT_KINDS, "webhook.test"]);
  const { schema } = document.webhooks["session.started"].post.requestBody.content["application/json"];
  const { details } = (schema.properties!.data as JsonSchema).properties as Record<string, JsonSchema>;
  deepStrictEqual(Object.keys(details.properties!), ["token", "method", "provider", "newDevice", "trustedDevice"]);
  deepStrictEqual(details.required, ["method", "newDevice"]);
});

Deno.test("every example meets the rules of its schema", () => {
  const wrong = DOCUMENTED.flatMap((key) => {
    const { body, form, file, returns } = ENTRIES[key];
    const request = file === undefined ? body ?? form : undefined;
    const responses = Object.entries(returns).filter(([status]) => status < "400").map(([status, schema]) => ({
      schema,
      example: exampleResponse(key, status),
    }));
    return [{ schema: request, example: exampleBody(key) }, ...responses].flatMap(({ schema, example }) => {
      const { error } = schema?.safeParse(example) ?? {};
      return error === undefined ? [] : [`${key}: ${z.prettifyError(error)}`];
    });
  });
  deepStrictEqual(wrong, []);
});

Deno.test("a schema without an example is named", () => {
  const schema = { type: "object", properties: { pronouns: { type: "string" } } } as const;
  throws(() => exampleOf(schema, {}, "Profile"), /no example of Profile\.pronouns/);
});

Deno.test("the document has no flaws for Spectral either", async () => {
  strictEqual(await runTool(["spectral"], text), "");
});

Deno.test("every operation id consists of a verb and what it acts on", () => {
  const ids = Object.values(ENTRIES).map(({ operationId }) => operationId);
  deepStrictEqual(ids.filter((id) => !VERBS.test(id)), []);
  strictEqual(new Set(ids).size, ids.length);
});

Deno.test("every id is a UUID, except those of passkeys in browsers and of apps", () => {
  const texts = schemasIn(document).filter(({ schema: { type } }) => type !== "integer");
  const ids = texts.filter(({ place }) => /\/(id|[a-z]\w*Id)$/.test(place));
  const others = ids.filter(({ schema: { format, anyOf } }) => format !== "uuid" && anyOf?.[0].format !== "uuid");
  deepStrictEqual(
    others.filter(({ place }) => !/\/(credential\/properties\/(rawI|i)d|credentialId|clientId)$/.test(place)),
    [],
  );
  ok(ids.length > 40, `only ${ids.length} ids were found`);
});

Deno.test("every pattern means the same without flags, and looks neither ahead nor back", () => {
  const texts = fc.sample(fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.webUrl()), { numRuns: 500, seed: 1 });
  const patterns = schemasIn(document).flatMap(({ place, schema: { pattern } }) => pattern ? [{ place, pattern }] : []);
  const odd = patterns.filter(({ pattern }) => {
    const [plain, unicode] = [new RegExp(pattern), new RegExp(pattern, "u")];
    return /\(\?(?!:)|\\[pPuk]/.test(pattern) || texts.some((text) => plain.test(text) !== unicode.test(text));
  });
  deepStrictEqual(odd, []);
  for (const path of ["/auth/login", "/api/tokens"]) {
    ok(!JSON.stringify(bodyOf(document, path, "post")).includes('"pattern"'), path);
  }
});

Deno.test("errors are named ApiError, and files are binary", () => {
  ok("ApiError" in document.components.schemas);
  strictEqual(bodyOf(document, "/api/upload/image", "post").properties.file.format, "binary");
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
  strictEqual(publishedDocument({ config, describedApi }), publishedDocument({ config, describedApi }));
});

const VERBS = new RegExp(
  "^(register|verify|resend|send|logIn|logOut|start|complete|reset|reauthenticate|confirm|undo|add|remove|replace|" +
    "get|list|rename|update|invite|close|restore|export|change|end|link|unlink|create|delete|check|upload|presign|" +
    "download|suspend|unsuspend|extend|retry|revoke|open|save|set)([A-Z][a-z]+)*$",
);

/** Returns all schemas and parameters of a document, at any depth, with their places. */
function schemasIn(value: unknown, place = ""): { place: string; schema: Rules }[] {
  if (!(value instanceof Object) || place.endsWith("/example")) return [];
  const { name, schema } = value as { name?: unknown; schema?: Rules };
  const parameter = typeof name === "string" && schema ? [{ place: `${place}/${name}`, schema }] : [];
  const own = "type" in value || "anyOf" in value || "$ref" in value ? [{ place, schema: value as Rules }] : [];
  const inner = Object.entries(value).flatMap(([key, each]) => schemasIn(each, `${place}/${key}`));
  return [...own, ...parameter, ...inner];
}

interface Rules {
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Rules[];
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
  const { type, format, pattern, maxLength, ...rules } = schema as Rules;
  const isFixed = rules.enum !== undefined || rules.const !== undefined;
  const isOpen = [type].flat().includes("string") && !pattern && !maxLength && format !== "binary" && !isFixed;
  const inner = Object.entries(schema).flatMap(([name, value]) => openStrings(value, `${place}/${name}`));
  return isOpen ? [place, ...inner] : inner;
}

Deno.test("any request but a read may have a body, so it has the errors of one", () => {
  const entry: Entry = { operationId: "", summary: "", caller: "session", whileClosing: "refused", returns: {} };
  ok(errorCodesOf("POST /auth/logout", entry).includes("VALIDATION_FAILED"));
  ok(!errorCodesOf("GET /api/health", entry).includes("VALIDATION_FAILED"));
});
