import { App } from "fresh";
import { Builder } from "fresh/dev";
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { appOf, makeProjectDir } from "./project.ts";
import { answer, send } from "./request.ts";

const FILES = [
  "index.ts",
  "about.ts",
  "blog/index.ts",
  "blog/new.ts",
  "blog/[slug].ts",
  "blog/[slug]/edit.ts",
  "blog/[...rest].ts",
  "users/[id]@[host].ts",
  "shop/[[page]].ts",
  "(team)/people.ts",
  "(team)/(inner)/deep.ts",
  "(team)/lead/[name].ts",
  "files/[...path].ts",
  "docs/[lang]/index.ts",
  "docs/[lang]/[topic]/[...more].ts",
  "[any].ts",
  "(_private)/hidden.ts",
  "a/(_components)/part.ts",
  "some_test.ts",
];

const ROUTES: [path: string, file: string | null, params?: Record<string, string>][] = [
  ["/", "index.ts"],
  ["/about", "about.ts"],
  ["/about/", "about.ts"],
  ["/blog", "blog/index.ts"],
  ["/blog/", "blog/index.ts"],
  ["/blog/new", "blog/new.ts"],
  ["/blog/first", "blog/[slug].ts", { slug: "first" }],
  ["/blog/first/edit", "blog/[slug]/edit.ts", { slug: "first" }],
  ["/blog/first/more/x", "blog/[...rest].ts", { rest: "first/more/x" }],
  ["/users/me@here", "users/[id]@[host].ts", { id: "me", host: "here" }],
  ["/shop", "shop/[[page]].ts", { page: "" }],
  ["/shop/2", "shop/[[page]].ts", { page: "2" }],
  ["/shop/2/3", null],
  ["/people", "(team)/people.ts"],
  ["/deep", "(team)/(inner)/deep.ts"],
  ["/lead/Ann%20B", "(team)/lead/[name].ts", { name: "Ann B" }],
  ["/files", "files/[...path].ts", { path: "" }],
  ["/files/a/b.txt", "files/[...path].ts", { path: "a/b.txt" }],
  ["/docs/en", "docs/[lang]/index.ts", { lang: "en" }],
  ["/docs/en/x", "docs/[lang]/[topic]/[...more].ts", { lang: "en", topic: "x", more: "" }],
  ["/docs/en/x/y/z", "docs/[lang]/[topic]/[...more].ts", { lang: "en", topic: "x", more: "y/z" }],
  ["/whatever", "[any].ts", { any: "whatever" }],
  ["/a/part", null],
  ["/a/b", null],
];

Deno.test("file names determine URLs and precedence", async (t) => {
  const app = await appOf(Object.fromEntries(FILES.map((file) => [`routes/${file}`, ""])));
  for (const [path, file, params = {}] of ROUTES) {
    await t.step(`${path} matches ${file ?? "nothing"}`, async () => {
      const response = await send(app, `GET ${path}`);
      const body = await response.text();
      strictEqual(response.status, file ? 200 : 404);
      if (file) deepStrictEqual(JSON.parse(body).slice(0, 2), [`routes/${file}`, params]);
    });
  }
  await t.step("ignored files are not routes", async () => {
    for (const path of ["/hidden", "/some_test"]) {
      deepStrictEqual((await (await send(app, `GET ${path}`)).json())[0], "routes/[any].ts");
    }
  });
});

Deno.test("a route exports handler or handlers, by method or as one function", async () => {
  const app = await appOf({
    "routes/verbs.ts": `export const handler = { GET: () => new Response("get"), POST: () => new Response("post") };`,
    "routes/plural.ts": `export const handlers = { PUT: () => new Response("put") };`,
    "routes/all.ts": `export const handler = (ctx) => new Response(ctx.req.method);`,
  });
  strictEqual(await answer(app, "GET /verbs"), "200 get");
  strictEqual(await answer(app, "HEAD /verbs"), "200 ");
  strictEqual(await answer(app, "POST /verbs"), "200 post");
  strictEqual(await answer(app, "PUT /plural"), "200 put");
  strictEqual(await answer(app, "DELETE /all"), "200 DELETE");
});

Deno.test("an unhandled method returns 404 on a file route, and 405 with a routeOverride", async () => {
  const app = await appOf({
    "routes/lazy.ts": `export const handler = { GET: () => new Response("get") };`,
    "routes/eager.ts": `export const config = { routeOverride: "/over/:id" };
      export const handler = { GET: (ctx) => new Response(ctx.params.id) };`,
  });
  strictEqual(await answer(app, "POST /lazy"), "404 Not Found");
  strictEqual(await answer(app, "OPTIONS /lazy"), "404 Not Found");
  strictEqual(await answer(app, "GET /over/7"), "200 7");
  strictEqual(await answer(app, "GET /eager"), "404 Not Found");
  strictEqual(await answer(app, "POST /over/7"), "405 Method Not Allowed");
});

Deno.test("middlewares see an unhandled method of a file route as a thrown 404", async () => {
  const app = await appOf({
    "routes/_middleware.ts": `export default async (ctx) => {
      try { return await ctx.next(); } catch (error) { return new Response("caught " + error.status + " " + ctx.route); }
    };`,
    "routes/a.ts": `export const handler = { GET: () => new Response("get") };`,
  });
  strictEqual(await answer(app, "POST /a"), "200 caught 404 /a");
  strictEqual(await answer(app, "GET /nope"), "200 caught 404 null");
});

