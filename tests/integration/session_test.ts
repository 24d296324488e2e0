import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { findPresentedSessions, findSessionEnd } from "../../lib/access/session.ts";
import { openSession } from "../../lib/access/session_start.ts";
import { createToken, hashToken } from "../../lib/crypto/token.ts";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../../lib/duration.ts";
import { sessionTokens } from "../../lib/web/authentication/presented_tokens.ts";
import { logIn, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { BASE_URL, openSharedTestApp, openTestApp, PRODUCTION } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp();
const WEEK = 7 * DAY_SECONDS;

Deno.test("a session ends after seven days", async () => {
  const { client, email } = await registerVerifiedUser(app, "week@example.com");
  const other = app.client();
  await logIn(other, email);
  app.advance(WEEK - 1);
  // Using a session extends it, so the second check needs another session.
  strictEqual((await client.get("/api/profile")).status, 200);
  app.advance(1);
  strictEqual((await other.get("/api/profile")).status, 401);
});

Deno.test("a session is extended, and its cookie set again, only past half its lifetime", async () => {
  const { client } = await registerVerifiedUser(app, "sliding@example.com");
  const token = client.cookies.get("auth_session");

  app.advance(WEEK / 2 - 1);
  strictEqual((await client.get("/api/profile")).headers.get("Set-Cookie"), null);

  app.advance(2);
  const extended = await client.get("/api/profile");
  match(extended.headers.get("Set-Cookie")!, new RegExp(`^auth_session=${token}; Max-Age=${WEEK};`));

  app.advance(WEEK - 1);
  strictEqual((await client.get("/api/profile")).status, 200);
});

Deno.test("an error response also sets the cookie of an extended session", async () => {
  const { client } = await registerVerifiedUser(app, "clumsy@example.com");
  app.advance(WEEK / 2 + 1);
  const response = await client.send("PUT", "/api/profile", { name: "" });
  strictEqual(response.status, 400);
  match(response.headers.get("Set-Cookie")!, new RegExp(`Max-Age=${WEEK};`));
  strictEqual(response.headers.get("Cache-Control"), "no-store");
});

Deno.test("a session in constant use ends after its absolute lifetime", async () => {
  const { client } = await registerVerifiedUser(app, "busy@example.com");
  for (let days = 4; days < 90; days += 4) {
    app.advance(4 * DAY_SECONDS);
    strictEqual((await client.get("/api/profile")).status, 200, `after ${days} days`);
  }
  app.advance(2 * DAY_SECONDS - 1);
  strictEqual((await client.get("/api/profile")).status, 200);
  app.advance(1);
  strictEqual((await client.get("/api/profile")).status, 401);
});

Deno.test("an absolute lifetime shorter than the sliding one limits every session", async () => {
  const { id: userId } = await registerVerifiedUser(app, "brief@example.com");
  const { db, now, config } = app.services;
  const brief = { ...app.services, config: { ...config, sessionMaxSeconds: HOUR_SECONDS } };
  const session = { userId, method: "password", client: SOME_CLIENT, isSecondStepDone: true } as const;
  const { expiresAt } = await db.transaction().execute((trx) => openSession(trx, brief, session));
  deepStrictEqual(expiresAt, secondsAfter(now(), HOUR_SECONDS));
});

Deno.test("of several concurrent requests, exactly one extends the session", async () => {
  const { client } = await registerVerifiedUser(app, "crowded@example.com");
  app.advance(WEEK / 2 + 1);
  const token = client.cookies.get("auth_session")!;
  const sessions = await Promise.all(Array.from({ length: 5 }, () => findPresentedSessions(app.services, [token])));
  strictEqual(sessions.filter(({ current }) => current?.extended !== undefined).length, 1);
});

Deno.test("logout deletes the session and clears its cookie", async () => {
  const { client, id } = await registerVerifiedUser(app, "leaving@example.com");
  const token = client.cookies.get("auth_session")!;
  const response = await client.request("/auth/logout", { method: "POST" });
  strictEqual(response.status, 200);
  deepStrictEqual(await response.json(), { success: true, message: "Logged out" });
  match(response.headers.get("Set-Cookie")!, /^auth_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/);
  deepStrictEqual(
    await app.services.db.selectFrom("sessions").selectAll().where("user_id", "=", id).execute(),
    [],
  );
  strictEqual((await app.client().get("/api/profile", { Cookie: `auth_session=${token}` })).status, 401);
  strictEqual((await app.client().request("/auth/logout", { method: "POST" })).status, 401);
});

Deno.test("a response that opens or ends a session does not set the cookie of an extended one", async () => {
  const { client, email } = await registerVerifiedUser(app, "leaving-late@example.com");
  for (const [path, body] of [["/auth/login", { email, password: PASSWORD }], ["/auth/logout", undefined]] as const) {
    const before = client.cookies.get("auth_session")!;
    app.advance(WEEK / 2 + 1);
    const lines = (await client.send("POST", path, body)).headers.getSetCookie();
    const cookies = lines.filter((line) => line.startsWith("auth_session="));
    strictEqual(cookies.length, 1, path);
    ok(!cookies[0].includes(before), path);
  }
});

Deno.test("requests that need no session do not look one up", async () => {
  const { client } = await registerVerifiedUser(app, "quiet@example.com");
  app.advance(WEEK - 1);
  for (const path of ["/api/health", "/styles.css", "/api/users"]) {
    strictEqual((await client.get(path)).headers.get("Set-Cookie"), null, path);
  }
  ok((await client.get("/api/profile")).headers.get("Set-Cookie"));
});

Deno.test("in production the cookie is Secure, and has the configured domain", async () => {
  await using production = await openTestApp({ ...PRODUCTION, COOKIE_DOMAIN: "foyer.example" });
  const response = await production.client().send("POST", "/auth/register", {
    name: "Ada",
    email: "ada@example.com",
    password: "Correct-horse-7",
  });
  const [session, device] = response.headers.getSetCookie();
  match(
    session,
    /^auth_session=[\w-]{43}; Max-Age=604800; Domain=foyer.example; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  );
  match(device, /^__Host-device=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
});

/** Calls the handler directly, because the server would refuse such long headers. */
async function answer(cookies: string[], path = "/api/profile", init: RequestInit = {}): Promise<Response> {
  const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } } as Deno.ServeHandlerInfo;
  const headers = { ...init.headers, cookie: cookies.join("; ") };
  return await app.handler(new Request(`http://x${path}`, { ...init, headers }), info);
}

