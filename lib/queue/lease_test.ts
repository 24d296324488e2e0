import { deepStrictEqual } from "node:assert/strict";
import { keepLease } from "./lease.ts";

Deno.test("a renewal that has begun ends before the lease does", async () => {
  const [begun, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const order: string[] = [];
  const renew = async () => {
    begun.resolve();
    await stored.promise;
    order.push("renewed");
  };
  await (async () => {
    await using _lease = keepLease(renew, 1);
    await begun.promise;
    setTimeout(stored.resolve);
  })();
  order.push("lease ended");
  await stored.promise;
  deepStrictEqual(order, ["renewed", "lease ended"]);
});
