import { deepStrictEqual, match, ok } from "node:assert/strict";
import { VARIABLES } from "../lib/config/environment.ts";
import { readDocument as read } from "./support/source/documents.ts";

/** Variables of Deno and PostgreSQL. */
const OTHERS = ["DENO_DIR", "DENO_NO_UPDATE_CHECK", "POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD"];

/** Where each file names settings. */
const FILES: [path: string, settings: RegExp, least: number][] = [
  ["Dockerfile", /^ENV (\w+)=/gm, 2],
  ["compose.yaml", /^ {6}([A-Z]\w+):/gm, 8],
  ["docs/compose.trial.yaml", /^ {6}([A-Z]\w+):/gm, 5],
  ["docs/foyer.service", /^Environment=(\w+)=/gm, 2],
  ["docs/deployment.md", /^([A-Z][A-Z0-9_]+)=/gm, 7],
];

for (const [path, settings, least] of FILES) {
  Deno.test(`${path} names only settings that exist`, async () => {
    const names = [...(await read(path)).matchAll(settings)].map(([, name]) => name);
    const known: readonly string[] = [...VARIABLES, ...OTHERS];
    ok(names.filter((name) => !OTHERS.includes(name)).length >= least, names.join());
    deepStrictEqual(names.filter((name) => !known.includes(name)), []);
  });
}

Deno.test("the Dockerfile has the version of Deno that the tests run with", async () => {
  const [, version] = /^ARG DENO_IMAGE=denoland\/deno:(.+)$/m.exec(await read("Dockerfile"))!;
  match(await read(".ci/run"), new RegExp(`deno@${version.replaceAll(".", "\\.")} `));
});

Deno.test("images are built from what a release has, and from nothing that is secret", async () => {
  const lines = (await read(".dockerignore")).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  deepStrictEqual(lines[0], "*", "everything is left out that no line names");
  deepStrictEqual(lines.filter((line) => /^!\.|^!.*(data|env|git)/.test(line)), []);
});
