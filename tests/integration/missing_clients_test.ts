import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { prepareSigningKeys } from "../../lib/access/signing_keys.ts";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { sweepMissingClients } from "../../lib/grants/missing_client.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { connect, openAuthorizationApp, refresh } from "../support/app/authorization.ts";

/** Apps that leave CLIENTS_FILE. */

const app = await openAuthorizationApp({ GRANT_TTL_SECONDS: String(365 * DAY_SECONDS) });
const { services } = app;
const { db } = services;
const clients = services.config.registrations!.clients as Map<string, unknown>;
const sweep = () => sweepMissingClients(services);
Deno.test.beforeEach(async () => {
  await db.deleteFrom("users").execute();
  await db.deleteFrom("missing_clients").execute();
  await prepareSigningKeys(services);
});

/** Leaves an app out of the file until the result is disposed of. */
function withoutClient(id: string): Disposable {
  const client = clients.get(id);
  clients.delete(id);
  return { [Symbol.dispose]: () => void clients.set(id, client) };
}

async function kept(): Promise<string[]> {
  const consents = await db.selectFrom("consents").select("client_id").orderBy("client_id").execute();
  const grants = await db.selectFrom("grants").select("client_id").orderBy("client_id").execute();
  return [...consents, ...grants].map((row) => row.client_id);
}

async function missing(): Promise<string[]> {
  const rows = await db.selectFrom("missing_clients").select("client_id").orderBy("client_id").execute();
  return rows.map((row) => row.client_id);
}

/** Someone who uses two apps, one of them for longer than 90 days without a sign-in. */
async function openWorld() {
  const { client } = await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
  await connect(app, client, "wiki");
  const { refresh_token } = await connect(app, client, "portal");
  return refresh_token;
}

Deno.test("consents and grants stay for 90 days after their app has left the file", async () => {
  await openWorld();
  app.advance(200 * DAY_SECONDS);
  strictEqual(await sweep(), 0);
  deepStrictEqual(await missing(), []);
  using _ = withoutClient("portal");
  await sweep();
  deepStrictEqual(await missing(), ["portal"]);
  app.advance(90 * DAY_SECONDS - 1);
  await sweep();
  deepStrictEqual(await kept(), ["portal", "wiki", "portal", "wiki"]);
  app.advance(1);
  strictEqual(await sweep(), 0);
  deepStrictEqual(await kept(), ["wiki", "wiki"]);
  await sweep();
  deepStrictEqual(await missing(), []);
});

Deno.test("an app that comes back in time has lost nothing, and its time starts anew", async () => {
  const token = await openWorld();
  {
    using _ = withoutClient("portal");
    await sweep();
    app.advance(89 * DAY_SECONDS);
    await sweep();
  }
  await sweep();
  deepStrictEqual(await missing(), []);
  await prepareSigningKeys(services);
  strictEqual((await refresh(app, "portal", token)).status, 200);
  using _ = withoutClient("portal");
  await sweep();
  app.advance(89 * DAY_SECONDS);
  await sweep();
  deepStrictEqual(await kept(), ["portal", "wiki", "portal", "wiki"]);
});

Deno.test("without a file, every app is missing", async () => {
  await openWorld();
  const without = { ...services, config: { ...services.config, registrations: null } };
  await sweepMissingClients(without);
  deepStrictEqual(await missing(), ["portal", "wiki"]);
  app.advance(90 * DAY_SECONDS);
  await sweepMissingClients(without);
  await sweepMissingClients(without);
  deepStrictEqual(await kept(), []);
});

Deno.test("more consents than one transaction deletes are left for the next one", async () => {
  await openWorld();
  await sql`
    with people as (
      insert into users (id, email, name, created_at, updated_at)
      select 'many ' || n, n || '@many.example', 'Many', now(), now() from generate_series(1, 1000) as n returning id
    )
    insert into consents (id, user_id, client_id, scopes, resources, created_at, last_used_at)
    select 'a' || id, id, 'portal', '{openid}', '{}', now(), now() from people
  `.execute(db);
  using _ = withoutClient("portal");
  await sweep();
  app.advance(90 * DAY_SECONDS);
  strictEqual(await sweep(), 1000);
  strictEqual(await sweep(), 0);
  deepStrictEqual(await kept(), ["wiki", "wiki"]);
});
