import { deepStrictEqual, ok } from "node:assert/strict";
import { PROGRAMS } from "../lib/clients/programs.ts";
import { checkClientsFile } from "../lib/clients/clients_file.ts";
import { documentsIn, readDocument } from "./support/source/documents.ts";

const SETTINGS = {
  baseUrl: "https://foyer.example",
  tokenAudiences: [],
  accessTtlSeconds: 300,
  uploads: "on" as const,
};
const APPS = new URL("apps/", import.meta.url);
const OVERVIEW = "docs/connect/README.md";
const PAGES = (await documentsIn("docs/connect")).filter((name) => name !== OVERVIEW);

Deno.test("each program that tests sign in to has a page in docs/connect, and each page a test that reads it", async () => {
  const tested: string[] = [];
  for await (const { name } of Deno.readDir(APPS)) {
    if (!name.endsWith("_test.ts")) continue;
    const text = await Deno.readTextFile(new URL(name, APPS));
    tested.push(...[...text.matchAll(/documentedClient\("([^"]+)"/g)].map(([, page]) => `docs/connect/${page}.md`));
    deepStrictEqual(text.match(/\bclient_name:/g), null, `${name} has a client that no page registers`);
  }
  deepStrictEqual(tested.sort(), PAGES);
  const overview = await readDocument(OVERVIEW);
  for (const page of PAGES) ok(overview.includes(`](${page.split("/").at(-1)})`), page);
});

Deno.test("the lines to copy for programs are those of the pages of the administration", async () => {
  const overview = await readDocument(OVERVIEW);
  for (const { name, callback, lines } of PROGRAMS) {
    const clientId = name.split(",")[0].toLowerCase();
    ok(overview.includes(lines({ brand: "Foyer", issuer: SETTINGS.baseUrl, clientId, secret: "..." })), name);
    ok(overview.includes(callback("Foyer")), name);
  }
});

for (const page of [...PAGES, OVERVIEW]) {
  Deno.test(`the client in ${page} is right`, async () => {
    const [, client] = (await readDocument(page)).match(/```json\n([\s\S]*?)```/)!;
    deepStrictEqual(checkClientsFile(`{ "clients": [${client}] }`, SETTINGS).problems, []);
  });
}
