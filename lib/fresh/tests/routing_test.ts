import { App } from "fresh";
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { send } from "./request.ts";

type Case = [pattern: string, path: string, params: Record<string, string> | null];

const CASES: Case[] = [
  ["/a", "/a", {}],
  ["/a", "/a/", {}],
  ["/a", "/a/b", null],
  ["/:id", "/7", { id: "7" }],
  ["/:id", "/", null],
  ["/:id", "/7/", null],
  ["/:id", "/7/8", null],
  ["/:id", "/a%20b", { id: "a b" }],
  ["/:id", "/a%2Fb", { id: "a%2Fb" }],
  ["/:id", "/%C3%A4", { id: "ä" }],
  ["/:id", "/%252e", { id: "%2e" }],
  ["/:id", "/constructor", { id: "constructor" }],
  ["/a/:id/b", "/a/7/b", { id: "7" }],
  ["/a/:id/b", "/a//b", null],
  ["/:from-:to", "/x-y", { from: "x", to: "y" }],
  ["/:name.json", "/x.json", { name: "x" }],
  ["/:name.json", "/xyjson", null],
  ["/:rest*", "/", null],
  ["/:rest*", "/a/b/c", { rest: "a/b/c" }],
  ["/a/:rest*", "/a", { rest: "" }],
  ["/a/:rest*", "/a/b/c", { rest: "b/c" }],
  ["/a/:rest*", "/ab", null],
  ["/a/:rest+", "/a", null],
  ["/a/:rest+", "/a/b/c", { rest: "b/c" }],
  ["/a{/:id}?", "/a", { id: "" }],
  ["/a{/:id}?", "/a/7", { id: "7" }],
  ["/a{/:id}?", "/a/7/8", null],
  ["/a{/:id}?/b", "/a/b", { id: "" }],
  ["/a{/:id}?/b", "/a/7/b", { id: "7" }],
  ["/:id?", "/", null],
  ["/a/:id?", "/a", { id: "" }],
  ["/*", "/a/b", { 0: "a/b" }],
  ["/a/*", "/a/b/c", { 0: "b/c" }],
  ["/a/*/c", "/a/b/c", { 0: "b" }],
  ["*", "/any/thing", { 0: "any/thing" }],
  ["/:id(\\d+)", "/42", { id: "42" }],
  ["/:id(\\d+)", "/x", null],
  ["/a.b", "/axb", null],
  ["/a$", "/a$", {}],
];

for (const [pattern, path, params] of CASES) {
  Deno.test(`${pattern} ${params ? "matches" : "does not match"} ${path}`, async () => {
    const app = new App().get(pattern, (ctx) => Response.json(ctx.params));
    const response = await send(app, `GET ${path}`);
    strictEqual(response.status, params ? 200 : 404);
    const body = await response.text();
    if (params) deepStrictEqual(JSON.parse(body), params);
  });
}

Deno.test("a fixed path takes precedence over a pattern registered earlier", async () => {
  const app = new App()
    .get("/:id", () => new Response("pattern"))
    .get("/me", () => new Response("fixed"));
  strictEqual(await (await send(app, "GET /me")).text(), "fixed");
  strictEqual(await (await send(app, "GET /you")).text(), "pattern");
});

Deno.test("patterns are tried in the order of their registration", async () => {
  const app = new App()
    .get("/:a", () => new Response("first"))
    .get("/:b", () => new Response("second"));
  strictEqual(await (await send(app, "GET /x")).text(), "first");
});

Deno.test("ctx.route is the matched pattern", async () => {
  const app = new App().use((ctx) => new Response(ctx.route)).get("/a", () => new Response())
    .get("/b/:id", () => new Response());
  strictEqual(await (await send(app, "GET /a")).text(), "/a");
  strictEqual(await (await send(app, "GET /b/1")).text(), "/b/:id");
  strictEqual(await (await send(app, "GET /c")).text(), "");
});
