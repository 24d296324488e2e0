import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { crc32 } from "node:zlib";
import { sql } from "kysely";
import { hashToken } from "../../lib/crypto/token.ts";
import { endTokensOfSuspended, markUsed } from "../../lib/access/api_token.ts";
import { sendTokenReminders } from "../../lib/access/token_reminder.ts";
import { readSettings } from "../../lib/config/config.ts";
import { deleteDueAccounts } from "../../lib/accounts/account_deletion.ts";
import { sweepExpiredRows } from "../../lib/jobs/expired_rows.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, unixSeconds } from "../../lib/duration.ts";
import { logIn, mailedToken, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken, USER_SCOPES } from "../support/app/api_tokens.ts";
import { openSharedTestApp, openTestApp, type TestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { waitFor } from "../support/wait_for.ts";
import { problemOf } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;
const INVALID = 'Bearer error="invalid_token"';
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

async function statusWith(headers: HeadersInit, at: TestApp = app): Promise<number> {
  return (await at.client().get("/api/profile", headers)).status;
}

function remove(client: TestClient, id: string): Promise<Response> {
  return client.request(`/api/tokens/${id}`, { method: "DELETE" });
}

/** The checksum of a token, computed in another way than the app does. */
function checksum(secret: string): string {
  let [number, text] = [crc32(secret), ""];
  while (number > 0) [number, text] = [Math.floor(number / 62), BASE62[number % 62] + text];
  return text.padStart(6, "0");
}

async function eventsOf(userId: string) {
  const rows = await db.selectFrom("events").select(["kind", "details", "session_public_id"])
    .where("user_id", "=", userId).where("kind", "in", ["token.made", "token.ended"]).orderBy("id").execute();
  return rows.map(({ kind, details, session_public_id }) => ({
    kind,
    details,
    hasSession: session_public_id !== null,
  }));
}

Deno.test("a token is shown once, listed without it, used, and deleted", async () => {
  const { client, id: userId } = await registerVerifiedUser(app, "token@example.com");
  const now = unixSeconds(app.services.now());
  const input = { name: " Nightly backup ", scopes: ["uploads:read", "profile:read", "profile:read"] };
  const response = await client.send("POST", "/api/tokens", input);
  const { data, token, ...rest } = await response.json();
  strictEqual(response.status, 201);
  deepStrictEqual(rest, {});
  const listed = {
    id: data.id,
    name: "Nightly backup",
    scopes: ["profile:read", "uploads:read"],
    hint: `${token.slice(0, 10)}…`,
    createdAt: now,
    expiresAt: now + 90 * DAY_SECONDS,
    lastUsedAt: null,
  };
  deepStrictEqual(data, listed);
  match(token, /^foyer_[0-9A-Za-z]{49}$/);
  strictEqual(token.slice(49), checksum(token.slice(6, 49)));
  deepStrictEqual(await (await client.get("/api/tokens")).json(), { data: [listed], nextCursor: null });
  const row = await db.selectFrom("api_tokens").selectAll().where("id", "=", data.id).executeTakeFirstOrThrow();
  strictEqual(row.token_hash, hashToken(token));

  strictEqual(await statusWith({ Authorization: `Bearer ${token}` }), 200);
  strictEqual(await statusWith({ Authorization: `bearer  ${token}` }), 200);
  strictEqual((await remove(client, data.id)).status, 204);
  deepStrictEqual(await (await client.get("/api/tokens")).json(), { data: [], nextCursor: null });
  strictEqual(await statusWith({ Authorization: `Bearer ${token}` }), 401);
  strictEqual((await remove(client, data.id)).status, 404);
  const facts = { token: data.id, name: "Nightly backup" };
  deepStrictEqual(await eventsOf(userId), [
    { kind: "token.made", details: { ...facts, scopes: listed.scopes }, hasSession: true },
    { kind: "token.ended", details: { ...facts, reason: "deleted" }, hasSession: true },
  ]);
});

Deno.test("a token has a name, scopes and an end within bounds", async () => {
  const { client } = await registerVerifiedUser(app, "bounds@example.com");
  const valid = { name: "x", scopes: ["profile:read"] };
  const cases: [change: object, status: number, field?: string][] = [
    [{ name: "n".repeat(100), expiresInDays: 1 }, 201],
    [{ expiresInDays: 365, scopes: USER_SCOPES }, 201],
    [{ name: "" }, 400, "name"],
    [{ name: "n".repeat(101) }, 400, "name"],
    [{ name: "two\nlines" }, 400, "name"],
    [{ name: undefined }, 400, "name"],
    [{ scopes: undefined }, 400, "scopes"],
    [{ scopes: [] }, 400, "scopes"],
    [{ scopes: "profile:read" }, 400, "scopes"],
    [{ scopes: ["profile:read", "everything"] }, 400, "scopes"],
    [{ scopes: ["admin"] }, 400, "scopes"],
    [{ expiresInDays: 0 }, 400, "expiresInDays"],
    [{ expiresInDays: 366 }, 400, "expiresInDays"],
    [{ expiresInDays: 1.5 }, 400, "expiresInDays"],
    [{ expiresInDays: "30" }, 400, "expiresInDays"],
    [{ expiresInDays: null }, 400, "expiresInDays"],
  ];
  for (const [change, status, field] of cases) {
    const response = await client.send("POST", "/api/tokens", { ...valid, ...change });
    const { details = {} } = await response.json();
    deepStrictEqual(
      [response.status, ...Object.keys(details)],
      [status, ...field ? [field] : []],
      JSON.stringify(change),
    );
  }
  deepStrictEqual((await client.send("POST", "/api/tokens", { ...valid, scopes: ["admin"] }).then(problemOf))[2], {
    scopes: ["Only admins may have the scope admin"],
  });
});

Deno.test("a user has at most 50 tokens, even if they are requested at once", async () => {
  const { client, id } = await registerVerifiedUser(app, "collector@example.com");
  const { id: first } = await createToken(client, { expiresInDays: 1 });
  await sql`
    insert into api_tokens (id, user_id, name, token_hash, hint, scopes, created_at, expires_at)
    select gen_random_uuid()::text, user_id, name, token_hash || n, hint, scopes, created_at, expires_at
    from api_tokens, generate_series(1, 47) n where id = ${first}
  `.execute(db);
  const request = () => client.send("POST", "/api/tokens", { name: "more", scopes: ["profile:read"] });
  const statuses = (await Promise.all(Array.from({ length: 5 }, request))).map(({ status }) => status);
  deepStrictEqual(statuses.sort(), [201, 201, 409, 409, 409]);
  deepStrictEqual(await problemOf(await request()), [409, "TOO_MANY", {}]);
  strictEqual((await (await client.get("/api/tokens")).json()).data.length, 50);
  strictEqual((await db.selectFrom("api_tokens").select("id").where("user_id", "=", id).execute()).length, 50);
  app.advance(DAY_SECONDS);
  await logIn(client, "collector@example.com");
  strictEqual((await request()).status, 201, "expired tokens do not count");
});

Deno.test("a repeated request with an Idempotency-Key gets the same token", async () => {
  const { client } = await registerVerifiedUser(app, "repeated@example.com");
  const create = () =>
    client.send("POST", "/api/tokens", { name: "x", scopes: ["profile:read"] }, { "Idempotency-Key": "once" });
  const [first, second] = [await create(), await create()];
  const { token } = await first.json();
  deepStrictEqual([second.status, second.headers.get("Idempotent-Replayed")], [201, "true"]);
  strictEqual((await second.json()).token, token);
  strictEqual((await (await client.get("/api/tokens")).json()).data.length, 1);
});

Deno.test("creating a token needs a recent proof, deleting one does not", async () => {
  const { client } = await registerVerifiedUser(app, "stale@example.com");
  const { id } = await createToken(client);
  app.advance(15 * MINUTE_SECONDS + 1);
  const refused = await client.send("POST", "/api/tokens", { name: "x", scopes: ["profile:read"] });
  deepStrictEqual(await problemOf(refused), [403, "REAUTHENTICATION_REQUIRED", { methods: ["password"] }]);
  strictEqual((await remove(client, id)).status, 204);
});

Deno.test("nobody else sees or deletes a token", async () => {
  const { client } = await registerVerifiedUser(app, "mine@example.com");
  const { client: other } = await registerVerifiedUser(app, "theirs@example.com");
  const { id, headers } = await createToken(client);
  strictEqual((await app.client().get("/api/tokens")).status, 401);
  strictEqual((await remove(app.client(), id)).status, 401);
  deepStrictEqual(await (await other.get("/api/tokens")).json(), { data: [], nextCursor: null });
  for (const unknown of [id, "x", crypto.randomUUID()]) strictEqual((await remove(other, unknown)).status, 404);
  strictEqual(await statusWith(headers), 200);
});

Deno.test("a bad token beside a good cookie gets 401, whatever is bad about it", async () => {
  const { client, id: userId } = await registerVerifiedUser(app, "fallback@example.com");
  const { token, id } = await createToken(client, { expiresInDays: 1 });
  const { token: other, id: otherId } = await createToken(client);
  await remove(client, otherId);
  const wrongChecksum = token.slice(0, -1) + (token.endsWith("0") ? "1" : "0");
  const unknown = `foyer_${"A".repeat(43)}${checksum("A".repeat(43))}`;
  const bad = [
    "Bearer",
    "Bearer ",
    "Bearer x",
    `Bearer ${token.slice(6)}`,
    `Bearer ${token}x`,
    `Bearer ${token}, Bearer ${token}`,
    `Bearer ${wrongChecksum}`,
    `Bearer ${unknown}`,
    `Bearer ${other}`,
    `BEARER ${token.toUpperCase()}`,
    `Bearer ${client.cookies.get("auth_session")}`,
  ];
  strictEqual((await client.get("/api/profile")).status, 200);
  const expectRefused = async (Authorization: string) => {
    for (const path of ["/api/profile", "/api/users", "/dashboard", "/api/health"]) {
      const response = await client.get(path, { Authorization });
      deepStrictEqual(
        [response.status, response.headers.get("WWW-Authenticate")],
        [401, INVALID],
        Authorization + path,
      );
      strictEqual(response.headers.get("Cache-Control"), "no-store");
      strictEqual((await response.json()).code, "UNAUTHENTICATED");
    }
  };
  for (const authorization of bad) await expectRefused(authorization);
  strictEqual((await client.get("/api/profile", { Authorization: "Basic eDp5" })).status, 200, "not a bearer token");
  await db.updateTable("api_tokens").set({ expires_at: app.services.now() }).where("id", "=", id).execute();
  await expectRefused(`Bearer ${token}`);
  ok(userId);
});

Deno.test("a good token acts for its user, beside the cookie of another", async () => {
  const { client, id } = await registerVerifiedUser(app, "bearer@example.com");
  const { headers, id: tokenId } = await createToken(client);
  const { client: other } = await registerVerifiedUser(app, "bystander@example.com");
  const profile = await other.get("/api/profile", headers);
  strictEqual((await profile.json()).user.id, id);
  strictEqual(profile.headers.get("Cache-Control"), "no-store");
  const account = (await (await other.get("/api/account", headers)).json()).data;
  deepStrictEqual([account.id, account.session], [id, null]);
  const closing = await registerVerifiedUser(app, "bystander-closing@example.com");
  await closing.client.request("/api/account", { method: "DELETE" });
  await logIn(closing.client, closing.email);
  strictEqual((await closing.client.get("/api/profile")).status, 403);
  strictEqual((await closing.client.get("/api/profile", headers)).status, 200);
  const foreign = { ...headers, Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
  strictEqual((await other.send("PUT", "/api/profile", { bio: "By a program" }, foreign)).status, 200);
  strictEqual((await other.send("PUT", "/api/profile", { bio: "x" }, { Origin: "https://evil.example" })).status, 403);
  const { data: [event] } = await (await app.client().get("/api/account/events?limit=1", headers)).json();
  deepStrictEqual([event.kind, event.details, event.current], [
    "user.updated",
    { fields: ["bio"], token: tokenId },
    false,
  ]);
});

Deno.test("the last use of a token is accurate to five minutes", async () => {
  const { client } = await registerVerifiedUser(app, "used@example.com");
  const { id, headers } = await createToken(client);
  const lastUsedAt = async () => (await (await client.get("/api/tokens")).json()).data[0].lastUsedAt;
  const use = () => app.client().get("/api/users", headers);
  const first = unixSeconds(app.services.now());
  await use();
  strictEqual(await waitFor("the first use", lastUsedAt), first);
  app.advance(299);
  await use();
  await markUsed(app.services, id);
  strictEqual(await lastUsedAt(), first, "not even a write that another request has decided on");
  app.advance(1);
  await use();
  await waitFor("the later use", async () => await lastUsedAt() === first + 300);
});

Deno.test("a token may send 600 requests a minute, counted on their own", async () => {
  deepStrictEqual(readSettings({}).limits.token, { quota: 600, windowSeconds: 60 });
  await using limited = await openTestApp({ LIMIT_TOKEN: "2/60", LIMIT_PRESIGN: "5/3600" });
  const { client } = await registerUser(limited, "busy@example.com");
  const [first, second] = [await createToken(client), await createToken(client)];
  const use = (headers: HeadersInit, path = "/api/profile") => limited.client().get(path, headers);
  const responses = [await use(first.headers), await use(first.headers, "/dashboard"), await use(first.headers)];
  deepStrictEqual(responses.map(({ status }) => status), [200, 403, 429]);
  deepStrictEqual(responses.map(({ headers }) => headers.get("RateLimit")), [
    '"token";r=1;t=60',
    '"token";r=0;t=60',
    '"token";r=0;t=60',
  ]);
  deepStrictEqual(responses.map(({ headers }) => headers.get("RateLimit-Policy")), Array(3).fill('"token";q=2;w=60'));
  strictEqual(responses[2].headers.get("Retry-After"), "60");
  const file = { filename: "a.txt", contentType: "text/plain" };
  const presigned = await limited.client().send("POST", "/api/upload/presign", file, second.headers);
  strictEqual(presigned.headers.get("RateLimit"), '"presign";r=4;t=3600, "token";r=1;t=60');
  limited.advance(60);
  strictEqual((await use(first.headers)).status, 200);
  strictEqual((await client.get("/api/profile")).headers.get("RateLimit"), null);
});

Deno.test("an alert reports a new token, and its link ends all tokens", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "alerted@example.com");
  const earlier = await createToken(client, { name: "Earlier" });
  await mailedToken(app, email);
  const later = await createToken(client);
  const token = await mailedToken(app, email);
  const mail = app.mails.findLast(({ to }) => to === email)!;
  strictEqual(mail.subject, "New API token for your Foyer account");
  ok(!mail.text.includes(later.token));
  strictEqual((await app.client().send("POST", "/auth/not-me", { token })).status, 200);
  for (const { headers } of [earlier, later]) strictEqual(await statusWith(headers), 401);
  const ends = (await eventsOf(id)).filter(({ kind }) => kind === "token.ended");
  deepStrictEqual(ends.map(({ details }) => details.reason), ["not_me", "not_me"]);
});

