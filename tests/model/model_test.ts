import { strictEqual } from "node:assert/strict";
import { MINUTE_SECONDS } from "../../lib/duration.ts";
import { runModel, summary } from "./model.ts";

const seed = Deno.env.get("MODEL_SEED") ?? crypto.randomUUID().slice(0, 8);
const seconds = Number(Deno.env.get("MODEL_SECONDS") ?? 3 * MINUTE_SECONDS);

Deno.test("two instances that are disturbed keep the rules of docs/model.md", async () => {
  console.log(`MODEL_SEED=${seed}`);
  const run = await runModel({ seed, seconds });
  console.log(summary(run));
  strictEqual(run.violations.length, 0, summary(run));
});
