import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import type { Database } from "../../db/schema.ts";
import type { Services } from "../services.ts";
import { checkHealth } from "./health.ts";

/** Services with a database that answers, or fails, when it is told to. */
function withSlowDatabase() {
  const asked: PromiseWithResolvers<{ rows: never[] }>[] = [];
  const driver = Object.assign(new DummyDriver(), {
    acquireConnection: () =>
      Promise.resolve({
        executeQuery() {
          asked.push(Promise.withResolvers());
          return asked.at(-1)!.promise;
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
  return { asked, services: { db, now: () => new Date(), log() {} } as unknown as Services };
}

/** Lets everything run that waits for nothing. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("checks at the same time ask the database once, later ones again", async () => {
  const { asked, services } = withSlowDatabase();
  const first = Array.from({ length: 20 }, () => checkHealth(services));
  await settle();
  strictEqual(asked.length, 1);
  asked[0].resolve({ rows: [] });
  deepStrictEqual(new Set((await Promise.all(first)).map(({ status }) => status)), new Set(["ok"]));

  const second = checkHealth(services);
  await settle();
  asked[1].reject(new Error("gone"));
  strictEqual((await second).db, "disconnected");
});

Deno.test("a database that says nothing counts as disconnected after two seconds", async () => {
  const startedAt = performance.now();
  strictEqual((await checkHealth(withSlowDatabase().services)).db, "disconnected");
  const tookMs = performance.now() - startedAt;
  ok(tookMs > 1_990 && tookMs < 4_000, `${tookMs} ms`);
});
