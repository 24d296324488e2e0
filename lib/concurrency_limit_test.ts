import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { concurrencyLimit } from "./concurrency_limit.ts";

Deno.test("tasks run in the order of their arrival, up to the limit, and a failed task frees its place", async () => {
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

Deno.test("the queue accepts tasks until their costs reach its limit, and again after one has started", async () => {
  const limited = concurrencyLimit(1, { maxWaiting: 10 });
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<string>());
  const results = gates.map(({ promise }) => limited(() => promise, 6));
  await rejects(limited(() => Promise.resolve("refused"), 1), { code: "UNAVAILABLE", retryAfterSeconds: 5 });
  gates[0].resolve("first");
  strictEqual(await results[0], "first");
  const last = limited(() => Promise.resolve("last"), 1);
  for (const { resolve } of gates) resolve("done");
  deepStrictEqual(await Promise.all([results[1], results[2], last]), ["done", "done", "last"]);
});