function sessionCookie({ cookies }: TestClient): string {
  return `auth_session=${cookies.get("auth_session")}`;
}

Deno.test("any number of invalid cookies with the same name does not hide the session", async () => {
  const { client } = await registerVerifiedUser(app, "two-cookies@example.com");
  const good = sessionCookie(client);
  const wellFormed = Array.from({ length: 1000 }, () => `auth_session=${createToken()}`);
  const malformed = Array.from({ length: 5000 }, (_, i) => `auth_session=${i}`);
  const cases: [cookies: string[], status: number][] = [
    [["auth_session=old", good], 200],
    [["a=b", "auth_session=", "auth_session=%", good], 200],
    [[good, "auth_session=old"], 200],
    [[good, good], 200],
    [[...malformed, good], 200],
    [[...wellFormed, good], 200],
    [[...wellFormed, ...malformed], 401],
    [[`${good}x`], 401],
  ];
  for (const [cookies, status] of cases) {
    strictEqual((await answer(cookies)).status, status, cookies.slice(0, 3).join("; "));
  }
});

Deno.test("malformed and repeated tokens are dropped", () => {
  const good = createToken();
  const cookies = ["auth_session=1", `auth_session=${good}`, `auth_session=${good}`, `auth_session=${good}=`];
  deepStrictEqual(sessionTokens(new Request("http://x", { headers: { cookie: cookies.join("; ") } })), [good]);
});

Deno.test("one query looks up all tokens of a request", async () => {
  const { client } = await registerVerifiedUser(app, "thrifty@example.com");
  const db = app.services.db.withoutPlugins(); // has its own executor
  const executor = db.getExecutor();
  const execute = executor.executeQuery.bind(executor);
  const texts: string[] = [];
  executor.executeQuery = (query) => {
    texts.push(query.sql);
    return execute(query);
  };
  const tokens = [client.cookies.get("auth_session")!, ...Array.from({ length: 99 }, createToken)];
  await findPresentedSessions({ ...app.services, db }, tokens);
  await findPresentedSessions({ ...app.services, db }, tokens.slice(1));
  strictEqual(texts.length, 2);
  strictEqual(texts[0], texts[1], "the database caches a plan for each text");
});

