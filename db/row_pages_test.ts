import { deepStrictEqual } from "node:assert/strict";
import { PAGE_ROWS, pagesOf } from "./row_pages.ts";

Deno.test("pages contain every row once, in order, and none is empty", async () => {
  for (const count of [0, 1, PAGE_ROWS - 1, PAGE_ROWS, PAGE_ROWS + 1, 2 * PAGE_ROWS, 2.5 * PAGE_ROWS]) {
    const rows = Array.from({ length: count }, (_, index) => ({ id: String(index).padStart(9, "0") }));
    const read = (after: string) => Promise.resolve(rows.filter(({ id }) => id > after).slice(0, PAGE_ROWS));
    const pages = await Array.fromAsync(pagesOf("id", read));
    deepStrictEqual(pages.flat(), rows, `${count}`);
    deepStrictEqual(pages.filter((page) => page.length === 0 || page.length > PAGE_ROWS), []);
  }
});