Deno.test("middlewares apply to their folder, including route groups", async () => {
  const mark = (name: string) =>
    `async (ctx) => { const r = await ctx.next(); r.headers.append("x-mark", "${name}"); return r; }`;
  const app = await appOf({
    "routes/_middleware.ts": `export default ${mark("root")};`,
    "routes/admin/_middleware.ts": `export default ${mark("admin")};`,
    "routes/admin/index.ts": "",
    "routes/admin/[id].ts": "",
    "routes/(group)/_middleware.ts": `export const handler = [${mark("one")}, ${mark("two")}];`,
    "routes/(group)/inside.ts": "",
    "routes/outside.ts": "",
    "routes/admin.ts": "",
  });
  const marks = async (path: string) => (await send(app, `GET ${path}`)).headers.get("x-mark");
  strictEqual(await marks("/admin/7"), "admin, root");
  strictEqual(await marks("/inside"), "two, one, root");
  strictEqual(await marks("/outside"), "root");
});

Deno.test("_error renders errors thrown below it, with the status of an HttpError", async () => {
  const app = await appOf({
    "routes/_error.tsx": `export default ({ error }) => <p>root {error ? error.message : "no error"}</p>;`,
    "routes/a/_error.tsx": `export default ({ error, url }) => <p>a {error.message} {url.pathname}</p>;`,
    "routes/a/plain.ts": `export const handler = () => { throw new Error("plain"); };`,
    "routes/http.ts":
      `import { HttpError } from "fresh"; export const handler = () => { throw new HttpError(418, "tea"); };`,
    "routes/page.tsx": `export default () => { throw new Error("page"); };`,
  });
  match(await answer(app, "GET /a/plain"), /^500 .*<p>a plain \/a\/plain<\/p>/);
  match(await answer(app, "GET /http"), /^418 .*<p>root tea<\/p>/);
  match(await answer(app, "GET /page"), /^500 .*<p>root page<\/p>/);
  // As in Fresh, error is null if no route and no middleware handled the request.
  match(await answer(app, "GET /nope"), /^404 .*<p>root no error<\/p>/);
});

Deno.test("_404 takes precedence over _error for 404, and _500 is an alias of _error", async () => {
  const app = await appOf({
    "routes/_404.tsx": `export default () => <p>none</p>;`,
    "routes/_500.tsx": `export default () => <p>broken</p>;`,
    "routes/a.ts": `export const handler = () => { throw new Error("x"); };`,
  });
  match(await answer(app, "GET /nope"), /<p>none<\/p>/);
  match(await answer(app, "GET /a"), /^500 .*<p>broken<\/p>/);
});

Deno.test("_app and _layout wrap pages, unless a page or a layout skips them", async () => {
  const box = (name: string) => `export default ({ Component }) => <div class="${name}"><Component /></div>;`;
  const page = "export default () => <p />;";
  const app = await appOf({
    "routes/_app.tsx": box("app"),
    "routes/_layout.tsx": box("root"),
    "routes/index.tsx": page,
    "routes/a/_layout.tsx": box("a"),
    "routes/a/index.tsx": page,
    "routes/a/b.tsx": page,
    "routes/a/bare.tsx": `export const config = { skipAppWrapper: true, skipInheritedLayouts: true }; ${page}`,
    "routes/(group)/_layout.tsx": `export const config = { skipInheritedLayouts: true }; ${box("group")}`,
    "routes/(group)/c.tsx": page,
  });
  const wrap = (...names: string[]) =>
    names.reduceRight((inner, name) => `<div class="${name}">${inner}</div>`, "<p></p>");
  for (
    const [path, body] of [
      ["/", wrap("app", "root")],
      ["/a", wrap("app", "root", "a")],
      ["/a/b", wrap("app", "root", "a")],
      ["/a/bare", wrap()],
      ["/c", wrap("app", "group")],
    ]
  ) {
    const html = await (await send(app, `GET ${path}`)).text();
    ok(html.includes(`<body>${body}</body>`), html);
  }
});

Deno.test("fsRoutes can be mounted below a path", async () => {
  const root = await makeProjectDir();
  await Deno.mkdir(`${root}/routes`);
  await Deno.writeTextFile(`${root}/routes/a.ts`, `export const handler = () => new Response("a");`);
  const apply = await new Builder({ root }).build({ snapshot: "memory" });
  const app = new App().fsRoutes("/below");
  apply(app);
  strictEqual(await answer(app, "GET /below/a"), "200 a");
  strictEqual(await answer(app, "GET /a"), "404 Not Found");
});

const INVALID = ["[id][other].ts", "a-[[id]].ts", "[[id]]-a.ts", "id].ts"];

for (const file of INVALID) {
  Deno.test(`a file named ${file} is rejected`, async () => {
    await rejects(appOf({ [`routes/${file}`]: "" }), SyntaxError);
  });
}

Deno.test("a request to a route without usable exports causes 500", async () => {
  const app = await appOf({ "routes/a.ts": `export const other = 1;` });
  const { error: log } = console;
  console.error = () => {};
  strictEqual(await answer(app, "GET /a"), "500 Internal server error");
  console.error = log;
});
