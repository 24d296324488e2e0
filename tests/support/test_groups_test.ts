import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import { countsOf, filesOf, selectTests, TEST_GROUPS, testFiles } from "./test_groups.ts";

Deno.test("the last summary of a test run is parsed, with colors or without", () => {
  const cases: [summary: string, passed: number, failed: number, skipped: number][] = [
    ["ok | 0 passed | 0 failed (0ms)", 0, 0, 0],
    ["ok | 12 passed (3 steps) | 0 failed (1s)", 12, 0, 0],
    ["FAILED | 8 passed | 3 failed (1 step) | 2 ignored | 4 filtered out (20ms)", 8, 3, 2],
    ["\x1b[31mFAILED\x1b[0m | 1 passed | 1 failed \x1b[38;5;245m(5ms)\x1b[0m", 1, 1, 0],
    ["ok | 1 passed | 0 failed (1s)\n\nlater\nok | 2 passed | 0 failed (1s)", 2, 0, 0],
  ];
  for (const [summary, passed, failed, skipped] of cases) {
    deepStrictEqual(countsOf(`running 1 test\n${summary}\n`), { passed, failed, skipped });
  }
});

Deno.test("a test run without a summary has no counts", () => {
  strictEqual(countsOf("error: Uncaught (in promise) Error\n"), null);
});

Deno.test("the longest files of a group start first, and each of its files once", () => {
  const group = { name: "fruit", files: /^fruit\//, longest: ["plum", "melon"], requires: [], jobs: 1 };
  const files = ["fruit/apple_test.ts", "fruit/melon_test.ts", "fruit/plum_test.ts", "nut/melon_test.ts"];
  deepStrictEqual(filesOf(group, files), ["fruit/plum_test.ts", "fruit/melon_test.ts", "fruit/apple_test.ts"]);
});

Deno.test("the longest files of each group exist", async () => {
  const files = await testFiles();
  for (const group of TEST_GROUPS) {
    for (const name of group.longest ?? []) {
      const first = filesOf({ ...group, longest: [name] }, files)[0];
      match(first, new RegExp(`/${name}_test\\.ts$`), group.name);
    }
  }
});

const FILES = ["lib/a_test.ts", "tests/integration/b_test.ts", "tests/integration/c_test.ts"];

/** Returns the names of the chosen groups that have files, with their files. */
function select(...names: string[]): Record<string, string[]> {
  const chosen = [...selectTests(names, FILES)].filter(([, files]) => files.length > 0);
  return Object.fromEntries(chosen.map(([{ name }, files]) => [name, files]));
}

Deno.test("without names everything runs, and with the name of a group only its files", () => {
  const integration = FILES.slice(1);
  deepStrictEqual(select(), { unit: FILES.slice(0, 1), integration, "integration:postgres": integration });
  deepStrictEqual(select("integration:postgres"), { "integration:postgres": integration });
});

Deno.test("a named file runs alone, in its first group or the named one", () => {
  deepStrictEqual(select("./tests/integration/b_test.ts"), { integration: [FILES[1]] });
  deepStrictEqual(select(`${Deno.cwd()}/lib/a_test.ts`, FILES[2]), { unit: [FILES[0]], integration: [FILES[2]] });
  deepStrictEqual(select("integration:postgres", FILES[1]), { "integration:postgres": [FILES[1]] });
});

Deno.test("a name that is neither a group nor a test file is refused, and so is a file of another group", () => {
  throws(() => select("integrations"), /Neither a group nor a test file: integrations\. The groups are: unit, /);
  throws(() => select("unit", FILES[1]), /tests\/integration\/b_test\.ts does not belong to unit/);
});
