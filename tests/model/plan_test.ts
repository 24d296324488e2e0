import { deepStrictEqual, notDeepStrictEqual, ok } from "node:assert/strict";
import { personPlan } from "./acts.ts";
import { randomOf } from "./plan.ts";

const LENGTH = 500;

Deno.test("the same seed and name draw the same steps, and others draw others", () => {
  deepStrictEqual(personPlan("seed", "person-1", LENGTH), personPlan("seed", "person-1", LENGTH));
  notDeepStrictEqual(personPlan("seed", "person-1", LENGTH), personPlan("seed", "person-2", LENGTH));
  notDeepStrictEqual(personPlan("seed", "person-1", LENGTH), personPlan("other", "person-1", LENGTH));
  deepStrictEqual(personPlan("seed", "person-1", LENGTH).slice(0, 9), personPlan("seed", "person-1", 9));
});

Deno.test("random numbers are spread evenly from 0 to below 1", () => {
  const random = randomOf("seed");
  const tenths = Array<number>(10).fill(0);
  for (let count = 0; count < 10_000; count++) tenths[Math.floor(random() * 10)] += 1;
  ok(tenths.every((count) => count > 900 && count < 1100), tenths.join());
});
