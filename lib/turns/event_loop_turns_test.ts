import { deepStrictEqual, ok } from "node:assert/strict";
import { pauseAfter } from "./event_loop_turns.ts";

Deno.test("work goes on for its time, then pauses until the next turn of the event loop", async () => {
  const untilFree = pauseAfter(50);
  const steps: string[] = [];
  setImmediate(() => steps.push("other work"));
  await untilFree();
  steps.push("first");
  await untilFree();
  steps.push("second");
  for (const endsAt = performance.now() + 51; performance.now() < endsAt;);
  await untilFree();
  steps.push("third");
  deepStrictEqual(steps, ["first", "second", "other work", "third"]);
});

Deno.test("what arrives during much work is noticed after a few pauses", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  using sender = await Deno.connect({ hostname: "127.0.0.1", port: (listener.addr as Deno.NetAddr).port });
  using receiver = await listener.accept();
  const untilFree = pauseAfter(1, { listenEvery: 4 });
  const pauses: number[] = [];
  for (let round = 0; round < 8; round++) {
    let hasArrived = false;
    const reading = receiver.read(new Uint8Array(1)).then(() => hasArrived = true);
    await sender.write(new Uint8Array(1));
    let turns = 0;
    for (; !hasArrived && turns < 1_000; turns++) {
      for (const endsAt = performance.now() + 1; performance.now() < endsAt;);
      await untilFree();
    }
    pauses.push(turns);
    await reading;
  }
  ok(Math.max(...pauses) <= 16, `noticed after ${pauses} pauses`);
});
