import { strictEqual } from "node:assert/strict";
import { plain, table } from "./text.ts";

Deno.test("a table has room for every row that a command may list", () => {
  const lines = table(["A", "B"], Array.from({ length: 200_000 }, (_, row) => [String(row), null])).split("\n");
  strictEqual(lines.length, 200_001);
  strictEqual(lines[1], "0       -");
});

Deno.test("what people have entered cannot control a terminal or begin a line", () => {
  strictEqual(plain("a\x1b[31mb\r\nc\u202ed\x9be"), "a [31mb c d e");
});
