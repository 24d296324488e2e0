import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { concurrencyLimit } from "./concurrency_limit.ts";

Deno.test("at most so many run at a time, in the order of their coming, and a failure frees its place", async () => {
  const limited = concurrencyLimit(2);
  const started: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const results = gates.map(({ promise }, index) =>
    limited(() => {
      started.push(index);
      return promise;
    })
  );
  deepStrictEqual(started, [0, 1]);
  gates[1].reject(new Error("no"));
  await rejects(results[1]);
  await Promise.resolve();
  deepStrictEqual(started, [0, 1, 2]);
  for (const [index, { resolve }] of gates.entries()) resolve(index);
  strictEqual(await results[4], 4);
  deepStrictEqual(started, [0, 1, 2, 3, 4]);
  strictEqual(await limited(() => Promise.resolve("free again")), "free again");
});
