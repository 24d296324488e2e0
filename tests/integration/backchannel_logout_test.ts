import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { createLocalJWKSet, jwtVerify } from "jose";
import { sql } from "kysely";
import { suspendUser } from "../../lib/admin/suspension.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { endSessions } from "../../lib/access/session.ts";
import { createLogoutDispatcher } from "../../lib/authorization_server/logout/logout_queue.ts";
import { sweepLogouts } from "../../lib/grants/logout_delivery.ts";
import type { RegisteredClient } from "../../lib/config/registered_client.ts";
import { deleteDueAccounts } from "../../lib/accounts/account_deletion.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { sweepExpiredRows } from "../../lib/jobs/expired_rows.ts";
import { logIn, mailedToken, PASSWORD, principalOf, registerVerifiedUser } from "../support/app/accounts.ts";
import { connect, giveCode, openAuthorizationApp, postForm, refresh, tokensIn } from "../support/app/authorization.ts";
import {
  acceptLogout,
  deliverDueLogouts,
  type ReceivedLogout,
  startLogoutReceiver,
} from "../support/app/logout_receiver.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { waitFor } from "../support/wait_for.ts";

const app = await openAuthorizationApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { services } = app;
const { db } = services;
const receiver = startLogoutReceiver();
Deno.test.afterAll(() => receiver[Symbol.asyncDispose]());
const clients = services.config.registrations!.clients as Map<string, RegisteredClient>;
/** The path of each app at the receiver. The phone hears of nothing. */
for (const id of ["wiki", "es256", "portal"]) clients.get(id)!.backchannelLogoutUri = `${receiver.url}/${id}`;
Deno.test.beforeEach(async () => {
  await db.deleteFrom("logout_deliveries").execute();
  receiver.received.length = 0;
  receiver.answer = acceptLogout;
});

const deliver = () => deliverDueLogouts(services);
const waiting = async () =>
  (await db.selectFrom("logout_deliveries").select(["client_id", "attempts"]).orderBy("client_id").execute())
    .map(({ client_id: id, attempts }) => `${id} ${attempts}`);
const paths = () => receiver.received.map(({ path }) => path.slice(1)).sort();
const fail = (status: number, headers?: HeadersInit) => () => new Response(null, { status, headers });

/**
 * A person with two sessions: `here` has a grant of the wiki and the phone, `there` one of es256 and an offline one.
 */
async function openWorld() {
  const email = `${crypto.randomUUID()}@example.com`;
  const { client: here, id } = await registerVerifiedUser(app, email);
  const { session: { id: hereId } } = await principalOf(app, here);
  const there = app.client();
  await logIn(there, email);
  const { session: { id: thereId } } = await principalOf(app, there);
  const wiki = await connect(app, here, "wiki");
  await connect(app, here, "wiki");
  await connect(app, here, "phone");
  await connect(app, there, "es256");
  const portal = await connect(app, there, "portal");
  return { id, email, here, there, hereId, thereId, wiki, portal };
}
type World = Awaited<ReturnType<typeof openWorld>>;

async function claimsOf({ token }: ReceivedLogout, algorithm = "RS256") {
  const keys = createLocalJWKSet(await (await app.client().get("/.well-known/jwks.json")).json());
  const options = { typ: "logout+jwt", algorithms: [algorithm], currentDate: services.now() };
  return (await jwtVerify(token, keys, options)).payload;
}

Deno.test("a login of the same person in the same browser keeps the apps, one of another person ends them", async () => {
  const { email, here, hereId, wiki } = await openWorld();
  app.advance(DAY_SECONDS);
  strictEqual((await here.send("POST", "/auth/login", { email, password: PASSWORD })).status, 200);
  const { session, user } = await principalOf(app, here);
  deepStrictEqual([session.id, session.startedAt, session.authenticatedAt], [hereId, services.now(), services.now()]);
  const other = `${crypto.randomUUID()}@example.com`;
  await registerVerifiedUser(app, other);
  deepStrictEqual(await waiting(), []);
  const { refresh_token } = await tokensIn(refresh(app, "wiki", wiki.refresh_token!));

  strictEqual((await here.send("POST", "/auth/login", { email: other, password: PASSWORD })).status, 200);
  notStrictEqual((await principalOf(app, here)).user.id, user.id);
  deepStrictEqual(await waiting(), ["phone 0", "wiki 0"]);
  strictEqual((await refresh(app, "wiki", refresh_token!)).status, 400);
});

