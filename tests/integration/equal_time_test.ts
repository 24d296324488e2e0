import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { Db } from "../../db/schema.ts";
import { inEqualTime } from "../../lib/accounts/equal_time.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();

/** Counts the transactions that are open at once. */
function counting() {
  const counts = { open: 0, most: 0 };
  const transaction = () => ({
    async execute<T>(work: Parameters<ReturnType<Db["transaction"]>["execute"]>[0]) {
      counts.most = Math.max(counts.most, ++counts.open);
      try {
        return await app.services.db.transaction().execute(work) as T;
      } finally {
        counts.open--;
      }
    },
  });
  return { counts, services: { ...app.services, db: { transaction } as unknown as Db } };
}

Deno.test("requests for one address take one connection at a time, and other addresses need not wait", async () => {
  const { counts, services } = counting();
  const order: number[] = [];
  const call = (index: number) => inEqualTime(services, "one@example.com", () => Promise.resolve(order.push(index)));
  await Promise.all(Array.from({ length: 20 }, (_, index) => call(index)));
  strictEqual(counts.most, 1);
  deepStrictEqual(order, Array.from({ length: 20 }, (_, index) => index));

  const emails = Array.from({ length: 5 }, (_, index) => `many-${index}@example.com`);
  await Promise.all(emails.map((email) => inEqualTime(services, email, () => Promise.resolve())));
  ok(counts.most > 1);
});

Deno.test("a flood for one address is refused, and the requests before it are not", async () => {
  const hold = Promise.withResolvers<void>();
  const call = () => inEqualTime(app.services, "flooded@example.com", () => hold.promise);
  const accepted = Array.from({ length: 101 }, call);
  const refused = call();
  hold.resolve(); // The refusal does not wait for it. Without one, the call would end well.
  await rejects(refused, { code: "UNAVAILABLE" });
  await Promise.all(accepted);
});
