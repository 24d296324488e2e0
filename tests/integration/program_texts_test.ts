import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { documentsIn } from "../support/source/documents.ts";

const app = await openSharedTestApp();
const guest = app.client();
const { baseUrl } = app.services.config;
const LINK = /\]\(([^)]+)\)/g;

Deno.test("every document is Markdown below /docs/", async () => {
  for (const name of await documentsIn("docs")) {
    const response = await guest.get(`/${name}`);
    strictEqual(response.status, 200, name);
    strictEqual(response.headers.get("Content-Type"), "text/markdown; charset=utf-8");
    const text = await response.text();
    match(text, /^# /, name);
    ok(!/localhost:8000\b/.test(text.replaceAll(/one\.localhost:8000/g, "")), `${name} names another address`);
  }
});

Deno.test("links of a document that is served lead to documents that are served", async () => {
  const wrong: string[] = [];
  for (const name of await documentsIn("docs")) {
    const text = await (await guest.get(`/${name}`)).text();
    for (const [, target] of text.matchAll(LINK)) {
      const { origin, pathname } = new URL(target, `${baseUrl}/${name}`);
      if (origin === baseUrl && (await guest.get(pathname)).status !== 200) wrong.push(`${name}: ${target}`);
    }
  }
  deepStrictEqual(wrong, []);
});

Deno.test("below /docs/ there is nothing but documents", async () => {
  for (
    const path of [
      "nginx.conf",
      "foyer.service",
      "missing.md",
      "connect",
      "connect/",
      "..%2FREADME.md",
      "..%2f..%2fetc%2fpasswd",
      "connect/..%2F..%2FREADME.md",
      "%2Fetc%2Fpasswd",
      "__proto__",
    ]
  ) {
    strictEqual((await guest.get(`/docs/${path}`)).status, 404, path);
  }
});

Deno.test("/llms.txt says how to integrate in five lines, and links to documents with a sentence each", async () => {
  const response = await guest.get("/llms.txt");
  strictEqual(response.headers.get("Content-Type"), "text/plain; charset=utf-8");
  const text = await response.text();
  match(text, /^# Foyer\n\n> /);
  const [, steps] = text.match(/## How to integrate\n\n([\s\S]*?)\n\n/)!;
  deepStrictEqual(steps.split("\n").map((line) => line.slice(0, 3)), ["1. ", "2. ", "3. ", "4. ", "5. "]);
  const entries = text.split("\n").filter((line) => line.startsWith("- "));
  ok(entries.length > 20, `only ${entries.length} entries`);
  for (const entry of entries) {
    const [, address] = entry.match(/^- \[[^\]]+\]\(([^)]+)\): \S.*\.$/) ?? [];
    ok(address?.startsWith(`${baseUrl}/docs/`), entry);
    strictEqual((await guest.get(new URL(address).pathname)).status, 200, entry);
  }
});

Deno.test("a program that has a text already does not get it again", async () => {
  for (const path of ["/llms.txt", "/docs/api.md"]) {
    const { headers } = await guest.get(path);
    strictEqual(headers.get("Cache-Control"), "public, max-age=3600");
    const again = await guest.request(path, { headers: { "If-None-Match": headers.get("ETag")! } });
    strictEqual(again.status, 304, path);
  }
});
