import { EVENT_KINDS } from "../lib/activity/kinds.ts";
import { MAIL_KINDS } from "../lib/mail/kinds.ts";
import { PROFILE_FIELDS } from "../lib/schemas/profile_rules.ts";
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { DOCUMENTED } from "./support/api/entries.ts";
import { methodAndPath } from "../lib/api/entry.ts";
import { ERROR_STATUS } from "../lib/errors/errors.ts";
import { SETTINGS } from "../lib/config/environment.ts";
import {
  anchorsOf,
  citedSections,
  documentsIn,
  foldersIn,
  readDocument as read,
  untrueMentions,
} from "./support/source/documents.ts";
import { sources } from "./support/source/sources.ts";
import { TABLE_OWNERS } from "./support/source/table_owners.ts";
import { withEvents } from "./support/source/written_events.ts";
import { withOperations } from "./support/source/written_operations.ts";
import { ROWS, withRoutes } from "./support/source/written_routes.ts";
import { withTables } from "./support/source/written_settings.ts";
import { withTableRules } from "./support/source/written_tables.ts";

const ROOT = new URL("../", import.meta.url);

Deno.test("docs/configuration.md has the tables that `deno task settings` writes, with every setting", async () => {
  const text = await read("docs/configuration.md");
  strictEqual(text, withTables(text));
  const documented = [...text.matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name]) => name);
  deepStrictEqual(documented.sort(), Object.keys(SETTINGS).sort());
});

Deno.test("docs/configuration.md begins with ten settings", async () => {
  const [, first] = (await read("docs/configuration.md")).split("\n## ");
  const named = [...first.matchAll(/^- `([A-Z0-9_]+)`: /gm)].map(([, name]) => name);
  strictEqual(named.length, 10);
  deepStrictEqual(named.filter((name) => !(name in SETTINGS)), []);
});

Deno.test("docs/webhooks.md has the table that `deno task settings` writes, with every kind of event", async () => {
  const text = await read("docs/webhooks.md");
  strictEqual(text, withEvents(text));
  const documented = [...text.matchAll(/^\| `([a-z_]+\.[a-z_]+)`/gm)].map(([, name]) => name);
  deepStrictEqual(documented, EVENT_KINDS);
});

Deno.test("docs/data.md has the table that `deno task settings` writes from the declarations of tables", async () => {
  const text = await read("docs/data.md");
  strictEqual(text, withTableRules(text));
  match(text, /\| `users` +\| `lib\/users` +\| yes /);
});

Deno.test("lib/client/operations.ts has the operations that `deno task settings` writes from the routes", async () => {
  const text = await read("lib/client/operations.ts");
  strictEqual(text, withOperations(text));
  match(text, / {2}getUser: "GET \/api\/users\/\{id\}",\n/);
});

