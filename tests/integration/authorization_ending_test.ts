import { deepStrictEqual, ok as isTrue, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { suspendUser } from "../../lib/admin/suspension.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { deleteDueAccounts } from "../../lib/accounts/account_deletion.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "../../lib/duration.ts";
import { sweepExpiredRows } from "../../lib/jobs/expired_rows.ts";
import { revokeSecrets } from "../../lib/installation/secrets.ts";
import { DOT } from "../../lib/ui/account/Origin.tsx";
import { logIn, mailedToken, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import {
  connect,
  errorOf,
  exchange,
  giveCode,
  type GivenCode,
  openAuthorizationApp,
  postForm,
  REDIRECT_URI,
  refresh,
  tokensIn,
} from "../support/app/authorization.ts";
import { allowDevice, COMMAND_LINE_APP, poll, startDevice } from "../support/app/devices.ts";
import { readPage } from "../support/app/page_reader.ts";
import { serviceApp, serviceToken } from "../support/app/service_apps.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openAuthorizationApp(
  { LOGIN_MAX_ATTEMPTS: "0", CLIENT_METADATA_DOCUMENTS: "on" },
  [COMMAND_LINE_APP, serviceApp("robot", { scope: "users:read" })],
);
const { services } = app;
const { db } = services;

/** A person with two sessions. Each has a grant that ends with it, and the other one an offline grant too. */
interface World {
  id: string;
  email: string;
  here: TestClient;
  there: TestClient;
  tokens: Record<Grant, string>;
  /** The token of an alert that is older than the third consent. */
  alert: string;
}

const AGENT = "https://agent.example/client.json";
await db.insertInto("client_documents").values({
  id: AGENT,
  name: "The agent",
  redirect_uris: JSON.stringify([REDIRECT_URI]),
  expires_at: new Date(services.now().getTime() + DAY_SECONDS * 1000),
  used_at: services.now(),
}).execute();

/** The grants, and the apps that have them. The one of the device has been allowed, but the device has not fetched it. */
const CLIENTS = { here: "wiki", there: "es256", offline: "portal", newer: "phone", device: "cli", agent: AGENT };
type Grant = keyof typeof CLIENTS;

const NONE: Grant[] = [];
const ALL = Object.keys(CLIENTS) as Grant[];

/**
 * Every way in which something ends, the grants that are left, and the number of consents. Access tokens of a service
 * belong to no person, and `service` says whether one is left.
 */
const ENDS: Record<string, {
  act(world: World): unknown;
  left: Grant[];
  consents?: number;
  events?: string[];
  service?: boolean;
}> = {
  "logging out": {
    act: ({ here }) => ok(here.send("POST", "/auth/logout", {})),
    left: ["there", "offline", "newer", "device", "agent"],
  },
  "a new login in the same browser": {
    act: ({ here, email }) => ok(logIn(here, email)),
    left: ["here", "there", "offline", "newer", "device", "agent"],
  },
  "ending one session": {
    act: async ({ here }) => {
      const { data } = await (await here.get("/api/account/sessions")).json();
      const { id } = data.find(({ current }: { current: boolean }) => !current);
      await ok(here.request(`/api/account/sessions/${id}`, { method: "DELETE" }));
    },
    left: ["here", "offline", "newer", "device", "agent"],
  },
  "the expiry of the sessions": {
    act: async () => {
      app.advance(7 * DAY_SECONDS);
      await sweepExpiredRows(services);
    },
    left: ["offline", "newer", "agent"],
    service: false, // it has expired
  },
  "ending the other sessions": {
    act: ({ here }) => ok(here.send("POST", "/api/account/sessions/end-others", {})),
    left: ["here", "offline", "newer", "device", "agent"],
  },
  "ending the other sessions and apps": {
    act: ({ here }) => ok(here.send("POST", "/api/account/sessions/end-others", { apps: true })),
    left: ["here"],
    events: [`${AGENT}: ended`, "phone: ended", "portal: ended"],
  },
  "a new password": {
    act: ({ here }) => ok(here.send("PUT", "/api/account/password", newPassword())),
    left: ["here"],
    events: [`${AGENT}: password_changed`, "phone: password_changed", "portal: password_changed"],
  },
  "a new password that keeps the other sessions": {
    act: ({ here }) => ok(here.send("PUT", "/api/account/password", { ...newPassword(), keepOthers: true })),
    left: ALL,
  },
  "a reset": {
    act: async ({ email }) => {
      await app.deliverMails(); // alerts, which would come after the link
      await ok(app.client().send("POST", "/auth/forgot-password", { email }));
      const body = { email, token: await mailedToken(app, email), password: "Another-horse-8" };
      await ok(app.client().send("POST", "/auth/reset-password", body));
    },
    left: NONE,
    events: [`${AGENT}: password_reset`, "phone: password_reset", "portal: password_reset"],
  },
  "“not me”": {
    act: ({ alert }) => ok(app.client().send("POST", "/auth/not-me", { token: alert })),
    left: NONE,
    consents: 5,
    events: [`${AGENT}: not_me`, "phone: not_me", "portal: not_me"],
  },
  "a suspension": {
    act: ({ id }) => suspendUser(services, { who: id, by: COMMAND_LINE, reason: "spam" }),
    left: NONE,
    events: [`${AGENT}: account_suspended`, "phone: account_suspended", "portal: account_suspended"],
  },
  "a suspension in the database alone": {
    act: ({ id }) => db.updateTable("users").set({ suspended_at: services.now() }).where("id", "=", id).execute(),
    left: NONE,
  },
  "closing": {
    act: ({ here }) => ok(here.request("/api/account", { method: "DELETE" })),
    left: NONE,
    events: [`${AGENT}: account_closing`, "phone: account_closing", "portal: account_closing"],
  },
  "the deletion": {
    act: async ({ here, id }) => {
      await ok(here.request("/api/account", { method: "DELETE" }));
      app.advance(15 * DAY_SECONDS);
      while (await deleteDueAccounts(services) > 0);
      strictEqual((await db.selectFrom("users").select("id").where("id", "=", id).execute()).length, 0);
    },
    left: NONE,
    consents: 0,
    service: false, // it has expired
  },
  "a revocation of everything": {
    act: () => revokeSecrets(services, COMMAND_LINE),
    left: NONE,
    service: false,
    events: [`${AGENT}: secrets_revoked`, "phone: secrets_revoked", "portal: secrets_revoked"],
  },
  "disconnecting an app": {
    act: async ({ here }) => {
      const { data } = await (await here.get("/api/account/apps")).json();
      const { id } = data.find(({ clientId }: { clientId: string }) => clientId === "portal");
      await ok(here.request(`/api/account/apps/${id}`, { method: "DELETE" }));
    },
    left: ["here", "there", "newer", "device", "agent"],
    consents: 5,
    events: ["portal: disconnected"],
  },
  "disconnecting an app on the page": {
    act: async ({ here }) => {
      const page = await readPage(here.get("/settings/apps"));
      const { name, value } = page.button("Disconnect The es256");
      const sent = await here.submit("/settings/apps", { ...page.formWith([name!]).hidden, [name!]: value! });
      strictEqual(sent.headers.get("Location"), "/settings/apps");
    },
    left: ["here", "offline", "newer", "device", "agent"],
    consents: 5,
    events: ["es256: disconnected"],
  },
  "a revocation by the app": {
    act: ({ tokens }) => ok(postForm(app, "/oauth/revoke", { client_id: "portal", token: tokens.offline })),
    left: ["here", "there", "newer", "device", "agent"],
    events: ["portal: revoked"],
  },
  "the reuse of a refresh token": {
    act: async ({ tokens }) => {
      const second = await tokensIn(refresh(app, "portal", tokens.offline));
      await tokensIn(refresh(app, "portal", second.refresh_token!));
      deepStrictEqual(await errorOf(refresh(app, "portal", tokens.offline)), [400, "invalid_grant"]);
    },
    left: ["here", "there", "newer", "device", "agent"],
  },
  "a client that leaves the file": {
    act: () => void clients().delete("wiki"),
    left: ["there", "offline", "newer", "device", "agent"],
  },
};

/** The clients of the file, which a test may change. */
function clients(): Map<string, unknown> {
  return services.config.registrations!.clients as Map<string, unknown>;
}

function newPassword() {
  return { currentPassword: PASSWORD, newPassword: "Another-horse-8" };
}

async function ok(sent: Promise<Response>): Promise<void> {
  const response = await sent;
  strictEqual(response.ok, true, `${response.status} ${await response.text()}`);
}

async function openWorld(): Promise<World> {
  const email = `${crypto.randomUUID()}@example.com`;
  const { client: here, id } = await registerVerifiedUser(app, email);
  const there = app.client();
  const tokens = {} as World["tokens"];
  tokens.here = (await connect(app, here, CLIENTS.here)).refresh_token;
  app.mails.length = 0;
  await ok(logIn(there, email));
  const alert = await mailedToken(app, email);
  tokens.there = (await connect(app, there, CLIENTS.there)).refresh_token;
  tokens.offline = (await connect(app, there, CLIENTS.offline)).refresh_token;
  const { user_code, device_code } = await startDevice(app);
  await allowDevice(there, user_code);
  tokens.device = device_code;
  tokens.agent = (await connect(app, there, CLIENTS.agent)).refresh_token;
  await db.updateTable("consents").set({ created_at: before(services.now()) } as never).where("user_id", "=", id)
    .execute();
  tokens.newer = (await connect(app, there, CLIENTS.newer, { scopes: ["openid", "offline_access"] })).refresh_token;
  return { id, email, here, there, tokens, alert };
}

function before(now: Date): Date {
  return new Date(now.getTime() - 1000);
}

for (const [name, { act, left, consents = 6, events = [], service = true }] of Object.entries(ENDS)) {
  Deno.test(`${name}: which grants are left`, async () => {
    await db.deleteFrom("users").execute();
    const world = await openWorld();
    const removed = clients().get("wiki");
    const serviceAccess = { Authorization: `Bearer ${await serviceToken(app, "robot")}` };
    await act(world);
    strictEqual((await app.client().get("/api/users", serviceAccess)).status, service ? 200 : 401);
    const rows = await db.selectFrom("consents").select("id").where("user_id", "=", world.id).execute();
    strictEqual(rows.length, consents, "consents");
    const alive: Grant[] = [];
    for (const grant of ALL) {
      const token = world.tokens[grant];
      const response = await (grant === "device" ? poll(app, token) : refresh(app, CLIENTS[grant], token));
      if (response.status === 200) alive.push(grant);
      else {deepStrictEqual(
          (await response.json()).error,
          grant === "agent" || clients().has(CLIENTS[grant]) ? "invalid_grant" : "invalid_client",
        );}
    }
    clients().set("wiki", removed);
    deepStrictEqual(alive, left);
    const ended = await db.selectFrom("events").select("details").where("user_id", "=", world.id)
      .where("kind", "=", "app.ended").execute();
    deepStrictEqual(ended.map(({ details }) => `${details.app}: ${details.reason}`).sort(), events);
  });
}

Deno.test("an address that is confirmed in the session of its grants ends them", async () => {
  const { client, email } = await registerUser(app, "unconfirmed@example.com");
  const { refresh_token } = await connect(app, client, "wiki");
  const token = await mailedToken(app, email);
  await ok(client.send("POST", "/auth/verify-email", { email, token }));
  deepStrictEqual(await errorOf(refresh(app, "wiki", refresh_token)), [400, "invalid_grant"]);
});

Deno.test("a code whose session has ended gets nothing, and one of an offline grant does", async () => {
  const { client } = await registerVerifiedUser(app, "codes@example.com");
  const [session, offline] = [await giveCode(app, client, "wiki"), await giveCode(app, client, "portal")];
  await ok(client.send("POST", "/auth/logout", {}));
  deepStrictEqual(await errorOf(exchange(app, session)), [400, "invalid_grant"]);
  strictEqual((await exchange(app, offline)).status, 200);
});

Deno.test("codes that no one exchanged and grants that have expired are swept", async () => {
  const { client, id } = await registerVerifiedUser(app, "swept@example.com");
  const count = async () => (await db.selectFrom("grants").select("id").where("user_id", "=", id).execute()).length;
  await giveCode(app, client, "wiki");
  await connect(app, client, "wiki");
  await connect(app, client, "portal");
  strictEqual(await count(), 3);
  app.advance(59);
  await sweepExpiredRows(services);
  strictEqual(await count(), 3);
  app.advance(1);
  await sweepExpiredRows(services);
  strictEqual(await count(), 2);
  app.advance(7 * DAY_SECONDS);
  await sweepExpiredRows(services);
  strictEqual(await count(), 1, "the session has expired");
  app.advance(23 * DAY_SECONDS + HOUR_SECONDS);
  await sweepExpiredRows(services);
  strictEqual(await count(), 0);
});

Deno.test("an alert reports what goes beyond a name and an address, once, and an event every first time", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "alerts@example.com");
  const cases: [clientId: string, scopes: string[], alerts: number, events: number][] = [
    ["phone", ["openid", "profile", "email"], 0, 1],
    ["phone", ["openid", "profile", "email"], 0, 1],
    ["phone", ["openid", "offline_access"], 1, 2],
    ["phone", ["openid", "offline_access"], 1, 2],
    ["phone", ["openid", "profile:read"], 2, 3],
    ["phone", ["openid", "notes:read"], 3, 4],
    ["portal", ["openid"], 3, 5],
    ["wiki", ["openid"], 3, 6],
  ];
  app.mails.length = 0;
  for (const [clientId, scopes, alerts, events] of cases) {
    app.advance(1);
    await giveCode(app, client, clientId, { scopes });
    await app.deliverMails();
    const sent = app.mails.filter(({ to, subject }) => to === email && subject.includes("can now use"));
    const recorded = await db.selectFrom("events").select("details").where("user_id", "=", id)
      .where("kind", "=", "app.authorized").execute();
    deepStrictEqual([sent.length, recorded.length], [alerts, events], `${clientId} ${scopes}`);
  }
});

