import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { type Config, readSettings } from "../lib/config/config.ts";
import { OPERATIONS } from "../lib/api/all_operations.ts";
import { TOKEN_ROUTES } from "../lib/web/authentication/token_routes.ts";
import { type ApiDocument, publishedDocument } from "../lib/api/document.ts";
import { errorCodesOf, type Operation } from "../lib/api/operation.ts";

const config: Config = { ...readSettings({ BASE_URL: "https://foyer.example" }), appSecret: "x".repeat(32) };
const { document, text } = publishedDocument(config, TOKEN_ROUTES);

Deno.test("the API document has an entry for every method of every route under /api and /auth, and no other", async () => {
  const routes = [...await methodsUnder("routes/api"), ...await methodsUnder("routes/auth")];
  deepStrictEqual(Object.keys(OPERATIONS).sort(), routes.sort());
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
  strictEqual(publishedDocument(config, TOKEN_ROUTES), publishedDocument(config, TOKEN_ROUTES));
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

/** The methods that the route files in a folder handle, such as `GET /api/users/{id}`. */
async function methodsUnder(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(new URL(`../${folder}`, import.meta.url)));
  const found = await Promise.all(
    entries.filter(({ name }) => !name.startsWith("_")).map(async (entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory) return await methodsUnder(path);
      const source = await Deno.readTextFile(new URL(`../${path}`, import.meta.url));
      const url = path.replaceAll(/^routes|\.tsx?$|\/index(?=\.)/g, "").replaceAll(/\[(\w+)\]/g, "{$1}");
      const methods = source.matchAll(/^ {2}(?:async )?(GET|POST|PUT|PATCH|DELETE)\b/gm);
      return [...methods].map(([, method]) => `${method} ${url}`);
    }),
  );
  return found.flat();
}

Deno.test("any request but a read may have a body, so it has the errors of one", () => {
  const operation: Operation = { summary: "", access: "session", returns: {} };
  ok(errorCodesOf("POST /auth/logout", operation, "session").includes("VALIDATION_FAILED"));
  ok(!errorCodesOf("GET /api/health", operation, "session").includes("VALIDATION_FAILED"));
});
