import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { isSeenDue, markSeen } from "../../lib/access/session.ts";
import { hashToken } from "../../lib/crypto/token.ts";
import { DAY_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { PASSWORD, principalOf, registerVerifiedUser } from "../support/app/accounts.ts";
import { BASE_URL, openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { waitFor } from "../support/wait_for.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;

function sessionOf(client: TestClient) {
  return db.selectFrom("sessions").selectAll().where("id", "=", hashToken(client.cookies.get("auth_session")!))
    .executeTakeFirstOrThrow();
}

function login(client: TestClient, email: string, headers: HeadersInit = {}): Promise<Response> {
  return client.send("POST", "/auth/login", { email, password: PASSWORD }, headers);
}

async function requireLogin(client: TestClient, email: string): Promise<void> {
  const response = await login(client, email);
  strictEqual(response.status, 200, await response.text());
}

/** Whether each sign-in of the user, oldest first, was in a new browser. */
async function newDevices(userId: string): Promise<unknown[]> {
  const rows = await db.selectFrom("events").select("details").where("user_id", "=", userId)
    .where("kind", "=", "session.started").orderBy("id").execute();
  return rows.map(({ details }) => details.newDevice);
}

Deno.test("a session stores how, when and from where it was opened", async () => {
  const { client, email } = await registerVerifiedUser(app, "facts@example.com");
  const { method, public_id: firstId } = await sessionOf(client);
  strictEqual(method, "password", "a registration counts as password");
  app.advance(10);
  const other = app.client("192.0.2.77");
  await login(other, email, { "User-Agent": "x".repeat(600) });
  const { id: _, user_id: __, expires_at: ___, public_id: publicId, ...facts } = await sessionOf(other);
  const now = app.services.now();
  deepStrictEqual(facts, {
    created_at: now,
    last_seen_at: now,
    client_address: "192.0.2.77",
    user_agent: "x".repeat(512),
    method: "password",
    authenticated_at: now,
    second_factor: null,
    last_proof: null,
  });
  notStrictEqual(publicId, firstId);
});

Deno.test("sessions of version 0.1.0 get a public id and the defaults", async () => {
  const { id } = await registerVerifiedUser(app, "previous@example.com");
  const now = app.services.now();
  // As version 0.1.0 inserts it.
  const row: object = { id: "previous", user_id: id, created_at: now, expires_at: now };
  await db.insertInto("sessions").values(row as never).execute();
  const session = await db.selectFrom("sessions").selectAll().where("id", "=", "previous").executeTakeFirstOrThrow();
  strictEqual(session.method, "password");
  ok(session.public_id.length === 36 && session.authenticated_at instanceof Date);
});

Deno.test("the last use of a session is written at most every five minutes", async () => {
  const { client } = await registerVerifiedUser(app, "seen@example.com");
  const openedAt = app.services.now();
  app.advance(5 * MINUTE_SECONDS - 1);
  await client.get("/api/profile");
  ok(!isSeenDue((await principalOf(app, client)).session, app.services.now()));
  deepStrictEqual((await sessionOf(client)).last_seen_at, openedAt);

  app.advance(1);
  await client.get("/api/profile");
  await waitFor("the write", async () => (await sessionOf(client)).last_seen_at > openedAt);
  const seenAt = app.services.now();
  deepStrictEqual((await sessionOf(client)).last_seen_at, seenAt);

  app.advance(5 * MINUTE_SECONDS - 1);
  await markSeen(app.services, (await principalOf(app, client)).session);
  deepStrictEqual((await sessionOf(client)).last_seen_at, seenAt, "a concurrent request has already written");
});

Deno.test("the last use of a session is written after the response", async () => {
  const { client } = await registerVerifiedUser(app, "seen-later@example.com");
  const openedAt = app.services.now();
  app.advance(5 * MINUTE_SECONDS);
  const { promise: completed, resolve: complete } = Promise.withResolvers<void>();
  const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 }, completed } as Deno.ServeHandlerInfo;
  const headers = { cookie: `auth_session=${client.cookies.get("auth_session")}` };
  const response = await app.handler(new Request(`${BASE_URL}/api/profile`, { headers }), info);
  strictEqual(response.status, 200);
  deepStrictEqual((await sessionOf(client)).last_seen_at, openedAt);
  complete();
  await waitFor("the write", async () => (await sessionOf(client)).last_seen_at > openedAt);
});

Deno.test("a browser is recognized by its cookie, per user, and not by its address", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "devices@example.com");
  deepStrictEqual(await newDevices(id), [false], "the first sign-in of an account is not news");
  const device = client.cookies.get("device")!;
  await client.request("/auth/logout", { method: "POST" });
  strictEqual(client.cookies.get("device"), device, "a logout keeps it");

  await login(client, email);
  const sameAddress = app.client("10.99.0.1");
  await login(sameAddress, email);
  await login(app.client("10.99.0.1"), email);
  deepStrictEqual(await newDevices(id), [false, false, true, true]);

  const other = await registerVerifiedUser(app, "devices-too@example.com");
  await login(client, other.email);
  deepStrictEqual(await newDevices(other.id), [false, true], "the browser is new for another user");
  const shared = client.cookies.get("device")!;
  deepStrictEqual(shared.split(".").slice(1), [device], "users of one browser share its cookie");
  await login(client, email);
  deepStrictEqual(client.cookies.get("device"), shared.split(".").toReversed().join("."));
  await login(client, other.email);
  deepStrictEqual([(await newDevices(id)).at(-1), (await newDevices(other.id)).at(-1)], [false, false]);
});