Deno.test("tokens end with a reset, a closing, a suspension, and when the owner of the address appears", async () => {
  const acts: Record<string, (user: Awaited<ReturnType<typeof registerUser>>) => Promise<unknown>> = {
    async password_reset({ email }) {
      await app.deliverMails();
      await app.client().send("POST", "/auth/forgot-password", { email });
      const token = await mailedToken(app, email);
      return await app.client().send("POST", "/auth/reset-password", { email, token, password: "Another-horse-8" });
    },
    account_closing: ({ client }) => client.request("/api/account", { method: "DELETE" }),
    account_suspended: ({ id }) =>
      db.updateTable("users").set({ suspended_at: app.services.now() }).where("id", "=", id).execute(),
  };
  for (const [reason, act] of Object.entries(acts)) {
    const user = await registerVerifiedUser(app, `${reason}@example.com`);
    const { headers } = await createToken(user.client);
    strictEqual(await statusWith(headers), 200);
    await act(user);
    strictEqual(await statusWith(headers), 401, reason);
    strictEqual((await eventsOf(user.id)).at(-1)!.details.reason, reason);
    await db.updateTable("users").set({ suspended_at: null, deletion_due_at: null }).where("id", "=", user.id)
      .execute();
    strictEqual(await statusWith(headers), 401, `${reason}, later undone`);
  }
  const user = await registerUser(app, "unverified-token@example.com");
  const { headers } = await createToken(user.client);
  const token = await mailedToken(app, user.email);
  await app.client().send("POST", "/auth/verify-email", { email: user.email, token });
  strictEqual(await statusWith(headers), 401, "someone else may have registered the address");
  notStrictEqual(user.id, "");
});