Deno.test("the end of a session is sent once to each app that it was used for, as a signed token", async () => {
  const { id, here, there, hereId, thereId } = await openWorld();
  await here.send("POST", "/auth/logout", {});
  deepStrictEqual(await deliver(), 1);
  const [logout] = receiver.received;
  strictEqual(logout.contentType, "application/x-www-form-urlencoded");
  const { jti, ...claims } = await claimsOf(logout);
  const now = Math.floor(services.now().getTime() / 1000);
  deepStrictEqual(claims, {
    iss: services.config.baseUrl,
    aud: "wiki",
    iat: now,
    exp: now + 120,
    sub: id,
    sid: hereId,
    events: { "http://schemas.openid.net/event/backchannel-logout": {} },
  });
  ok(typeof jti === "string" && jti.length > 20);
  strictEqual(await deliver(), 0);
  await there.send("POST", "/auth/logout", {});
  strictEqual(await deliver(), 2);
  deepStrictEqual(paths(), ["es256", "portal", "wiki"]);
  const es256 = receiver.received.find(({ path }) => path === "/es256")!;
  strictEqual((await claimsOf(es256, "ES256")).sid, thereId);
  deepStrictEqual(await waiting(), ["phone 0"]);
});

/** Every way in which something ends, and the apps that hear of it. */
const ENDS: Record<string, { act(world: World): unknown; told: string[] }> = {
  "logging out": { act: ({ here }) => here.send("POST", "/auth/logout", {}), told: ["wiki"] },
  "logging out where an offline grant stays": {
    act: ({ there }) => there.send("POST", "/auth/logout", {}),
    told: ["es256", "portal"],
  },
  "a new login in the same browser": {
    act: ({ here, email }) => logIn(here, email),
    told: [],
  },
  "a login of another person in the same browser": {
    act: async ({ here }) => {
      const { email } = await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
      await logIn(here, email);
    },
    told: ["wiki"],
  },
  "ending one session": {
    act: ({ here, thereId }) => here.request(`/api/account/sessions/${thereId}`, { method: "DELETE" }),
    told: ["es256", "portal"],
  },
  "the expiry of the sessions": {
    act: async () => {
      app.advance(7 * DAY_SECONDS);
      await sweepExpiredRows(services);
    },
    told: [],
  },
  "ending the other sessions": {
    act: ({ here }) => here.send("POST", "/api/account/sessions/end-others", {}),
    told: ["es256", "portal"],
  },
  "ending the other sessions and apps": {
    act: ({ there }) => there.send("POST", "/api/account/sessions/end-others", { apps: true }),
    told: ["portal", "wiki"],
  },
  "a new password": { act: ({ there }) => changePassword(there), told: ["portal", "wiki"] },
  "a new password that keeps the other sessions": {
    act: ({ there }) => changePassword(there, { keepOthers: true }),
    told: [],
  },
  "a reset": {
    act: async ({ email }) => {
      await app.deliverMails();
      await app.client().send("POST", "/auth/forgot-password", { email });
      const body = { email, token: await mailedToken(app, email), password: "Another-horse-8" };
      await app.client().send("POST", "/auth/reset-password", body);
    },
    told: ["es256", "portal", "wiki"],
  },
  "a suspension": {
    act: ({ id }) => suspendUser(services, { who: id, by: COMMAND_LINE, reason: "spam" }),
    told: ["es256", "portal", "wiki"],
  },
  "closing": {
    act: ({ here }) => here.request("/api/account", { method: "DELETE" }),
    told: ["es256", "portal", "wiki"],
  },
  "closing and the deletion before the delivery": {
    act: async ({ here, id }) => {
      await here.request("/api/account", { method: "DELETE" });
      app.advance(15 * DAY_SECONDS);
      while (await deleteDueAccounts(services) > 0);
      strictEqual((await db.selectFrom("users").select("id").where("id", "=", id).execute()).length, 0);
    },
    told: ["es256", "portal", "wiki"],
  },
  "disconnecting an app": {
    act: async ({ here }) => {
      const { data } = await (await here.get("/api/account/apps")).json();
      const { id } = data.find(({ clientId }: { clientId: string }) => clientId === "portal");
      await here.request(`/api/account/apps/${id}`, { method: "DELETE" });
    },
    told: ["portal"],
  },
  "a revocation by the app": {
    act: ({ portal }) => postForm(app, "/oauth/revoke", { client_id: "portal", token: portal.refresh_token }),
    told: [],
  },
  "the reuse of a refresh token": {
    act: async ({ portal: { refresh_token: first } }) => {
      const second = await tokensIn(refresh(app, "portal", first));
      await tokensIn(refresh(app, "portal", second.refresh_token!));
      strictEqual((await refresh(app, "portal", first)).status, 400);
    },
    told: [],
  },
};

