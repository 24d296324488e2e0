import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { openTestDatabase } from "../tests/support/database/test_database.ts";
import { type Placeholders, prepare } from "./prepared_query.ts";

const database = await openTestDatabase();
Deno.test.afterAll(() => database[Symbol.asyncDispose]());

const now = new Date();
await database.db.insertInto("rate_limits").values(
  ["a", "b", "c"].map((client, i) => ({ policy: "login", client, requests: i, window_ends_at: now })),
).execute();

interface Values {
  clients: string[];
  limit: number;
  requests: number;
}

let builds = 0;
const selectClients = prepare((db, { clients, limit, requests }: Placeholders<Values>) => {
  builds++;
  return db.selectFrom("rate_limits").select(["client", "window_ends_at"])
    .where("requests", ">=", requests).where("requests", "<", sql<number>`${requests}::int + 2`)
    .where("client", "=", sql<string>`any(${clients})`).where("policy", "=", "login")
    .orderBy("client").limit(limit);
});

Deno.test("a prepared query puts each value in every place that names it, and keeps its constants", async () => {
  const clients = ["a", "b", "c"];
  const select = async (values: Values) => (await selectClients(database.db, values)).map(({ client }) => client);
  deepStrictEqual(await select({ clients, limit: 3, requests: 0 }), ["a", "b"]);
  deepStrictEqual(await select({ clients, limit: 3, requests: 1 }), ["b", "c"]);
  deepStrictEqual(await select({ clients, limit: 1, requests: 1 }), ["b"]);
  deepStrictEqual(await select({ clients: ["c"], limit: 3, requests: 1 }), ["c"]);
  deepStrictEqual(await select({ clients: [], limit: 3, requests: 1 }), []);
  strictEqual(builds, 1);
});

Deno.test("a prepared query runs in the transaction that it is given", async () => {
  const values = { clients: ["d"], limit: 1, requests: 0 };
  const insideRows = await database.db.transaction().execute(async (trx) => {
    await trx.insertInto("rate_limits").values({ policy: "login", client: "d", requests: 1, window_ends_at: now })
      .execute();
    const rows = await selectClients(trx, values);
    await trx.deleteFrom("rate_limits").where("client", "=", "d").execute();
    return rows;
  });
  deepStrictEqual(insideRows, [{ client: "d", window_ends_at: now }]);
  deepStrictEqual(await selectClients(database.db, values), []);
});