Deno.test("the end of a token is announced seven days before, once", async () => {
  const { client, email } = await registerVerifiedUser(app, "reminded@example.com");
  const unverified = await registerUser(app, "reminded-stranger@example.com");
  await createToken(client, { name: "Long", expiresInDays: 30 });
  await createToken(client, { name: "Short", expiresInDays: 7 });
  await createToken(unverified.client, { expiresInDays: 30 });
  await app.deliverMails();
  const reminders = async () => {
    await Promise.all([1, 2, 3].map(() => sendTokenReminders(app.services)));
    await app.deliverMails();
    return app.mails.filter(({ to, subject }) => /^reminded/.test(to) && subject.includes("expires soon"));
  };
  deepStrictEqual(await reminders(), [], "not for tokens that last seven days or less");
  app.advance(23 * DAY_SECONDS - 1);
  deepStrictEqual(await reminders(), []);
  app.advance(1);
  const [mail, ...others] = await reminders();
  strictEqual(mail.to, email);
  match(mail.text, /^The API token “Long” expires on \w+ \d+, 2026\.\n/);
  match(mail.text, /\nToken: foyer_\w{4}…\nExpires: \w+ \d+, 2026 at /);
  match(mail.text, /\/settings\/tokens\n/);
  deepStrictEqual(others, []);
  app.advance(DAY_SECONDS);
  strictEqual((await reminders()).length, 1);
});