Deno.test("the connected apps are listed, and those of others cannot be disconnected", async () => {
  const { client } = await registerVerifiedUser(app, "lists@example.com");
  const { client: other } = await registerVerifiedUser(app, "other@example.com");
  await connect(app, client, "wiki", { scopes: ["openid", "email"] });
  app.advance(1);
  await connect(app, client, "portal");
  await connect(app, client, "portal");
  await giveCode(app, client, "portal");
  const { data } = await (await client.get("/api/account/apps")).json();
  const [portal, wiki] = data;
  strictEqual(data.length, 2);
  const { id: _id, createdAt, lastUsedAt, ...rest } = portal;
  strictEqual(createdAt, lastUsedAt);
  deepStrictEqual(rest, {
    clientId: "portal",
    name: "The portal",
    host: "app.example",
    scopes: ["openid"],
    resource: null,
    resources: [],
    firstParty: true,
    offline: true,
    grants: 2,
    devices: [],
  });
  deepStrictEqual([wiki.firstParty, wiki.offline, wiki.grants], [false, false, 1]);
  strictEqual((await (await client.get("/api/account")).json()).data.apps, 2);
  const remove = (by: TestClient, id: string) => by.request(`/api/account/apps/${id}`, { method: "DELETE" });
  strictEqual((await remove(other, portal.id)).status, 404);
  strictEqual((await remove(client, portal.id)).status, 204);
  strictEqual((await remove(client, portal.id)).status, 404);
  const removed = clients().get("wiki");
  clients().delete("wiki");
  const [gone] = (await (await client.get("/api/account/apps")).json()).data;
  deepStrictEqual([gone.name, gone.host], ["wiki", null]);
  clients().set("wiki", removed);
});