async function changePassword(client: TestClient, more = {}): Promise<void> {
  const body = { currentPassword: PASSWORD, newPassword: "Another-horse-8", ...more };
  strictEqual((await client.send("PUT", "/api/account/password", body)).status, 200);
}

for (const [name, { act, told }] of Object.entries(ENDS)) {
  Deno.test(`${name}: who hears of it`, async () => {
    const world = await openWorld();
    await act(world);
    await deliver();
    deepStrictEqual(paths(), told);
    for (const logout of receiver.received) {
      const { sub, sid, aud } = await claimsOf(logout, logout.path === "/es256" ? "ES256" : "RS256");
      deepStrictEqual([sub, sid], [world.id, aud === "wiki" ? world.hereId : world.thereId]);
    }
    await sweepLogouts(services);
    deepStrictEqual(await waiting(), []);
  });
}

Deno.test("an offline grant whose session ended long ago is told when it ends", async () => {
  const { here, there, thereId } = await openWorld();
  await there.send("POST", "/auth/logout", {});
  await deliver();
  receiver.received.length = 0;
  await changePassword(here);
  strictEqual(await deliver(), 1);
  strictEqual((await claimsOf(receiver.received[0])).sid, thereId);
});

Deno.test("a logout that is rolled back tells no one", async () => {
  const { hereId } = await openWorld();
  const failing = db.transaction().execute(async (trx) => {
    await endSessions(trx, [hereId], { reason: "logout", client: SOME_CLIENT, now: services.now() });
    throw new Error("rolled back");
  });
  await rejects(failing, /rolled back/);
  deepStrictEqual(await waiting(), []);
});

Deno.test("apps without an address hear nothing, and their rows are swept", async () => {
  const { here } = await openWorld();
  await here.send("POST", "/auth/logout", {});
  strictEqual(await deliver(), 1);
  deepStrictEqual(await waiting(), ["phone 0"]);
  await sweepLogouts(services);
  deepStrictEqual(await waiting(), []);
});

Deno.test("a code that no one has exchanged counts as a grant", async () => {
  const { client } = await registerVerifiedUser(app, "code-only@example.com");
  await giveCode(app, client, "wiki");
  await client.send("POST", "/auth/logout", {});
  strictEqual(await deliver(), 1);
});

/** Logs someone out of the wiki. */
async function endWiki(): Promise<void> {
  const { client } = await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
  await connect(app, client, "wiki");
  await client.send("POST", "/auth/logout", {});
}

for (const status of [429, 500, 503]) {
  Deno.test(`after status ${status}, it is sent again with the same id and a new token`, async () => {
    await endWiki();
    receiver.answer = fail(status);
    await deliver();
    deepStrictEqual(await waiting(), ["wiki 1"]);
    app.advance(MINUTE_SECONDS);
    receiver.answer = acceptLogout;
    strictEqual(await deliver(), 1);
    const [first, second] = await Promise.all(receiver.received.map((each) => claimsOf(each)));
    strictEqual(first.jti, second.jti);
    strictEqual(second.iat! - first.iat!, MINUTE_SECONDS);
    deepStrictEqual(await waiting(), []);
  });
}

