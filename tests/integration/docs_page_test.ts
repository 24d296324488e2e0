import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { ERRORS_OF_ANY } from "../../lib/api/reading.ts";
import { SECTIONS } from "../../lib/api/sections.ts";
import { ERROR_STATUS } from "../../lib/errors/errors.ts";
import { DOCUMENTED } from "../support/api/entries.ts";
import { readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const read = (address: string) => readPage(app.client().get(address));
const start = await read("/docs");
const pages = new Map([["/docs", start]]);
for (const { name } of SECTIONS) {
  const address = `/docs?${new URLSearchParams({ section: name })}`;
  pages.set(address, await read(address));
}
const operations = [...pages.values()].flatMap((page) => page.findAll("section.operation[id]"));

Deno.test("the sections of /docs show a command for every operation, once", () => {
  strictEqual(operations.length, DOCUMENTED.length);
  strictEqual(new Set(operations.map(({ id }) => id)).size, DOCUMENTED.length);
  for (const operation of operations) match(operation.querySelector("pre")!.textContent!, /^curl /);
});

Deno.test("/docs has a row for every error code, with its status and what to do", () => {
  const rows = start.findAll("tr[id]");
  deepStrictEqual(
    rows.map(({ id, children: [code, status] }) => [id, code.textContent, Number(status.textContent)]),
    Object.entries(ERROR_STATUS).map(([code, status]) => [code, code, status]),
  );
  for (const { children: [, , remedy] } of rows) ok(remedy.textContent!.length > 9);
});

Deno.test("/docs says once which errors any request may get, and no operation repeats them", () => {
  for (const code of ERRORS_OF_ANY) ok(start.leadsTo(`/docs#${code}`), code);
  const codes = operations.flatMap((operation) => [...operation.querySelectorAll("dd")].map((dd) => dd.textContent));
  deepStrictEqual(ERRORS_OF_ANY.filter((code) => codes.includes(code)), []);
});

Deno.test("only operations of OAuth answer with errors of OAuth", () => {
  for (const operation of operations) {
    const isForApps = operation.querySelector(".route")!.textContent!.includes(" /oauth/");
    const codes = [...operation.querySelectorAll("dd code")].map((code) => code.textContent);
    strictEqual(codes.includes("server_error"), isForApps, operation.id);
  }
});

Deno.test("links between the pages of the API lead to what is there", () => {
  const isThere = (href: string) => {
    const [address, id] = href.split("#");
    const page = pages.get(address);
    return page !== undefined && (id === undefined || page.findAll(`[id="${id}"]`).length === 1);
  };
  const links = [...pages.values()].flatMap((page) => page.links.map(({ href }) => href!));
  const own = new Set(links.filter((href) => /^\/docs(?![/.])/.test(href)));
  ok(own.size > DOCUMENTED.length && own.has("/docs#VALIDATION_FAILED"));
  deepStrictEqual([...own].filter((href) => !isThere(href)), []);
});

Deno.test("an unknown section is refused", async () => {
  strictEqual((await app.client().get("/docs?section=Nothing")).status, 400);
});