Deno.test("the page of connected apps says in words what they may do", async () => {
  const { client } = await registerVerifiedUser(app, "words@example.com");
  const scopes = ["openid", "email", "profile:read", "notes:read"];
  await connect(app, client, "phone", { scopes, resource: "https://notes.example" });
  const page = await (await client.get("/settings/apps")).text();
  const words = ["Know who you are", "See your email address", "Read your profile", "Notes: See your notes"];
  isTrue(page.includes(`Allowed: ${words.join(DOT)}<`), page);
});

/** Copies the newest grant of a person, until the app has this many more. The copies are newer than it. */
async function copyGrants(userId: string, count: number): Promise<void> {
  await sql`
    insert into grants (id, consent_id, user_id, client_id, session_public_id, is_offline, scopes, redirect_uri,
      code_expires_at, code_spent_at, auth_time, acr, amr, generation_at, created_at, last_used_at, expires_at)
    select id || lpad(n::text, 3, '0'), consent_id, user_id, client_id, session_public_id, is_offline, scopes,
      redirect_uri, code_expires_at, code_spent_at, auth_time, acr, amr, generation_at, created_at, last_used_at, expires_at
    from (select * from grants where user_id = ${userId} order by id desc limit 1) as newest, generate_series(1, ${count}) as n
  `.execute(db);
}

