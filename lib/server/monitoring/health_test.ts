import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import type { Database } from "../../../db/schema.ts";
import type { Services } from "../../services/services.ts";
import { checkHealth } from "./health.ts";

/** Services with a database whose queries the test resolves or rejects. */
function withSlowDatabase() {
  const queries: PromiseWithResolvers<{ rows: never[] }>[] = [];
  const driver = Object.assign(new DummyDriver(), {
    acquireConnection: () =>
      Promise.resolve({
        executeQuery() {
          queries.push(Promise.withResolvers());
          return queries.at(-1)!.promise;
        },
      }),
  });
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return { queries, services: { db, now: () => new Date(), log() {} } as unknown as Services };
}

/** Runs everything that is ready to run. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("concurrent checks share one query, and later checks send another", async () => {
  const { queries, services } = withSlowDatabase();
  const first = Array.from({ length: 20 }, () => checkHealth(services));
  await settle();
  strictEqual(queries.length, 1);
  queries[0].resolve({ rows: [] });
  deepStrictEqual(new Set((await Promise.all(first)).map(({ status }) => status)), new Set(["ok"]));

  const second = checkHealth(services);
  await settle();
  queries[1].reject(new Error("gone"));
  strictEqual((await second).db, "disconnected");
});

Deno.test("a database that does not respond counts as disconnected after two seconds", async () => {
  const startedAt = performance.now();
  strictEqual((await checkHealth(withSlowDatabase().services)).db, "disconnected");
  const tookMs = performance.now() - startedAt;
  ok(tookMs > 1_990 && tookMs < 4_000, `${tookMs} ms`);
});

Deno.test("a stall of the process itself does not count as a database that does not respond", async () => {
  const { queries, services } = withSlowDatabase();
  const check = checkHealth(services);
  await settle();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
  setTimeout(() => queries[0].resolve({ rows: [] }), 5);
  strictEqual((await check).db, "connected");
});
