import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { countsOf, filesOf, TEST_GROUPS, testFiles } from "./test_groups.ts";

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
