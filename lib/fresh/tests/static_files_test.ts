import { App, staticFiles } from "fresh";
import { Builder } from "fresh/dev";
import { asset } from "fresh/runtime";
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { answer, send } from "./request.ts";

const STYLE = await Deno.readTextFile(`${import.meta.dirname}/fixture/static/style.css`);
const apply = await new Builder({ root: `${import.meta.dirname}/fixture` }).build({ snapshot: "memory" });

function newApp(mode: "production" | "development" = "production", basePath = ""): App<unknown> {
  const app = new App({ mode, basePath }).use(staticFiles()).get("/style.css", () => new Response("route"));
  apply(app);
  return app;
}

const app = newApp();
const NO_STORE = "no-cache, no-store, max-age=0, must-revalidate";

Deno.test("a file takes precedence over routes and is not cached without a version", async () => {
  const response = await send(app, "GET /style.css");
  strictEqual(response.status, 200);
  strictEqual(response.headers.get("content-type"), "text/css; charset=UTF-8");
  strictEqual(response.headers.get("cache-control"), NO_STORE);
  strictEqual(response.headers.get("content-length"), String(STYLE.length));
  strictEqual(response.headers.get("vary"), "If-None-Match");
  strictEqual(await response.text(), STYLE);
});

Deno.test("a versioned path is cached for a year", async () => {
  const response = await send(app, `GET ${asset("/style.css")}`);
  strictEqual(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
  await response.body?.cancel();
});

Deno.test("a path with the version of another build redirects to the path without one", async () => {
  const response = await send(app, "GET /style.css?a=1&__frsh_c=old");
  strictEqual(response.status, 307);
  strictEqual(response.headers.get("location"), "/style.css?a=1");
});

Deno.test("HEAD returns the headers of GET", async () => {
  const response = await send(app, "HEAD /style.css");
  deepStrictEqual([response.status, response.body], [200, null]);
  strictEqual(response.headers.get("content-length"), String(STYLE.length));
  const get = await send(app, "GET /style.css");
  await get.body?.cancel();
  deepStrictEqual([...response.headers], [...get.headers]);
});

for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
  Deno.test(`${method} on a file returns 405`, async () => {
    const response = await send(app, `${method} /style.css`);
    deepStrictEqual([response.status, await response.text()], [405, "Method Not Allowed"]);
  });
}

Deno.test("files with special characters in their names are served", async () => {
  for (const path of ["/nested/a%20b,c.txt", "/nested/a%20b%2Cc.txt", "/nested//a%20b,c.txt"]) {
    const response = await send(app, `GET ${path}`);
    deepStrictEqual([response.status, await response.text()], [200, "a"]);
  }
});

const MISSING = [
  "/",
  "/nested",
  "/nope.css",
  "/..%2fmain.ts",
  "/%2e%2e/main.ts",
  "/nested/..%2f..%2fmain.ts",
  "/nested/..%5c..%5cmain.ts",
  "/%00",
  "/%E0%A4%A",
  "/style.css%00",
];

for (const path of MISSING) {
  Deno.test(`${path} is not a file`, async () => {
    strictEqual((await send(app, `GET ${path}`)).status, 404);
  });
}

Deno.test("a missing favicon returns an empty 404, not a page", async () => {
  const bare = new App().use(staticFiles()).notFound(() => new Response("a page"));
  strictEqual(await answer(bare, "GET /favicon.ico"), "404 ");
  strictEqual(await answer(bare, "GET /other.ico"), "200 a page");
});

Deno.test("files are served below the base path", async () => {
  const based = newApp("production", "/base");
  const response = await send(based, "GET /base/logo.svg");
  deepStrictEqual([response.status, response.headers.get("content-type")], [200, "image/svg+xml"]);
  await response.body?.cancel();
});

Deno.test("development disables caching and ETags", async () => {
  const response = await send(newApp("development"), `GET ${asset("/style.css")}`);
  strictEqual(response.headers.get("cache-control"), NO_STORE);
  strictEqual(response.headers.get("etag"), null);
  await response.body?.cancel();
});
