import { deepStrictEqual } from "node:assert/strict";
import { startWorker } from "./background_worker.ts";

Deno.test("failures within a minute are logged once, and again after a success", async () => {
  const outcomes = ["fails", "fails", "fails", "works", "fails"];
  const logged: number[] = [];
  const ended = Promise.withResolvers<void>();
  let runs = 0;
  const worker = startWorker(() => {
    const outcome = outcomes[runs++];
    if (outcome === "fails") return Promise.reject(new Error(outcome));
    if (outcome === undefined) ended.resolve();
    return Promise.resolve(0);
  }, { name: "task", pauseSeconds: 0.001, log: () => void logged.push(runs) });
  await ended.promise;
  await worker.stop();
  deepStrictEqual(logged, [1, 5]);
});
