import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { findSession, startSession } from "../../lib/accounts/session.ts";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../../lib/duration.ts";
import { PASSWORD, registerVerifiedUser } from "../support/accounts.ts";
import { openSharedTestApp, openTestApp, PRODUCTION } from "../support/test_app.ts";

const app = await openSharedTestApp();
const WEEK = 7 * DAY_SECONDS;

Deno.test("a session ends with its seventh day", async () => {
  const { client } = await registerVerifiedUser(app, "week@example.com");
  app.advance(WEEK - 1);
  const token = client.cookies.get("auth_session")!;
  app.advance(1);
  strictEqual((await app.client().get("/api/profile", { Cookie: `auth_session=${token}` })).status, 401);
});

Deno.test("a session past half its life is extended and its cookie set anew; a younger one is not", async () => {
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

Deno.test("an answer with an error brings the cookie of an extended session too", async () => {
  const { client } = await registerVerifiedUser(app, "clumsy@example.com");
  app.advance(WEEK / 2 + 1);
  const response = await client.send("PUT", "/api/profile", { name: "" });
  strictEqual(response.status, 400);
  match(response.headers.get("Set-Cookie")!, new RegExp(`Max-Age=${WEEK};`));
  strictEqual(response.headers.get("Cache-Control"), "no-store");
});

Deno.test("however busy, a session ends after its longest life", async () => {
  const { client } = await registerVerifiedUser(app, "busy@example.com");
  for (let hours = 0; hours < 90 * 24; hours += 100) {
    strictEqual((await client.get("/api/profile")).status, 200, `after ${hours} hours`);
    app.advance(100 * HOUR_SECONDS);
  }
  strictEqual((await client.get("/api/profile")).status, 401);
});

Deno.test("a longest life that is shorter than the usual one is that of every session", async () => {
  const { id: userId } = await registerVerifiedUser(app, "brief@example.com");
  const { db, now, config } = app.services;
  const brief = { ...config, sessionMaxSeconds: HOUR_SECONDS };
  const { expiresAt } = await startSession(db, { userId, now: now(), config: brief });
  deepStrictEqual(expiresAt, secondsAfter(now(), HOUR_SECONDS));
});

Deno.test("of requests that come at once to a session past half its life one extends it", async () => {
  const { client } = await registerVerifiedUser(app, "crowded@example.com");
  app.advance(WEEK / 2 + 1);
  const token = client.cookies.get("auth_session")!;
  const sessions = await Promise.all(Array.from({ length: 5 }, () => findSession(app.services, token)));
  strictEqual(sessions.filter((session) => session?.extended !== undefined).length, 1);
});

Deno.test("logout ends the session in the database and makes the browser forget it", async () => {
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

Deno.test("a response that opens or ends a session brings no cookie of the one that it would have extended", async () => {
  const { client, email } = await registerVerifiedUser(app, "leaving-late@example.com");
  for (const [path, body] of [["/auth/login", { email, password: PASSWORD }], ["/auth/logout", undefined]] as const) {
    const before = client.cookies.get("auth_session")!;
    app.advance(WEEK / 2 + 1);
    const cookies = (await client.send("POST", path, body)).headers.getSetCookie();
    strictEqual(cookies.length, 1, path);
    ok(!cookies[0].includes(before), path);
  }
});

Deno.test("requests that ask for no session look none up", async () => {
  const { client } = await registerVerifiedUser(app, "quiet@example.com");
  app.advance(WEEK - 1);
  for (const path of ["/api/health", "/styles.css", "/api/users"]) {
    strictEqual((await client.get(path)).headers.get("Set-Cookie"), null, path);
  }
  ok((await client.get("/api/profile")).headers.get("Set-Cookie"));
});

Deno.test("in production the cookie is Secure, and a domain makes it shared", async () => {
  await using production = await openTestApp({ ...PRODUCTION, COOKIE_DOMAIN: "foyer.example" });
  const response = await production.client().send("POST", "/auth/register", {
    name: "Ada",
    email: "ada@example.com",
    password: "Correct-horse-7",
  });
  match(
    response.headers.get("Set-Cookie")!,
    /^auth_session=[\w-]{43}; Max-Age=604800; Domain=foyer.example; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  );
});

Deno.test("a cookie of the same name that is no good does not hide the one that is", async () => {
  const { client } = await registerVerifiedUser(app, "two-cookies@example.com");
  const good = `auth_session=${client.cookies.get("auth_session")}`;
  const cases: [cookies: string[], status: number][] = [
    [["auth_session=old", good], 200],
    [["a=b", "auth_session=", "auth_session=%", good], 200],
    [[good, "auth_session=old"], 200],
    [["auth_session=1", "auth_session=2", "auth_session=3", good], 401],
  ];
  const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } } as Deno.ServeHandlerInfo;
  for (const [cookies, status] of cases) {
    const request = new Request("http://x/api/profile", { headers: { cookie: cookies.join("; ") } });
    strictEqual((await app.handler(request, info)).status, status, cookies.join("; "));
  }
});
