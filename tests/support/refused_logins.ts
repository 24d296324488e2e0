import { ok, strictEqual } from "node:assert/strict";
import type { TestApp } from "./app/test_app.ts";
import { median } from "./median.ts";

const TOLERANCE = 1.1;
/** Other processes can distort one round. A real difference would show in all of them. */
const ROUNDS = 3;

/** Fails if the time of a refused login depends on the address. */
export async function assertEqualRefusals(
  app: TestApp,
  { emails, attempts }: { emails: string[]; attempts: number },
): Promise<void> {
  const spreads: number[] = [];
  while (spreads.length < ROUNDS && !(spreads.at(-1)! <= TOLERANCE)) {
    spreads.push(await spreadOfMedians(app, emails, attempts));
  }
  ok(spreads.at(-1)! <= TOLERANCE, `slowest divided by fastest, in each round: ${spreads.join(", ")}`);
}

/** Returns the median time of the slowest kind of refusal, divided by that of the fastest. */
async function spreadOfMedians(app: TestApp, emails: string[], attempts: number): Promise<number> {
  const times = emails.map((): number[] => []);
  for (let attempt = 0; attempt < attempts; attempt++) {
    for (const [index, email] of emails.entries()) {
      const startedAt = performance.now();
      const response = await app.client().send("POST", "/auth/login", { email, password: "Wrong-horse-77" });
      times[index].push(performance.now() - startedAt);
      strictEqual(response.status, 401);
    }
  }
  const medians = times.map(median);
  return Math.max(...medians) / Math.min(...medians);
}