Deno.test("an app that is down is tried for 24 hours", async () => {
  await endWiki();
  const wiki = clients.get("wiki")!;
  const { backchannelLogoutUri: known } = wiki;
  wiki.backchannelLogoutUri = "http://127.0.0.1:1/";
  await deliver();
  app.advance(23 * HOUR_SECONDS);
  await deliver();
  deepStrictEqual(await waiting(), ["wiki 2"]);
  app.advance(HOUR_SECONDS);
  app.logLines.length = 0;
  await deliver();
  wiki.backchannelLogoutUri = known;
  deepStrictEqual(await waiting(), []);
  const [line] = app.logLines.map((each) => JSON.parse(each)).filter(({ message }) => /abandoned/.test(message));
  deepStrictEqual([line.level, line.message, line.client], ["warn", "logout delivery abandoned", "wiki"]);
});

for (const status of [201, 202, 302, 307, 400, 401, 404, 410]) {
  Deno.test(`status ${status} ends it with a warning`, async () => {
    await endWiki();
    app.logLines.length = 0;
    receiver.answer = fail(status, { Location: `${receiver.url}/elsewhere` });
    await deliver();
    deepStrictEqual(await waiting(), []);
    deepStrictEqual(paths(), ["wiki"], "no redirect is followed");
    const [line] = app.logLines.map((each) => JSON.parse(each)).filter(({ message }) => /abandoned/.test(message));
    deepStrictEqual([line.level, line.answer], ["warn", `status ${status}`]);
  });
}

Deno.test("status 204 is a success", async () => {
  await endWiki();
  app.logLines.length = 0;
  receiver.answer = fail(204);
  await deliver();
  deepStrictEqual(await waiting(), []);
  ok(app.logLines.some((line) => line.includes('"logout sent"')));
});

Deno.test("no log line has a token", async () => {
  await endWiki();
  await endWiki();
  app.logLines.length = 0;
  const answers = [fail(503), fail(400)];
  receiver.answer = () => answers.pop()!();
  await deliver();
  const lines = app.logLines.join("\n");
  ok(/will retry/.test(lines) && /abandoned/.test(lines), lines);
  for (const { token } of receiver.received) {
    for (const part of token.split(".")) ok(!lines.includes(part));
  }
  ok(!lines.includes("eyJ"), lines);
});

Deno.test("a slow app holds up no other, and gets at most five at once", async () => {
  for (let i = 0; i < 7; i++) await endWiki();
  const { there } = await openWorld();
  await there.send("POST", "/auth/logout", {});
  const stalled = Promise.withResolvers<Response>();
  receiver.answer = ({ path }) => path === "/wiki" ? stalled.promise : acceptLogout();
  const dispatcher = createLogoutDispatcher(services);
  await dispatcher.dispatch();
  await waitFor("the other apps", () => paths().includes("es256") && paths().includes("portal"));
  await waitFor("the slow app", () => paths().filter((path) => path === "wiki").length === 5);
  strictEqual(await dispatcher.dispatch(), 0);
  stalled.resolve(acceptLogout());
  await dispatcher.waitUntilIdle();
  strictEqual(await deliver(), 2);
});

Deno.test("two instances send a logout once", async () => {
  await endWiki();
  const counts = await Promise.all([deliver(), deliver()]);
  strictEqual(counts[0] + counts[1], 1);
  strictEqual(receiver.received.length, 1);
});

Deno.test("a logout whose process died is sent by another one after the lease", async () => {
  await endWiki();
  await sql`update logout_deliveries set attempts = 1, next_attempt_at = ${services.databaseTime(15)}`.execute(db);
  strictEqual(await deliver(), 0);
  app.advance(15);
  strictEqual(await deliver(), 1);
  deepStrictEqual(await waiting(), []);
});
