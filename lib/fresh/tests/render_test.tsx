import { App, createDefine, HttpError, page, type PageProps } from "fresh";
import { asset, assetSrcSet, Head, IS_BROWSER } from "fresh/runtime";
import { match, ok, strictEqual } from "node:assert/strict";
import type { AnyComponent } from "preact";
import { answer, send } from "./request.ts";

const define = createDefine<{ user?: string }>();

/** Returns the content of the page's body element. */
async function body<State>(app: App<State>, line: string): Promise<string> {
  const html = await (await send(app, line)).text();
  return /<body>(.*)<\/body>/s.exec(html)?.[1] ?? html;
}

function Wrapper({ Component, state }: PageProps<unknown, { user?: string }>) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>wrapper</title>
        <meta name="description" content="wrapper" />
      </head>
      <body>
        <b>{state.user}</b>
        <Component />
      </body>
    </html>
  );
}

const handler = define.handlers({
  GET(ctx) {
    ctx.state.user = "Ann";
    return page({ slug: ctx.params.slug }, { status: 201, headers: { "x-test": "1" } });
  },
  POST() {
    return page({ slug: "posted" });
  },
});

const Page = define.page<typeof handler>(({ data, state, params, route }) => (
  <p>
    {data.slug.toUpperCase()} {state.user?.length} {params.slug} {route}
  </p>
));

Deno.test("page() sets the data, status and headers of a page", async () => {
  // App.route() accepts pages with unknown data only. File routes are not affected.
  const component = Page as AnyComponent<PageProps<unknown, { user?: string }>>;
  const app = new App<{ user?: string }>().appWrapper(Wrapper).route("/:slug", { handler, component });
  const response = await send(app, "GET /abc");
  strictEqual(response.status, 201);
  strictEqual(response.headers.get("x-test"), "1");
  strictEqual(response.headers.get("content-type"), "text/html; charset=utf-8");
  const html = await response.text();
  ok(html.startsWith('<!DOCTYPE html><html lang="en"><head>'), html);
  ok(html.includes("<b>Ann</b><p>ABC 3 abc /:slug</p>"), html);
  match(await answer(app, "POST /x"), /^200 .*POSTED/);
});

Deno.test("a page without a handler is rendered with empty data", async () => {
  const app = new App().route("/", { component: ({ data }) => <p>{JSON.stringify(data)}</p> });
  strictEqual(await body(app, "GET /"), "<p>{}</p>");
});

Deno.test("a page whose handlers lack GET is rendered for GET", async () => {
  const app = new App().route("/", { component: () => <p>page</p>, handler: { POST: () => new Response("posted") } });
  strictEqual(await body(app, "GET /"), "<p>page</p>");
  strictEqual(await answer(app, "POST /"), "200 posted");
});

Deno.test("missing html, head and body elements are added", async () => {
  const app = new App().get("/", (ctx) => ctx.render(<p>bare</p>))
    .get("/body", (ctx) => ctx.render(<body class="a">x</body>))
    .get("/null", (ctx) => ctx.render(null));
  const start = '<!DOCTYPE html><html><head><meta charset="utf-8"/></head>';
  strictEqual(await answer(app, "GET /"), `200 ${start}<body><p>bare</p></body></html>`);
  strictEqual(await answer(app, "GET /body"), `200 ${start}<body class="a">x</body></html>`);
  strictEqual(await answer(app, "GET /null"), `200 ${start}<body></body></html>`);
});

Deno.test("text is escaped", async () => {
  const hostile = '"><script>&';
  const app = new App().get("/", (ctx) => ctx.render(<p title={hostile}>{hostile}</p>));
  const escaped = "&quot;>&lt;script>&amp;";
  strictEqual(await body(app, "GET /"), `<p title="${escaped}">${escaped}</p>`);
});

Deno.test("pages, layouts and wrappers can be async, and pages and layouts can return a response", async () => {
  const app = new App<{ user?: string }>()
    .appWrapper(async ({ Component }) => {
      await Promise.resolve();
      return (
        <body>
          app <Component />
        </body>
      );
    })
    .layout("/", async ({ Component, url }) => {
      await Promise.resolve();
      if (url.searchParams.has("stop")) return new Response("stopped");
      return (
        <div>
          layout <Component />
        </div>
      );
    })
    .route("/", {
      component: async ({ url }: PageProps) => {
        await Promise.resolve();
        return url.searchParams.has("teapot") ? new Response("tea", { status: 418 }) : <p>page</p>;
      },
    });
  strictEqual(await body(app, "GET /"), "app <div>layout <p>page</p></div>");
  strictEqual(await answer(app, "GET /?stop"), "200 stopped");
  strictEqual(await answer(app, "GET /?teapot"), "418 tea");
});

function box(name: string) {
  return ({ Component }: PageProps) => (
    <div class={name}>
      <Component />
    </div>
  );
}

Deno.test("layouts are nested, the outermost first", async () => {
  const app = new App().layout("/", box("root")).layout("/a", box("a"))
    .route("/a/b", { component: () => <p /> })
    .route("/c", { component: () => <p /> });
  strictEqual(await body(app, "GET /a/b"), '<div class="root"><div class="a"><p></p></div></div>');
  strictEqual(await body(app, "GET /c"), '<div class="root"><p></p></div>');
});

