import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { concurrencyLimit, sharedPlaces } from "./concurrency_limit.ts";

Deno.test("tasks run in the order of their arrival, up to the limit, and a failed task frees its place", async () => {
  const limited = concurrencyLimit(2);
  const started: number[] = [];
  const gates = Array.from({ length: 6 }, () => Promise.withResolvers<number>());
  const run = (index: number) =>
    limited(() => {
      started.push(index);
      return gates[index].promise;
    });
  const results = [0, 1, 2, 3, 4].map(run);
  deepStrictEqual(started, [0, 1]);
  gates[1].reject(new Error("no"));
  await rejects(results[1]);
  await Promise.resolve();
  results.push(run(5));
  deepStrictEqual(started, [0, 1, 2]);
  for (const [index, { resolve }] of gates.entries()) resolve(index);
  strictEqual(await results[5], 5);
  deepStrictEqual(started, [0, 1, 2, 3, 4, 5]);
  strictEqual(await limited(() => Promise.resolve("free again")), "free again");
});

Deno.test("the queue accepts tasks until their costs reach its limit, and again after one has started", async () => {
  const limited = concurrencyLimit(1, { maxWaiting: 10 });
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<string>());
  const results = gates.map(({ promise }) => limited(() => promise, { cost: 6 }));
  await rejects(limited(() => Promise.resolve("refused")), { code: "UNAVAILABLE", retryAfterSeconds: 5 });
  gates[0].resolve("first");
  strictEqual(await results[0], "first");
  const last = limited(() => Promise.resolve("last"));
  for (const { resolve } of gates) resolve("done");
  deepStrictEqual(await Promise.all([results[1], results[2], last]), ["done", "done", "last"]);
});

Deno.test("owners take turns, and one owner holds at most its part of the queue", async () => {
  const limited = concurrencyLimit(1, { maxWaiting: 20, maxPerOwner: 5 });
  const started: string[] = [];
  const run = (owner: string, name: string) =>
    limited(() => Promise.resolve(void started.push(name)), { owner, cost: 2 });
  const results = [run("a", "a1"), run("a", "a2"), run("a", "a3"), run("b", "b1"), run("b", "b2"), run("c", "c1")];
  await rejects(run("a", "a4"), { code: "UNAVAILABLE", retryAfterSeconds: 5 });
  await Promise.all(results);
  deepStrictEqual(started, ["a1", "a2", "b1", "c1", "a3", "b2"]);
  await run("a", "a again");
  strictEqual(started.length, 7);
});

Deno.test("places of one name are shared, and a failed task leaves its place", async () => {
  const name = crypto.randomUUID();
  const [mine, same, other] = [sharedPlaces(name, 2), sharedPlaces(name, 2), sharedPlaces(crypto.randomUUID(), 2)];
  const started: number[] = [];
  const tasks = Array.from({ length: 4 }, (_, index) => {
    const start = Promise.withResolvers<void>();
    const end = Promise.withResolvers<number>();
    const result = [mine, same][index % 2].run(() => {
      started.push(index);
      start.resolve();
      return end.promise;
    });
    return { start: start.promise, end, result };
  });
  await Promise.all([tasks[0].start, tasks[1].start]);
  strictEqual(await same.runNow(() => Promise.resolve([])), null);
  deepStrictEqual(await other.runNow(() => Promise.resolve(["free"])), ["free"]);
  deepStrictEqual(started, [0, 1]);
  tasks[1].end.reject(new Error("no"));
  await rejects(tasks[1].result, /no/);
  await tasks[2].start;
  strictEqual(await mine.runNow(() => Promise.resolve([])), null);
  deepStrictEqual(started, [0, 1, 2]);
  for (const [index, { end }] of tasks.entries()) end.resolve(index);
  deepStrictEqual([await tasks[2].result, await tasks[3].result], [2, 3]);
  deepStrictEqual(await same.runNow(() => Promise.resolve(["free again"])), ["free again"]);
});

Deno.test("an isolate that ends leaves its place", async () => {
  const name = crypto.randomUUID();
  const places = sharedPlaces(name, 1);
  const worker = new Worker(import.meta.resolve("../tests/support/place_holder.ts"), { type: "module", name });
  await new Promise((resolve) => worker.addEventListener("message", resolve, { once: true }));
  strictEqual(await places.runNow(() => Promise.resolve([])), null);
  const waiting = places.run(() => Promise.resolve("mine"));
  worker.terminate();
  strictEqual(await waiting, "mine");
});