Deno.test("a token that ended while the service was down is not announced", async () => {
  const { client } = await registerVerifiedUser(app, "late@example.com");
  await createToken(client, { expiresInDays: 8 });
  app.advance(8 * DAY_SECONDS);
  await sendTokenReminders(app.services);
  await app.deliverMails();
  ok(!app.mails.some(({ to, subject }) => to === "late@example.com" && subject.includes("expires soon")));
});

Deno.test("the tokens of suspended users end even if nobody uses them", async () => {
  const { client, id } = await registerVerifiedUser(app, "idle@example.com");
  const { headers } = await createToken(client);
  const suspend = (suspended_at: Date | null) =>
    db.updateTable("users").set({ suspended_at }).where("id", "=", id).execute();
  await suspend(app.services.now());
  await endTokensOfSuspended(app.services);
  await suspend(null);
  strictEqual(await statusWith(headers), 401);
  strictEqual((await eventsOf(id)).at(-1)!.details.reason, "account_suspended");
});

Deno.test("expired tokens are swept an hour later, and deleted accounts leave none", async () => {
  const { client, id } = await registerVerifiedUser(app, "swept@example.com");
  await createToken(client, { expiresInDays: 1 });
  await createToken(client, { expiresInDays: 2 });
  const left = async () => (await db.selectFrom("api_tokens").select("id").where("user_id", "=", id).execute()).length;
  app.advance(DAY_SECONDS + HOUR_SECONDS - 1);
  await sweepExpiredRows(app.services);
  strictEqual(await left(), 2);
  app.advance(1);
  await sweepExpiredRows(app.services);
  strictEqual(await left(), 1);
  await db.updateTable("users").set({ deletion_due_at: app.services.now() }).where("id", "=", id).execute();
  await deleteDueAccounts(app.services);
  strictEqual(await left(), 0);
});
