import { match, strictEqual } from "node:assert/strict";
import { h } from "preact";
import { renderToStringAsync } from "preact-render-to-string";
import { RenderedOnce } from "./RenderedOnce.tsx";

Deno.test("pages that are requested at the same time share even the first rendering of their content", async () => {
  let renderings = 0;
  const content = () => {
    renderings++;
    return h("p", null, "long");
  };
  const pages = await Promise.all(
    Array.from({ length: 180 }, () => renderToStringAsync(h(RenderedOnce, { id: "shared", content }))),
  );
  strictEqual(renderings, 1);
  strictEqual(new Set(pages).size, 1);
});

Deno.test("repeated content has no characters that make the engine store the page with two bytes each", async () => {
  const content = () => h("p", { title: "ü" } as object, "Don’t 😀 <العربية");
  const html = await renderToStringAsync(h(RenderedOnce, { id: "characters", content }));
  match(html, /^[\0-\x7f]*$/);
  const decoded = html.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
  strictEqual(decoded, '<p title="ü">Don’t 😀 &lt;العربية</p>');
});
