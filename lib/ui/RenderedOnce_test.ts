import { strictEqual } from "node:assert/strict";
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