Deno.test("a browser is recognized for the last five users who signed in with it", async () => {
  const users = [];
  for (let i = 0; i < 6; i++) users.push(await registerVerifiedUser(app, `family${i}@example.com`));
  const client = app.client();
  for (const { email } of users) await requireLogin(client, email);
  strictEqual(client.cookies.get("device")!.split(".").length, 5);
  for (const { email } of users.toReversed()) await requireLogin(client, email);
  const last = await Promise.all(users.map(async ({ id }) => (await newDevices(id)).at(-1)));
  deepStrictEqual(last, [true, false, false, false, false, false]);
});

/** Plants a cookie in the victim's browser, as a sibling site can, and lets the victim log in there. */
async function logInWithPlanted(cookie: string, email: string): Promise<TestClient> {
  const browser = app.client();
  browser.cookies.set("device", cookie);
  await requireLogin(browser, email);
  return browser;
}

Deno.test("a device cookie that was planted in someone's browser does not silence the alert for whoever planted it", async () => {
  const victim = await registerVerifiedUser(app, "planted@example.com");
  const attacker = await registerVerifiedUser(app, "planter@example.com");
  const issued = attacker.client.cookies.get("device")!;
  const invented = ["a", "b", "c", "d", "e"].map((letter) => letter.repeat(43));
  for (const cookie of [issued, invented[0], invented.join("."), `${issued}.${invented[0]}`]) {
    const browser = await logInWithPlanted(cookie, victim.email);
    await requireLogin(browser, victim.email);
    strictEqual((await newDevices(victim.id)).at(-1), false, "the victim's browser is known by a token of its own");
    const thief = app.client();
    for (const token of [cookie, ...cookie.split(".")]) {
      thief.cookies.set("device", token);
      await requireLogin(thief, victim.email);
      strictEqual((await newDevices(victim.id)).at(-1), true, `${cookie} -> ${token}`);
      thief.cookies.clear();
    }
  }
  const rows = await db.selectFrom("devices").select("token_hash").where("user_id", "=", victim.id).execute();
  const planted = [issued, ...invented].map(hashToken);
  deepStrictEqual(rows.filter(({ token_hash }) => planted.includes(token_hash)), []);
});

Deno.test("a token that has expired is never remembered again", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "expired-device@example.com");
  const expired = client.cookies.get("device")!;
  app.advance(400 * DAY_SECONDS);
  await login(app.client(), email);
  await login(client, email);
  deepStrictEqual((await newDevices(id)).at(-1), true);
  const rows = await db.selectFrom("devices").select("token_hash").where("user_id", "=", id)
    .where("expires_at", ">", app.services.now()).execute();
  ok(!rows.some(({ token_hash }) => token_hash === hashToken(expired)));
});

Deno.test("the device cookie lasts 400 days from the last sign-in, and only its hash is stored", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "lasting@example.com");
  const stored = await db.selectFrom("devices").selectAll().where("user_id", "=", id).executeTakeFirstOrThrow();
  strictEqual(stored.token_hash, hashToken(client.cookies.get("device")!));
  app.advance(400 * DAY_SECONDS - 1);
  await login(client, email);
  app.advance(400 * DAY_SECONDS - 1);
  const response = await login(client, email);
  const line = response.headers.getSetCookie().find((cookie) => cookie.startsWith("device="));
  strictEqual(line, `device=${client.cookies.get("device")}; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax`);
  deepStrictEqual(await newDevices(id), [false, false, false]);
  app.advance(400 * DAY_SECONDS);
  await login(app.client(), email);
  await login(client, email);
  deepStrictEqual((await newDevices(id)).at(-1), true);
});

Deno.test("a malformed device cookie and two of them count as none", async () => {
  const { client, email } = await registerVerifiedUser(app, "tossed-device@example.com");
  const own = client.cookies.get("device")!;
  const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } } as Deno.ServeHandlerInfo;
  for (const cookie of ["device=x", `device=${own}; device=${"x".repeat(43)}`]) {
    const request = new Request(`${BASE_URL}/auth/login`, {
      method: "POST",
      body: JSON.stringify({ email, password: PASSWORD }),
      headers: { "Content-Type": "application/json", cookie },
    });
    const lines = (await app.handler(request, info)).headers.getSetCookie();
    const given = lines.find((line) => line.startsWith("device="))!.slice("device=".length, "device=".length + 43);
    ok(/^[\w-]{43}$/.test(given) && given !== own && given !== "x".repeat(43), cookie);
  }
});
