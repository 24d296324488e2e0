import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { withFolder } from "../../tests/support/database/engines.ts";
import { batchesOf, type NumberedLine } from "./import_file.ts";
import { createRefusedLines } from "./user_import.ts";

async function batchesIn(content: string | Uint8Array<ArrayBuffer>): Promise<NumberedLine[][]> {
  let batches: NumberedLine[][] = [];
  await withFolder(async (folder) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await Deno.writeFile(`${folder}/file`, bytes);
    batches = await Array.fromAsync(batchesOf(`${folder}/file`));
  });
  return batches;
}

Deno.test("lines have numbers, and empty ones are left out but counted", async () => {
  deepStrictEqual(await batchesIn(""), []);
  deepStrictEqual(await batchesIn("\ufeffa\r\n\n  \nb"), [[[1, "a\r"], [4, "b"]]]);
  deepStrictEqual(await batchesIn("a\nb\n"), [[[1, "a"], [2, "b"]]]);
});

Deno.test("a line that is too long or not UTF-8 is null, and the next one is read", async () => {
  const long = "ü".repeat(32_768);
  const bytes = new TextEncoder().encode(`${long}\n${long}x\na`);
  deepStrictEqual(await batchesIn(bytes), [[[1, long], [2, null], [3, "a"]]]);
  deepStrictEqual(await batchesIn(new Uint8Array([0xff, 0x0a, 0x61])), [[[1, null], [2, "a"]]]);
});

Deno.test("lines come fifty at a time, wherever the system splits the file", async () => {
  const lines = Array.from({ length: 120 }, (_, i) => `${i} ${"ä€😀".repeat(200 + i)}`);
  const batches = await batchesIn(lines.join("\n"));
  deepStrictEqual(batches.map(({ length }) => length), [50, 50, 20]);
  deepStrictEqual(batches.flat(), lines.map((text, i) => [i + 1, text]));
});

Deno.test("refused lines with one reason are one range, however many there are", () => {
  const refused = createRefusedLines();
  for (const [line, reason] of [[3, "a"], [4, "a"], [5, "b"], [6, "a"], [7, "b"]] as const) refused.add(line, reason);
  for (let line = 8; line <= 1_000_000; line++) refused.add(line, "b");
  strictEqual(refused.count(), 999_998);
  strictEqual(refused.text(), "  3-4  a\n  5  b\n  6  a\n  7-1000000  b");
});