Deno.test("docs/api.md names the path of every documented endpoint, and no other", async () => {
  const text = await read("docs/api.md");
  const documented = [...text.matchAll(/`(?:[A-Z]+ )?(\/(?:api|auth)\/[^`?]*|\/oauth\/[^`?]*|\/\.well-known\/[^`]*)`/g)]
    .map(([, path]) => path);
  const paths = DOCUMENTED.map((key) => methodAndPath(key).path.replaceAll(/\{(\w+)\}/g, ":$1"));
  deepStrictEqual([...new Set(documented)].sort(), [...new Set(paths)].sort());
});

Deno.test("docs/api.md has the callers, scopes and limits that `deno task settings` writes from the routes", async () => {
  const text = await read("docs/api.md");
  strictEqual(text, withRoutes(text));
  match(text, /^\| `POST \/api\/users` +\| session, confirmed, `users:invite` \|/m);
  match(text, /^\| `guess` +\| .*`POST \/auth\/not-me`/m);
  deepStrictEqual(ROWS.filter((name) => !text.includes(`\n| ${name} `)), []);
});

Deno.test("docs/operations.md names every kind of email, and no other", async () => {
  const section = (await read("docs/operations.md")).split("\n## Emails\n")[1].split("\n## ")[0];
  const documented = [...section.matchAll(/^\| [^|(]+\(([^|]+)\) +\|/gm)]
    .flatMap(([, kinds]) => [...kinds.matchAll(/`(\w+)`/g)].map(([, kind]) => kind));
  deepStrictEqual(documented.sort(), MAIL_KINDS.toSorted());
});

Deno.test("docs/rules.md names every text of a profile, and docs/api.md where it is changed", async () => {
  const missing = async (document: string, table: RegExp) => {
    const [found = ""] = (await read(document)).match(table) ?? [];
    return PROFILE_FIELDS.filter((field) => !new RegExp(`\\b${field}\\b`).test(found));
  };
  deepStrictEqual(await missing("docs/rules.md", /\n## Users\n[^]*?\n\n(?=[^|\n])/), []);
  deepStrictEqual(await missing("docs/api.md", /^\| `PUT \/api\/profile` .*/m), []);
});

Deno.test("docs/api.md lists every error code with its status, and no other", async () => {
  const rows = [...(await read("docs/api.md")).matchAll(/^\| (\d{3}) +\|([^|]+)\|/gm)];
  const documented = rows.flatMap(([, status, codes]) =>
    [...codes.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => `${status} ${code}`)
  );
  deepStrictEqual(documented.sort(), Object.entries(ERROR_STATUS).map(([code, status]) => `${status} ${code}`).sort());
});

Deno.test("each version in the changelog begins with what to do before it", async () => {
  const [, ...versions] = (await read("CHANGELOG.md")).split(/^## /m);
  ok(versions.length >= 2);
  const missing = versions.filter((text) => !/^.*\n\n### Before you upgrade\n\n(- \S|Nothing)/.test(text));
  deepStrictEqual(missing.map((text) => text.split("\n")[0]), []);
});

Deno.test("docs/architecture.md lists every room of lib", async () => {
  const text = await read("docs/architecture.md");
  const rooms = await Array.fromAsync(Deno.readDir(new URL("lib", ROOT)));
  const missing = rooms.filter(({ name, isDirectory }) => isDirectory && !text.includes(`\`lib/${name}/\``));
  deepStrictEqual(missing.map(({ name }) => name), []);
});

