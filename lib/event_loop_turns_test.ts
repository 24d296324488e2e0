import { deepStrictEqual } from "node:assert/strict";
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