Deno.test("a page, a layout and render() can skip layouts and the wrapper", async () => {
  const app = new App().appWrapper(box("app")).layout("/", box("root"))
    .layout("/own", box("own"), { skipInheritedLayouts: true })
    .layout("/bare", box("bare"), { skipAppWrapper: true })
    .route("/own/a", { component: () => <p /> })
    .route("/bare/a", { component: () => <p /> })
    .route("/none", { component: () => <p />, config: { skipInheritedLayouts: true, skipAppWrapper: true } })
    .get("/render", (ctx) => ctx.render(<p />, {}, { skipInheritedLayouts: true }))
    .get("/all", (ctx) => ctx.render(<p />, { status: 202 }));
  strictEqual(await body(app, "GET /own/a"), '<div class="app"><div class="own"><p></p></div></div>');
  strictEqual(await body(app, "GET /bare/a"), '<div class="root"><div class="bare"><p></p></div></div>');
  strictEqual(await body(app, "GET /none"), "<p></p>");
  strictEqual(await body(app, "GET /render"), '<div class="app"><p></p></div>');
  strictEqual(await body(app, "GET /all"), '<div class="app"><div class="root"><p></p></div></div>');
});

Deno.test("an error page gets the layouts of the path that registered it, not those of the failed route", async () => {
  const app = new App().appWrapper(box("app")).layout("/", box("root"))
    .onError("*", { component: ({ error }) => <p>{(error as Error).message}</p> })
    .layout("/a", box("a"))
    .get("/a/b", () => {
      throw new HttpError(409, "conflict");
    });
  const response = await send(app, "GET /a/b");
  strictEqual(response.status, 409);
  const html = await response.text();
  ok(html.includes('<div class="app"><div class="root"><p>conflict</p></div></div>'), html);
});

Deno.test("Head replaces elements of the wrapper's head and adds new ones", async () => {
  const app = new App<{ user?: string }>().appWrapper(Wrapper).get("/", (ctx) =>
    ctx.render(
      <main>
        <Head>
          <title>page &lt;/title&gt;</title>
          <meta name="description" content="page" />
          <meta name="robots" content="none" />
          <link rel="canonical" href="/x" />
        </Head>
        content
      </main>,
    ));
  const html = await (await send(app, "GET /")).text();
  const head = /<head>(.*)<\/head>/.exec(html)?.[1];
  strictEqual(
    head,
    '<meta charset="utf-8"/><title>page &lt;/title></title><meta name="description" content="page"/>' +
      '<meta name="robots" content="none"/><link rel="canonical" href="/x"/>',
  );
  ok(html.includes("<main>content</main>"), html);
});

Deno.test("elements with the same key replace each other", async () => {
  const app = new App()
    .appWrapper(({ Component }) => (
      <html>
        <head>
          <style key="a">old</style>
          <style key="b">kept</style>
        </head>
        <body>
          <Component />
        </body>
      </html>
    ))
    .get("/", (ctx) =>
      ctx.render(
        <Head>
          <style key="a">new</style>
        </Head>,
      ));
  const html = await (await send(app, "GET /")).text();
  ok(!html.includes("old"), html);
  ok(html.includes("kept") && html.includes("new"), html);
});

Deno.test("the same element can be rendered for many requests", async () => {
  const element = (
    <html>
      <head>
        <title>a</title>
      </head>
      <body>
        <p>b</p>
      </body>
    </html>
  );
  const app = new App().get("/", (ctx) => ctx.render(element));
  const first = await answer(app, "GET /");
  await answer(app, "GET /");
  strictEqual(await answer(app, "GET /"), first);
});

Deno.test("links to the current page and to its ancestors are marked", async () => {
  const app = new App().get("/a/b", (ctx) => ctx.render(<Links />));
  const html = await body(app, "GET /a/b");
  ok(html.includes('<a href="/a/b" data-current="true" aria-current="page">'), html);
  ok(html.includes('<a href="/a" data-ancestor="true" aria-current="true">'), html);
  ok(html.includes('<a href="/ab">'), html);
  ok(html.includes('<a href="https://example.com/a/b">'), html);
});

function Links() {
  return (
    <nav>
      <a href="/a/b">1</a>
      <a href="/a">2</a>
      <a href="/ab">3</a>
      <a href="https://example.com/a/b">4</a>
    </nav>
  );
}

Deno.test("image paths on this site are versioned, except with data-fresh-disable-lock", async () => {
  const app = new App().get("/", (ctx) =>
    ctx.render(
      <div>
        <img src="/a.png" srcset="/a.png 1x, /b.png 2x" />
        <img src="https://example.com/a.png" />
        <img src="/c.png" data-fresh-disable-lock />
      </div>,
    ));
  const html = await body(app, "GET /");
  match(html, /src="\/a\.png\?__frsh_c=\w*" srcset="\/a\.png\?__frsh_c=\w* 1x, \/b\.png\?__frsh_c=\w* 2x"/);
  ok(html.includes('src="https://example.com/a.png"') && html.includes('src="/c.png"'), html);
});

Deno.test("asset() adds the version to absolute paths, only once", () => {
  const once = asset("/a.css?x=1#y");
  match(once, /^\/a\.css\?x=1&__frsh_c=\w*#y$/);
  strictEqual(asset(once), once);
  for (const path of ["a.css", "//example.com/a.css", "https://example.com/", "data:,x"]) {
    strictEqual(asset(path), path);
  }
  strictEqual(assetSrcSet("(a, b)"), "(a, b)");
  strictEqual(assetSrcSet("/a.png,"), "/a.png,");
  strictEqual(IS_BROWSER, false);
});
