import { deepStrictEqual } from "node:assert/strict";
import { startWorker } from "./background_worker.ts";

Deno.test("repeated failures of a task are logged once, and again after it has succeeded in between", async () => {
  const outcomes = ["fails", "fails", "fails", "works", "fails"];
  const logged: number[] = [];
  const over = Promise.withResolvers<void>();
  let runs = 0;
  const worker = startWorker(() => {
    const outcome = outcomes[runs++];
    if (outcome === "fails") return Promise.reject(new Error(outcome));
    if (outcome === undefined) over.resolve();
    return Promise.resolve(0);
  }, { name: "task", pauseSeconds: 0.001, log: () => void logged.push(runs) });
  await over.promise;
  await worker.stop();
  deepStrictEqual(logged, [1, 5]);
});