async function countGrants(userId: string, clientId: string): Promise<number> {
  const rows = await db.selectFrom("grants").select("id").where("user_id", "=", userId).where(
    "client_id",
    "=",
    clientId,
  )
    .where("code_spent_at", "is not", null).execute();
  return rows.length;
}

Deno.test("the oldest of a hundred offline grants of a person at an app ends with the next one", async () => {
  const { client, id } = await registerVerifiedUser(app, "hundred@example.com");
  const { client: other } = await registerVerifiedUser(app, "hundred-other@example.com");
  const elsewhere = [
    ["portal", await connect(app, other, "portal")],
    ["phone", await connect(app, client, "phone", { scopes: ["openid", "offline_access"] })],
    ["es256", await connect(app, client, "es256")],
  ] as const;
  app.advance(1);
  const oldest = await connect(app, client, "portal");
  await copyGrants(id, 98);
  app.advance(1);
  const second = await connect(app, client, "portal");
  strictEqual(await countGrants(id, "portal"), 100);
  const alive = await tokensIn(refresh(app, "portal", oldest.refresh_token));

  const wrong = await giveCode(app, client, "portal");
  await giveCode(app, client, "portal");
  deepStrictEqual(await errorOf(exchange(app, { ...wrong, verifier: "w".repeat(43) })), [400, "invalid_grant"]);
  strictEqual(await countGrants(id, "portal"), 100, "codes that no one has exchanged end nothing");

  const next = await connect(app, client, "portal");
  strictEqual(await countGrants(id, "portal"), 100);
  deepStrictEqual(await errorOf(refresh(app, "portal", alive.refresh_token!)), [400, "invalid_grant"]);
  const read = (token: string) => app.client().get("/oauth/userinfo", { Authorization: `Bearer ${token}` });
  for (const token of [oldest.access_token, alive.access_token]) strictEqual((await read(token)).status, 401);
  for (const { access_token, refresh_token } of [second, next]) {
    strictEqual((await read(access_token)).status, 200);
    await tokensIn(refresh(app, "portal", refresh_token));
  }
  for (const [clientId, { refresh_token }] of elsewhere) await tokensIn(refresh(app, clientId, refresh_token));
  const events = await db.selectFrom("events").select("details").where("user_id", "=", id)
    .where("kind", "=", "app.ended").execute();
  deepStrictEqual(events.map(({ details }) => details), [{ app: "portal", reason: "too_many" }]);
  const activity = await (await client.get("/settings/activity")).text();
  isTrue(activity.includes("Oldest login at app “The portal” ended because there were too many"), activity);
});

