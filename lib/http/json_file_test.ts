import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { type JsonFields, jsonFile } from "./json_file.ts";

const send = (fields: JsonFields, onBreak: (error: unknown) => void = () => {}) =>
  jsonFile(fields, { filename: "a.json", onBreak });

/** Yields pages, then throws the error. */
async function* pages(pages: unknown[][], error?: Error): AsyncGenerator<unknown[]> {
  for (const page of pages) yield await Promise.resolve(page);
  if (error) throw error;
}

Deno.test("a document in pages is the same text as one that is written at once", async () => {
  const items = [{ a: 1, "b\n": ["x\ny", []] }, null, "two\nlines"];
  const value = { at: 1, 'na"me': { deep: { list: [1], none: [] } }, short: [{ a: 1 }], last: null };
  const response = await send({
    at: () => value.at,
    'na"me': () => Promise.resolve(value['na"me']),
    none: () => pages([]),
    items: () => pages([items.slice(0, 1), items.slice(1)]),
    short: () => value.short,
    last: () => value.last,
  });
  strictEqual(response.headers.get("Content-Disposition"), 'attachment; filename="a.json"');
  const { at, 'na"me': name, short, last } = value;
  strictEqual(await response.text(), JSON.stringify({ at, 'na"me': name, none: [], items, short, last }, null, 2));
});

Deno.test("a page is read when the client has taken the one before it", async () => {
  const steps: string[] = [];
  async function* list() {
    try {
      for (let page = 0; page < 100; page++) {
        steps.push(`page ${page}`);
        yield await Promise.resolve([page]);
      }
    } finally {
      steps.push("closed");
    }
  }
  const reader = (await send({ list })).body!.getReader();
  await reader.read();
  deepStrictEqual(steps, ["page 0"]);
  await reader.read();
  deepStrictEqual(steps, ["page 0", "page 1"]);
  await reader.cancel();
  deepStrictEqual(steps, ["page 0", "page 1", "closed"]);
});

Deno.test("an error before the first page is thrown", async () => {
  const broken: unknown[] = [];
  const fail = () => Promise.reject(new Error("no database"));
  await rejects(send({ at: () => 1, fail, list: () => pages([[1]]) }, (error) => broken.push(error)), /no database/);
  await rejects(send({ list: () => pages([], new Error("no rows")) }, (error) => broken.push(error)), /no rows/);
  deepStrictEqual(broken, []);
});

Deno.test("an error after the first page breaks the connection", async () => {
  const error = new Error("the database has gone");
  const broken: unknown[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => send({ list: () => pages([[1], [2]], error) }, (thrown) => broken.push(thrown)),
  );
  const response = await fetch(`http://127.0.0.1:${server.addr.port}`);
  strictEqual(response.status, 200);
  await rejects(response.text());
  deepStrictEqual(broken, [error]);
  await server.shutdown();
});
