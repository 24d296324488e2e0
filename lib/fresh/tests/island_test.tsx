import { App, staticFiles } from "fresh";
import { Builder } from "fresh/dev";
import { doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { signal } from "@preact/signals";
import { app } from "./fixture/main.ts";
import Toggle from "./fixture/islands/Toggle.tsx";
import { send } from "./request.ts";

const apply = await new Builder({ root: `${import.meta.dirname}/fixture` }).build({ snapshot: "memory" });
apply(app);

async function html(path: string): Promise<string> {
  const response = await send(app, `GET ${path}`);
  strictEqual(response.status, 200);
  return await response.text();
}

Deno.test("a page without islands has no script and preloads none", async () => {
  const response = await send(app, "GET /");
  strictEqual(response.headers.get("link"), null);
  const page = await response.text();
  match(page, /<h1>No island<\/h1>/);
  ok(!page.includes("<script"));
});

Deno.test("a page with islands has one module script that imports only its islands", async () => {
  const response = await send(app, "GET /counters");
  const page = await response.text();
  strictEqual(page.match(/<script/g)?.length, 1);
  match(page, /<script type="module"/);
  match(page, /Counter[^"]*\.js"/);
  doesNotMatch(page, /(Toggle|Form|Kinds)[^"]*\.js"/);
  match(response.headers.get("link") ?? "", /fresh-runtime\.js>; rel="modulepreload"; as="script", <.*Counter/);
});

Deno.test("the scripts of a page are served and cached for a year", async () => {
  const page = await html("/counters");
  const files = [...page.matchAll(/"(\/_fresh\/js\/[^"]+)"/g)].map(([, file]) => file);
  strictEqual(files.length, 2);
  for (const file of files) {
    const response = await send(app, `GET ${file}`);
    strictEqual(response.headers.get("content-type"), "text/javascript; charset=UTF-8");
    strictEqual(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
    ok((await response.text()).length > 0);
  }
});

Deno.test("the server renders islands and the content passed to them", async () => {
  const page = await html("/slots");
  match(page, /<em class="server">from the server<\/em>/);
  match(page, /<b>head &amp; title<\/b>/);
  strictEqual(page.match(/id="deep"/g)?.length, 1);
});

Deno.test("content that an island does not render is in a template", async () => {
  const page = await html("/slots");
  match(page, /<template[^>]*>.*<i>late<\/i>.*<\/template>/s);
});

Deno.test("props cannot close the script that contains them", async () => {
  const page = await html("/props");
  strictEqual(page.match(/<\/script/g)?.length, 1);
  const script = /<script[^>]*>(.*)<\/script>/s.exec(page)?.[1] ?? "";
  ok(!script.includes("<!--"));
});

Deno.test("an island cannot receive a function", async () => {
  const broken = new App().get("/", (ctx) => ctx.render(<Toggle id="a" {...{ other: () => {} }}>x</Toggle>));
  apply(broken);
  const { error: log } = console;
  const errors: unknown[] = [];
  console.error = (...parts) => errors.push(...parts);
  const response = await send(broken, "GET /").finally(() => console.error = log);
  strictEqual(response.status, 500);
  match(String(errors), /function/i);
});

Deno.test("an error in one page does not affect the next one", async () => {
  const Broken = (): never => {
    throw new Error("broken");
  };
  const mixed = new App().use(staticFiles())
    .get("/broken", (ctx) =>
      ctx.render(
        <Toggle id="a">
          <Broken />
        </Toggle>,
      ))
    .get("/", (ctx) => ctx.render(<Toggle id="a" {...{ value: signal(1) }}>x</Toggle>));
  apply(mixed);
  const { error: log } = console;
  console.error = () => {};
  // Fresh adds a random nonce to scripts.
  const page = async () => (await (await send(mixed, "GET /")).text()).replaceAll(/ nonce="\w+"/g, "");
  const first = await page();
  match(first, /<script type="module"/);
  strictEqual((await send(mixed, "GET /broken")).status, 500);
  strictEqual(await page(), first);
  console.error = log;
});
