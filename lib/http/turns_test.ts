import { deepStrictEqual, ok } from "node:assert/strict";
import { createTurns } from "./turns.ts";

Deno.test("a client with many requests at once holds up neither another client nor the event loop", async () => {
  const untilTurn = createTurns();
  const begun: string[] = [];
  const request = (client: string) => untilTurn(client).then(() => work(client));
  const work = (client: string) => {
    begun.push(client);
    const endsAt = performance.now() + 3;
    while (performance.now() < endsAt);
  };
  const many = Array.from({ length: 50 }, () => request("greedy"));
  let begunAtTimer: number | undefined;
  setTimeout(() => begunAtTimer = begun.length);
  await request("patient");
  ok(begun.indexOf("patient") < 8, `${begun.indexOf("patient")} requests began before`);
  await Promise.all(many);
  ok(begunAtTimer !== undefined && begunAtTimer < 25, `${begunAtTimer} requests began before the timer`);
});

Deno.test("requests of one client begin in the order of their arrival", async () => {
  const untilTurn = createTurns();
  const begun: number[] = [];
  const numbers = Array.from({ length: 20 }, (_, i) => i);
  await Promise.all(numbers.map((number) => untilTurn("client").then(() => begun.push(number))));
  deepStrictEqual(begun, numbers);
});
