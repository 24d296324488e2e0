import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { DOCUMENTED, ENTRIES } from "../lib/api/all_entries.ts";
import { type Entry, methodAndPath, tokenAccessOf } from "../lib/api/entry.ts";
import { VARIABLES } from "../lib/config/environment.ts";

const ROOT = new URL("../", import.meta.url);

Deno.test("docs/configuration.md names the same variables as the schema", async () => {
  const text = await read("docs/configuration.md");
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  const documented = rows.flatMap((row) => [...row.split("|")[1].matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name));
  deepStrictEqual(documented.sort(), [...VARIABLES].sort());
});

Deno.test("docs/api.md names the path of every documented endpoint, and no other", async () => {
  const text = await read("docs/api.md");
  const documented = [...text.matchAll(/`(?:[A-Z]+ )?(\/(?:api|auth)\/[^`?]*)`/g)].map(([, path]) => path);
  const paths = Object.keys(DOCUMENTED).map((key) => methodAndPath(key).path.replaceAll(/\{(\w+)\}/g, ":$1"));
  deepStrictEqual([...new Set(documented)].sort(), [...new Set(paths)].sort());
});

Deno.test("README.md shows the same commands for a typed client as docs/api.md, which a test runs", async () => {
  const commands = async (name: string) =>
    (await read(name)).match(/## A typed client[\s\S]*?```sh\n([\s\S]*?)```/)?.[1];
  strictEqual(await commands("README.md"), await commands("docs/api.md"));
});

Deno.test("docs/api.md lists the routes that each scope of API tokens covers", async () => {
  const text = await read("docs/api.md");
  const documented = text.split("\n").filter((line) => /^\| `\w+:\w+`/.test(line)).flatMap((line) => {
    const [, scope, routes] = line.split("|");
    return [...routes.matchAll(/`([^`]+)`/g)].map(([, route]) => [route, scope.replaceAll(/[` ]/g, "")]);
  });
  const files: Record<string, string> = {
    "GET /files/{key*}": "GET /files/...",
    "PUT /files/{key*}": "PUT <presignedUrl>",
  };
  const covered = Object.entries<Entry>(ENTRIES).map(([key, entry]) => [key, tokenAccessOf(entry)] as const)
    .filter(([, access]) => access !== null && access !== "session")
    .map(([key, access]) => [files[key] ?? key.replaceAll(/\{(\w+)\}/g, ":$1"), access]);
  deepStrictEqual(documented.sort(), covered.sort());
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

Deno.test("every relative link of the documentation leads to a file", async () => {
  const names = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ...await markdownFiles()];
  const missing: string[] = [];
  for (const name of names) {
    for (const [, target] of (await read(name)).matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      const exists = await Deno.stat(new URL(target, new URL(name, ROOT))).then(() => true, () => false);
      if (!exists) missing.push(`${name}: ${target}`);
    }
  }
  deepStrictEqual(missing, []);
});

function read(name: string): Promise<string> {
  return Deno.readTextFile(new URL(name, ROOT));
}

async function markdownFiles(): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(new URL("docs", ROOT)), ({ name }) => `docs/${name}`);
  return entries.filter((name) => name.endsWith(".md"));
}
