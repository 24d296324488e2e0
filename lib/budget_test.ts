import { rejects, strictEqual } from "node:assert/strict";
import { createBudget } from "./budget.ts";

Deno.test("a budget admits tasks up to its total, and again once they have ended or failed", async () => {
  const budget = createBudget(10);
  const first = Promise.withResolvers<string>();
  const second = Promise.withResolvers<never>();
  const running = [budget(6, () => first.promise), budget(4, () => second.promise)];
  const started: number[] = [];
  const run = (cost: number) => budget(cost, () => Promise.resolve(started.push(cost)));
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
