import { strictEqual } from "node:assert/strict";
import { withFolder } from "../tests/support/database/engines.ts";
import { findCommit } from "./version.ts";

const [COMMIT, OTHER] = ["79be4121".repeat(5), "e2aa50a0".repeat(5)];

const CASES: [what: string, files: Record<string, string>, commit: string | undefined][] = [
  ["a release", { COMMIT: `${COMMIT}\n` }, COMMIT],
  ["a branch", { ".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": `${COMMIT}\n` }, COMMIT],
  ["a packed branch", {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/packed-refs": `# pack-refs\n${OTHER} refs/heads/not/refs/heads/main2\n${COMMIT} refs/heads/main\n`,
  }, COMMIT],
  ["a commit that is checked out", { ".git/HEAD": `${COMMIT}\n` }, COMMIT],
  ["a worktree", { ".git": "gitdir: /elsewhere\n" }, undefined],
  ["a copy without Git", {}, undefined],
];

for (const [what, files, commit] of CASES) {
  Deno.test(`the commit is known, if it can be: ${what}`, () =>
    withFolder(async (folder) => {
      for (const [path, text] of Object.entries(files)) {
        await Deno.mkdir(`${folder}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
        await Deno.writeTextFile(`${folder}/${path}`, text);
      }
      strictEqual(findCommit(new URL(`file://${folder}/`)), commit);
    }));
}
