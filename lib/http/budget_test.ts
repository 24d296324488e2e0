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
