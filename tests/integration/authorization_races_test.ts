import { deepStrictEqual, ok } from "node:assert/strict";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Database } from "../../db/schema.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { endOtherSessions } from "../../lib/access/session_list.ts";
import { logOut } from "../../lib/access/session.ts";
import { endGrantsOfClient } from "../../lib/admin/client_grants.ts";
import { suspendUser } from "../../lib/admin/suspension.ts";
import { disconnectApp, listConnectedApps } from "../../lib/authorization_server/connected_apps.ts";
import { createGrant } from "../../lib/authorization_server/grant.ts";
import type { RegisteredClient } from "../../lib/config/registered_client.ts";
import { exchangeCode } from "../../lib/authorization_server/tokens/code_exchange.ts";
import { refreshGrant } from "../../lib/authorization_server/tokens/refresh.ts";
import { deleteAccountNow } from "../../lib/accounts/account_deletion.ts";
import { sweepMissingClients } from "../../lib/grants/missing_client.ts";
import { sweepExpiredRows } from "../../lib/jobs/expired_rows.ts";
import { logIn, principalOf, registerVerifiedUser } from "../support/app/accounts.ts";
import { connect, giveCode, openAuthorizationApp, REDIRECT_URI } from "../support/app/authorization.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";

/** Everything that ends sessions, grants, consents and accounts, at once. */

const app = await openAuthorizationApp({ LOGIN_MAX_ATTEMPTS: "0", REFRESH_GRACE_SECONDS: "0" });
const { databaseUrl } = app.database.config;
// Not the connection of the app, which would retry after a deadlock.
const db = databaseUrl === undefined ? app.services.db : openOwnPool(databaseUrl);
Deno.test.afterAll(() => databaseUrl === undefined ? undefined : db.destroy());
const services = { ...app.services, db };
const clients = services.config.registrations!.clients as Map<string, RegisteredClient>;
const ROUNDS = databaseUrl === undefined ? 2 : 8;
const PEOPLE = 3;

function openOwnPool(connectionString: string): Kysely<Database> {
  const pool = new pg.Pool({ connectionString, max: 20, options: "-c deadlock_timeout=50ms" });
  pool.on("error", () => {}); // the database may be dropped before the last connection has closed
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}

/** A person with two sessions, in each of which two apps have two grants. */
async function openPerson() {
  const email = `${crypto.randomUUID()}@example.com`;
  const { client: here, id } = await registerVerifiedUser(app, email);
  const there = app.client();
  await logIn(there, email);
  const tokens: [clientId: string, token: string][] = [];
  for (const session of [here, there, here, there]) {
    for (const clientId of ["wiki", "portal"]) {
      tokens.push([clientId, (await connect(app, session, clientId)).refresh_token]);
    }
  }
  const { code } = await giveCode(app, here, "portal");
  const principals = await Promise.all([here, there].map((session) => principalOf(app, session)));
  const apps = await listConnectedApps(services, { id });
  return { id, tokens, code, principals, apps };
}

type Person = Awaited<ReturnType<typeof openPerson>>;

/** All that may happen to one person at once. */
function actsOn({ id, tokens, code, principals: [here, there], apps }: Person) {
  const refreshes = tokens.flatMap(([clientId, refreshToken]) =>
    // The second one may find that the token has been used.
    [1, 2].map(() => () =>
      refreshGrant(services, { client: clients.get(clientId)!, from: SOME_CLIENT }, { refreshToken, resources: [] })
    )
  );
  const agree = (clientId: string) => () =>
    db.transaction().execute((trx) =>
      createGrant(trx, services, {
        ...here,
        client: clients.get(clientId)!,
        request: { scopes: ["openid"], resource: null, redirectUri: REDIRECT_URI, codeChallenge: null, nonce: null },
      })
    );
  return [
    ...refreshes,
    () =>
      exchangeCode(services, { client: clients.get("portal")!, from: SOME_CLIENT }, {
        code,
        redirectUri: REDIRECT_URI,
        codeVerifier: "v".repeat(43),
        resources: [],
      }),
    agree("wiki"),
    agree("portal"),
    () => logOut(services, [here.session.id, there.session.id], SOME_CLIENT),
    () => logOut(services, [there.session.id, here.session.id], SOME_CLIENT),
    () => endOtherSessions(services, here, { apps: true }),
    () => endOtherSessions(services, there),
    ...apps.map((each) => () => disconnectApp(services, here, each.id)),
    () => suspendUser(services, { who: id, by: COMMAND_LINE, reason: "spam" }),
    () => deleteAccountNow(services, { userId: id, by: COMMAND_LINE, reason: "asked" }),
  ];
}

function shuffled<Item>(items: Item[]): Item[] {
  return items.map((item) => ({ item, at: Math.random() })).sort((a, b) => a.at - b.at).map(({ item }) => item);
}

Deno.test("ends of sessions, grants, consents and accounts at once do not deadlock", async () => {
  const problems = new Set<string>();
  let done = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const people: Person[] = [];
    while (people.length < PEOPLE) people.push(await openPerson());
    const acts = [
      ...people.flatMap(actsOn),
      ...["wiki", "portal", "wiki"].map((clientId) => () =>
        endGrantsOfClient(services, { clientId, by: COMMAND_LINE, reason: "leak" })
      ),
      () => sweepExpiredRows(services),
      () => sweepMissingClients(services),
    ];
    const results = await Promise.allSettled(shuffled(acts).map((act) => act()));
    for (const result of results) {
      if (result.status === "fulfilled") done++;
      else if (/deadlock|timeout|40P01/i.test(`${result.reason} ${result.reason.code}`)) {
        problems.add(`${result.reason} ${result.reason.where}`);
      }
    }
  }
  deepStrictEqual([...problems], []);
  ok(done > ROUNDS * PEOPLE * 4, `only ${done} acts succeeded`);
  const left = await db.selectFrom("grants").innerJoin("users", "users.id", "grants.user_id").select("grants.id")
    .where("users.suspended_at", "is not", null).execute();
  deepStrictEqual(left, [], "no grant of a suspended account is left");
});
