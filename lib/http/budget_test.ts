import { rejects, strictEqual } from "node:assert/strict";
import { createBudget } from "./budget.ts";

Deno.test("a budget admits tasks up to its total, and regains the cost of those that end or fail", async () => {
  const budget = createBudget(10);
  const first = Promise.withResolvers<string>();
  const second = Promise.withResolvers<never>();
  const running = [
    budget({ cost: 6, holders: ["a"] }, () => first.promise),
    budget({ cost: 4, holders: ["b"] }, () => second.promise),
  ];
  const started: number[] = [];
  const run = (cost: number) => budget({ cost, holders: ["c"] }, () => Promise.resolve(started.push(cost)));
  await rejects(run(1), { code: "UNAVAILABLE", retryAfterSeconds: 5 });
  first.resolve("done");
  strictEqual(await running[0], "done");
  await run(6);
  second.reject(new Error("failed"));
  await rejects(running[1], /failed/);
  await run(10);
  await rejects(run(11), { code: "UNAVAILABLE" });
  strictEqual(started.join(), "6,10");
});

Deno.test("one holder cannot take more than its share of a budget", async () => {
  const budget = createBudget(10, { perHolder: 5 });
  const first = Promise.withResolvers<void>();
  const running = budget({ cost: 3, holders: ["a"] }, () => first.promise);
  const run = (cost: number, ...holders: string[]) => budget({ cost, holders }, () => Promise.resolve());
  await rejects(run(3, "a"), { code: "UNAVAILABLE" });
  await rejects(run(3, "b", "a"), { code: "UNAVAILABLE" });
  await run(2, "a");
  await run(5, "b");
  first.resolve();
  await running;
  await run(5, "a");
});

Deno.test("tasks of a holder wait until enough is left for them, without holding up others", async () => {
  const budget = createBudget(10, { perHolder: 5, maxWaiting: 1, maxWaitMs: 60_000 });
  const first = Promise.withResolvers<void>();
  const started: string[] = [];
  const run = (cost: number, holder: string) =>
    budget({ cost, holders: [holder] }, () => Promise.resolve(void started.push(holder)));
  const running = budget({ cost: 5, holders: ["a"] }, () => first.promise);
  const waiting = run(5, "a");
  await rejects(run(1, "a"), { code: "UNAVAILABLE" });
  await run(5, "b");
  strictEqual(started.join(), "b");
  first.resolve();
  await Promise.all([running, waiting]);
  await run(5, "a");
  strictEqual(started.join(), "b,a,a");
});

Deno.test("a task that has waited too long is refused and takes nothing", async () => {
  const budget = createBudget(10, { maxWaiting: 1, maxWaitMs: 1 });
  const first = Promise.withResolvers<void>();
  const running = budget({ cost: 10, holders: ["a"] }, () => first.promise);
  for (let i = 0; i < 2; i++) {
    await rejects(budget({ cost: 1, holders: ["a"] }, () => Promise.resolve()), { code: "UNAVAILABLE" });
  }
  first.resolve();
  await running;
  await budget({ cost: 10, holders: ["a"] }, () => Promise.resolve());
});