Deno.test("the README of lib/fresh names files that exist, in the folder of their line", async () => {
  const [, layout] = (await read("lib/fresh/README.md")).match(/## Layout\n([\s\S]*?)\n## /)!;
  const missing: string[] = [];
  for (const item of layout.split("\n- ")) {
    const names = [...item.matchAll(/`([\w./]+)`/g)].map(([, name]) => name);
    const folders = ["", ...names.filter((name) => name.endsWith("/"))];
    for (const name of names) {
      const places = folders.map((folder) => Deno.stat(new URL(`lib/fresh/${folder}${name}`, ROOT)));
      await Promise.any(places).catch(() => missing.push(name));
    }
  }
  deepStrictEqual(missing.filter((name) => /\.ts$|\/$/.test(name)), []);
});

Deno.test("every relative link of the documentation leads to a file, and to a heading in it", async () => {
  const missing: string[] = [];
  for (const name of await allDocuments()) {
    for (const [, target] of (await read(name)).matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [path, anchor] = target.split("#");
      const linked = path === ""
        ? name
        : decodeURIComponent(new URL(path, new URL(name, ROOT)).href.slice(ROOT.href.length));
      const text = await (linked.endsWith(".md") ? read(linked) : Deno.stat(new URL(linked, ROOT)).then(() => ""))
        .catch(() => null);
      if (text === null || (anchor && !anchorsOf(text).includes(anchor))) missing.push(`${name}: ${target}`);
    }
  }
  deepStrictEqual(missing, []);
});

Deno.test("docs/README.md names every document once, with a sentence", async () => {
  const entries = (await read("docs/README.md")).split("\n- ").slice(1);
  const named = entries.map((entry) => `docs/${entry.match(/^\[[^\]]+\]\(([^)]+)\):\s\S[\s\S]*\./)?.[1]}`);
  const documents = await documentsIn("docs");
  // The pages of docs/connect/ are in the README of that folder.
  const expected = documents.filter((name) => name !== "docs/README.md" && !/\/connect\/(?!README)/.test(name));
  deepStrictEqual(named.sort(), expected);
});

Deno.test("docs/security.md gives each requirement of ASVS one status, with a file, a document or a reason", async () => {
  const rows = [...(await read("docs/security.md")).matchAll(/^\| (V\d+\.\d+\.\d+) +\| ([^|]+?) +\| ([^|]+?) +\|$/gm)];
  const lines = (await read("docs/security.md")).split("\n").filter((line) => line.startsWith("| V"));
  deepStrictEqual(rows.map(([line]) => line), lines);
  const ids = rows.map(([, id]) => id);
  deepStrictEqual(ids.filter((id, index) => ids.indexOf(id) !== index), []);
  deepStrictEqual([...new Set(rows.map(([, , status]) => status))].sort(), [
    "met",
    "not applicable",
    "not met",
    "partly",
  ]);
});

Deno.test("every room has a README with an introduction of 5 to 15 lines", async () => {
  const wrong: string[] = [];
  for (const room of await rooms()) {
    const text = await read(`${room}/README.md`).catch(() => "");
    const lines = text.split("\n## ")[0].trim().split("\n").length;
    if (lines < 5 || lines > 15) wrong.push(`${room} has ${lines}`);
  }
  deepStrictEqual(wrong, []);
});

Deno.test("the README of each room names the tables that the room owns, and no other", async () => {
  for (const room of await rooms()) {
    const [, sentence] = (await read(`${room}/README.md`)).match(/\bTables?: ([^.]*)\./) ?? ["", ""];
    const named = [...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort();
    const [owner = room] = Object.keys(TABLE_OWNERS).filter((name) => room.startsWith(`${name}/`));
    const owned = (TABLE_OWNERS[owner] ?? []).filter((table) => room === owner || named.includes(table));
    deepStrictEqual(named, owned.sort(), room);
  }
});

Deno.test("the documentation names files that exist, and names that are in them", async () => {
  const untrue: string[] = [];
  for (const name of await allDocuments()) {
    const folder = name.slice(0, name.lastIndexOf("/") + 1);
    if (folder === "lib/fresh/") continue;
    untrue.push(...(await untrueMentions(await read(name), folder)).map((mention) => `${name}: ${mention}`));
  }
  deepStrictEqual(untrue, []);
});

for (const document of ["docs/data.md", "docs/privacy.md"]) {
  Deno.test(`${document} names every table`, async () => {
    const named = new Set([...(await read(document)).matchAll(/\w+/g)].map(([name]) => name));
    deepStrictEqual(Object.values(TABLE_OWNERS).flat().filter((table) => !named.has(table)), []);
  });
}

Deno.test("docs/privacy.md names every cookie, and no other", async () => {
  const [, section] = (await read("docs/privacy.md")).split("| Cookie ");
  const rows = section.split("\n\n")[0].split("\n").slice(2);
  const documented = rows.flatMap((row) => [...row.split("|")[1].matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const set: string[] = [];
  for await (const [, text] of sources(new URL("lib/", ROOT))) {
    set.push(...[...text.matchAll(/const \w+_COOKIE = (?:\{ name: )?"(\w+)"/g)].map(([, name]) => name));
  }
  deepStrictEqual(documented.sort(), set.sort());
});

Deno.test("each word of the glossary names the file where it lives, and the words are in order", async () => {
  const entries = (await read("docs/glossary.md")).split("\n\n").filter((entry) => entry.startsWith("**"));
  const words = entries.map((entry) => entry.match(/^\*\*([^*]+)\*\*/)![1].toLowerCase());
  deepStrictEqual(entries.filter((entry) => !/`(lib|db|routes)\/[^`]+`|architecture\.md/.test(entry)), []);
  deepStrictEqual(words, words.toSorted());
});

Deno.test("every section of the documentation that a comment cites exists", async () => {
  const missing: string[] = [];
  let cited = 0;
  for (const folder of ["lib/", "routes/", "db/", "islands/"]) {
    for await (const [path, text] of sources(new URL(folder, ROOT))) {
      for (const { document, section } of citedSections(text)) {
        cited++;
        const anchors = anchorsOf(await read(document).catch(() => ""));
        if (!anchors.includes(anchorsOf(`# ${section}`)[0])) missing.push(`${path}: ${document}, ${section}`);
      }
    }
  }
  deepStrictEqual(missing, []);
  ok(cited > 40, `only ${cited} citations were found`);
  deepStrictEqual(citedSections("/**\n * Text. Source: docs/rules.md, Login\n * limit.\n */"), [
    { document: "docs/rules.md", section: "Login limit" },
  ]);
});

/** Every folder of lib is a room, and so are those of lib/web and lib/sign_in, and the engines. */
async function rooms(): Promise<string[]> {
  const nested = await Promise.all(["lib", "lib/web", "lib/sign_in"].map(foldersIn));
  return [...nested.flat(), "db/embedded", "db/postgres"];
}

async function allDocuments(): Promise<string[]> {
  const readmes = (await rooms()).map((room) => `${room}/README.md`);
  return ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ...await documentsIn("docs"), ...readmes];
}