Deno.test("expired offline grants leave room for others", async () => {
  const { client, id } = await registerVerifiedUser(app, "expired-grants@example.com");
  const oldest = await connect(app, client, "portal");
  await copyGrants(id, 99);
  await db.updateTable("grants").set({ expires_at: services.now() }).where("user_id", "=", id)
    .where("id", "like", "_".repeat(36) + "099").execute();
  await connect(app, client, "portal");
  await tokensIn(refresh(app, "portal", oldest.refresh_token));
});

Deno.test("twenty exchanges of one code at once end one grant at most", async () => {
  const { client, id } = await registerVerifiedUser(app, "one-code@example.com");
  await connect(app, client, "portal");
  await copyGrants(id, 99);
  app.advance(1);
  const code = await giveCode(app, client, "portal");
  const responses = await Promise.all(Array.from({ length: 20 }, () => exchange(app, code)));
  deepStrictEqual(responses.map(({ status }) => status).sort(), [200, ...Array(19).fill(400)]);
  strictEqual(await countGrants(id, "portal"), 100);
});

Deno.test("of a hundred offline grants and twenty more at once, exactly a hundred are left", async () => {
  const { client, id } = await registerVerifiedUser(app, "race-grants@example.com");
  const first = await connect(app, client, "portal");
  await copyGrants(id, 99);
  app.advance(1);
  const codes: GivenCode[] = [];
  while (codes.length < 20) codes.push(await giveCode(app, client, "portal"));
  const tokens = await Promise.all(codes.map((code) => tokensIn(exchange(app, code))));
  strictEqual(await countGrants(id, "portal"), 100);
  for (const { refresh_token } of tokens) await tokensIn(refresh(app, "portal", refresh_token!));
  deepStrictEqual(await errorOf(refresh(app, "portal", first.refresh_token)), [400, "invalid_grant"]);
});
