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

/** A queue of a limit of one, and the names of the tasks that have run or were refused. */
function queueOf(maxWaiting: number) {
  const limited = concurrencyLimit(1, { maxWaiting });
  const [started, refused]: string[][] = [[], []];
  const run = (name: string, ...owners: string[]) =>
    limited(() => Promise.resolve(void started.push(name)), { owners }).catch(() => void refused.push(name));
  return { run, started, refused };
}

Deno.test("owners take turns, and so do those within them", async () => {
  const { run, started } = queueOf(20);
  const results = [run("first", "z")];
  for (const name of ["a1", "a2", "a3"]) results.push(run(name, "site a", "network 1"));
  results.push(run("b1", "site b", "network 2"), run("a4", "site a", "network 3"), run("none"), run("b2", "site b"));
  await Promise.all(results);
  deepStrictEqual(started, ["first", "a1", "b1", "none", "a4", "b2", "a2", "a3"]);
});

Deno.test("in a full queue, a task pushes out the newest one of the owner with most", async () => {
  const { run, started, refused } = queueOf(8);
  const results = [run("first", "z")];
  for (const name of ["a1", "a2", "a3", "a4"]) results.push(run(name, "site a", "network 1"), run(`${name}'`, "b"));
  results.push(run("c1", "c"), run("c2", "c"), run("a5", "site a", "network 2"), run("c3", "c"), run("b5", "b"));
  await Promise.all(results);
  deepStrictEqual(refused.toSorted(), ["a3", "a4", "a4'", "b5", "c3"]);
  deepStrictEqual(started, ["first", "a1", "a1'", "c1", "a5", "a2'", "c2", "a2", "a3'"]);
});

Deno.test("one owner may fill the queue, and an owner evicts no one who has as many tasks", async () => {
  const { run, refused } = queueOf(4);
  const names = Array.from({ length: 6 }, (_, index) => `a${index}`);
  const results = names.map((name) => run(name, "a"));
  results.push(run("b0", "b"), run("b1", "b"), run("b2", "b"), run("c0", "c"));
  await Promise.all(results);
  deepStrictEqual(refused.toSorted(), ["a2", "a3", "a4", "a5", "b2"]);
});

Deno.test("one owner runs at most its part of the tasks, and the others go on meanwhile", async () => {
  const limited = concurrencyLimit(2, { runningPerOwner: 1 });
  const started: string[] = [];
  const gates = new Map<string, () => void>();
  const run = (owner: string, name: string) =>
    limited(() => {
      started.push(name);
      return new Promise<void>((end) => gates.set(name, end));
    }, { owners: [owner] });
  const results = [run("a", "a1"), run("a", "a2"), run("a", "a3"), run("b", "b1"), run("b", "b2"), run("c", "c1")];
  deepStrictEqual(started, ["a1", "b1"]);
  for (
    const [ended, expected] of [["b1", "b2"], ["b2", "c1"], ["a1", "a2"], ["c1", undefined], ["a2", "a3"]] as const
  ) {
    gates.get(ended)!();
    await new Promise((resolve) => setTimeout(resolve));
    strictEqual(started.at(-1), expected ?? "a2", `after ${ended}`);
  }
  gates.get("a3")!();
  await Promise.all(results);
  const last = run("a", "again");
  gates.get("again")!();
  await last;
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
  const worker = new Worker(import.meta.resolve("../../tests/support/place_holder.ts"), { type: "module", name });
  await new Promise((resolve) => worker.addEventListener("message", resolve, { once: true }));
  strictEqual(await places.runNow(() => Promise.resolve([])), null);
  const waiting = places.run(() => Promise.resolve("mine"));
  worker.terminate();
  strictEqual(await waiting, "mine");
});