Deno.test("of two sessions of one user, the newer one counts in either order", async () => {
  const { client, email } = await registerVerifiedUser(app, "twice@example.com");
  app.advance(1);
  const newer = app.client();
  await logIn(newer, email);
  app.advance(WEEK / 2 + 1);
  const cookies = [client, newer].map(sessionCookie);
  for (const order of [cookies, cookies.toReversed()]) {
    const tokens = sessionTokens(new Request("http://x", { headers: { cookie: order.join("; ") } }));
    const { current, ids } = await findPresentedSessions(app.services, tokens);
    strictEqual(current?.tokenHash, hashToken(newer.cookies.get("auth_session")!));
    const rows = await app.services.db.selectFrom("sessions").select("public_id")
      .where("id", "in", tokens.map(hashToken)).execute();
    deepStrictEqual(ids.toSorted(), rows.map((row) => row.public_id).sort());
  }
});

Deno.test("sessions of different users count as none", async () => {
  const person = await registerVerifiedUser(app, "tossed-at@example.com");
  const attacker = await registerVerifiedUser(app, "tossing@example.com");
  const cookies = [person.client, attacker.client].map(sessionCookie);
  for (const order of [cookies, cookies.toReversed()]) {
    strictEqual((await answer(order)).status, 401);
    const page = await answer(order, "/dashboard");
    deepStrictEqual([page.status, page.headers.get("Location")], [303, "/login?next=%2Fdashboard"]);
    strictEqual((await answer(order, "/login")).status, 200, "the login page stays reachable");
  }
  for (const cookie of cookies) strictEqual((await answer([cookie])).status, 200);
});

Deno.test("logging out, logging in and registering end every session that the request presents", async () => {
  const json = { "Content-Type": "application/json" };
  const form = { Origin: BASE_URL, "Content-Type": "application/x-www-form-urlencoded" };
  const newcomer = (email: string) => ({ name: "New", email, password: PASSWORD });
  const credentials = { email: "presenting@example.com", password: PASSWORD };
  const cases: [path: string, init: RequestInit, status: number][] = [
    ["/auth/logout", {}, 200],
    ["/logout", { headers: form, body: "" }, 303],
    ["/auth/login", { headers: json, body: JSON.stringify(credentials) }, 200],
    ["/login", { headers: form, body: String(new URLSearchParams(credentials)) }, 303],
    ["/auth/register", { headers: json, body: JSON.stringify(newcomer("new-1@example.com")) }, 201],
    ["/register", { headers: form, body: String(new URLSearchParams(newcomer("new-2@example.com"))) }, 303],
  ];
  await registerVerifiedUser(app, credentials.email);
  for (const [i, [path, init, status]] of cases.entries()) {
    const { client, email } = await registerVerifiedUser(app, `presented-${i}@example.com`);
    const second = app.client();
    await logIn(second, email);
    const stranger = await registerVerifiedUser(app, `stranger-${i}@example.com`);
    const cookies = [client, second, stranger.client].map(sessionCookie);
    strictEqual((await answer(cookies, path, { method: "POST", ...init })).status, status, path);
    for (const cookie of cookies) strictEqual((await answer([cookie])).status, 401, path);
  }
});

Deno.test("with a cookie domain, logging out also clears a host-only cookie", async () => {
  await using shared = await openTestApp({ BASE_URL: "http://app.foyer.test", COOKIE_DOMAIN: "foyer.test" });
  const { client } = await registerVerifiedUser(shared, "domain@example.com");
  const response = await client.request("/auth/logout", { method: "POST" });
  deepStrictEqual(response.headers.getSetCookie(), [
    "auth_session=; Max-Age=0; Domain=foyer.test; Path=/; HttpOnly; SameSite=Strict",
    "auth_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict",
  ]);
});

Deno.test("a request does not extend a session that ends while it is looked up", async () => {
  const { client } = await registerVerifiedUser(app, "meanwhile@example.com");
  const token = client.cookies.get("auth_session")!;
  const { services } = app;
  const end = await findSessionEnd(services.db, token);
  const times = [services.now(), secondsAfter(end!, 1)];
  const { current } = await findPresentedSessions({ ...services, now: () => times.shift() ?? end! }, [token]);
  ok(current !== null);
  deepStrictEqual(await findSessionEnd(services.db, token), end);
});
