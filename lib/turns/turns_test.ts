import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createTurns } from "./turns.ts";

const FEW_REQUESTS = 32;

Deno.test("a client with many requests at once holds up neither another client nor the event loop", async () => {
  const runInTurn = createTurns();
  const begun: string[] = [];
  const request = (client: string) => runInTurn(() => [client], () => work(client));
  const work = async (client: string) => {
    begun.push(client);
    if (begun.length <= FEW_REQUESTS) return await ending.promise;
    const endsAt = performance.now() + 3;
    while (performance.now() < endsAt);
  };
  const ending = Promise.withResolvers<void>();
  const many = Array.from({ length: FEW_REQUESTS + 50 }, () => request("greedy"));
  let begunAtTimer: number | undefined;
  setTimeout(() => begunAtTimer = begun.length);
  await request("patient");
  ok(begun.indexOf("patient") < FEW_REQUESTS + 8, `${begun.indexOf("patient")} requests began before`);
  ending.resolve();
  await Promise.all(many);
  ok(begunAtTimer !== undefined && begunAtTimer < FEW_REQUESTS + 25, `${begunAtTimer} requests began before the timer`);
});

Deno.test("a few requests begin at once, and the next ones in the order of their arrival", async () => {
  const runInTurn = createTurns();
  const begun: number[] = [];
  const endings: PromiseWithResolvers<void>[] = [];
  const request = (number: number) => {
    const ending = Promise.withResolvers<void>();
    endings.push(ending);
    return runInTurn(() => ["client"], () => {
      begun.push(number);
      return ending.promise;
    });
  };
  const numbers = Array.from({ length: FEW_REQUESTS + 20 }, (_, i) => i);
  const all = numbers.map(request);
  strictEqual(begun.length, FEW_REQUESTS);
  for (const { resolve } of endings) resolve();
  await Promise.all(all);
  deepStrictEqual(begun, numbers);
  void runInTurn(() => ["client"], () => Promise.resolve(begun.push(-1)));
  strictEqual(begun.at(-1), -1, "those that have ended no longer count");
});
