import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { logIn, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { waitFor } from "../support/wait_for.ts";

const app = await openSharedTestApp();
const now = () => Math.floor(app.services.now().getTime() / 1000);

async function login(email: string, headers: HeadersInit = {}): Promise<TestClient> {
  const client = app.client();
  strictEqual((await client.send("POST", "/auth/login", { email, password: PASSWORD }, headers)).status, 200);
  return client;
}

async function dataOf(client: TestClient, path: string) {
  const response = await client.get(path);
  strictEqual(response.status, 200, path);
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  return (await response.json()).data;
}

Deno.test("the account shows what it is and how it is protected", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "account@example.com");
  const upload = { filename: "notes.pdf", contentType: "application/pdf", size: 1000 };
  strictEqual((await client.send("POST", "/api/upload/presign", upload)).status, 200);
  const { session, ...account } = await dataOf(client, "/api/account");
  deepStrictEqual(account, {
    id,
    email,
    emailVerified: true,
    name: "Ada Lovelace",
    role: "user",
    language: null,
    emailVisible: true,
    hasPassword: true,
    passkeys: 0,
    totp: false,
    recoveryCodesLeft: 0,
    identities: [],
    deletionDueAt: null,
    apps: 0,
    groups: [],
    storage: { usedBytes: 1000, quotaBytes: 1024 ** 3 },
  });
  const [listed] = await dataOf(client, "/api/account/sessions");
  deepStrictEqual(session, { id: listed.id, method: "password", authenticatedAt: now() });
});

Deno.test("the account requires a session", async () => {
  const guest = app.client();
  for (const path of ["/api/account", "/api/account/events", "/api/account/sessions"]) {
    strictEqual((await guest.get(path)).status, 401, path);
  }
  strictEqual((await guest.request("/api/account/sessions/x", { method: "DELETE" })).status, 401);
  strictEqual((await guest.request("/api/account/sessions/end-others", { method: "POST" })).status, 401);
});

Deno.test("sessions are listed, the most recently seen first, with device, address and times", async () => {
  const { client, email } = await registerVerifiedUser(app, "listed@example.com");
  const firstAt = now();
  app.advance(60);
  const phone = await login(email, {
    "User-Agent": "Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0",
  });
  const [second, first, ...others] = await dataOf(client, "/api/account/sessions");
  strictEqual(others.length, 0);
  const { id, clientAddress, ...facts } = second;
  deepStrictEqual(facts, {
    current: false,
    method: "password",
    device: "Firefox on Android",
    createdAt: now(),
    lastSeenAt: now(),
    expiresAt: now() + 7 * DAY_SECONDS,
  });
  match(clientAddress, /^10\.0\./);
  deepStrictEqual([first.current, first.createdAt], [true, firstAt]);
  const own = await dataOf(phone, "/api/account/sessions");
  deepStrictEqual(own.map((session: { id: string; current: boolean }) => [session.id, session.current]), [
    [id, true],
    [first.id, false],
  ]);
  app.advance(5 * MINUTE_SECONDS);
  const isFirst = async () => (await dataOf(client, "/api/account/sessions"))[0].id === first.id;
  await waitFor("the older session to be the most recently seen", isFirst);
  app.advance(7 * DAY_SECONDS - 5 * MINUTE_SECONDS - 1);
  strictEqual((await dataOf(phone, "/api/account/sessions")).length, 1, "expired ones are left out");
});

Deno.test("people end one of their sessions, and no one else's", async () => {
  const { client, email } = await registerVerifiedUser(app, "ending@example.com");
  const other = await login(email);
  const stranger = await registerVerifiedUser(app, "ending-stranger@example.com");
  const [{ id: foreign }] = await dataOf(stranger.client, "/api/account/sessions");
  const sessions = await dataOf(client, "/api/account/sessions");
  const end = (id: string) => client.request(`/api/account/sessions/${id}`, { method: "DELETE" });
  for (const id of [foreign, "x", crypto.randomUUID(), "%00"]) strictEqual((await end(id)).status, 404, id);
  strictEqual((await stranger.client.get("/api/profile")).status, 200);

  const { id } = sessions.find(({ current }: { current: boolean }) => !current);
  const ended = await end(id);
  deepStrictEqual([ended.status, ended.headers.get("Set-Cookie")], [204, null]);
  strictEqual((await other.get("/api/profile")).status, 401);
  strictEqual((await end(id)).status, 404);

  const { id: own } = sessions.find(({ current }: { current: boolean }) => current);
  const last = await end(own);
  strictEqual(last.status, 204);
  match(last.headers.get("Set-Cookie")!, /^auth_session=; Max-Age=0;/);
});

Deno.test("people end all their other sessions", async () => {
  const { client, email } = await registerVerifiedUser(app, "others@example.com");
  const others = [await login(email), await login(email)];
  const response = await client.request("/api/account/sessions/end-others", { method: "POST" });
  deepStrictEqual(await response.json(), { success: true, ended: 2 });
  for (const other of others) strictEqual((await other.get("/api/profile")).status, 401);
  strictEqual((await client.get("/api/profile")).status, 200);
  const [ended] = await dataOf(client, "/api/account/events");
  deepStrictEqual([ended.kind, ended.details], ["session.ended", { reason: "ended" }]);
});

Deno.test("events are listed, newest first, in pages, and only one's own", async () => {
  const { client, email } = await registerVerifiedUser(app, "activity@example.com");
  app.advance(10);
  await client.send("PUT", "/api/profile", { bio: "x" });
  await logIn(app.client(), email, "Wrong-horse-77");
  const events = await dataOf(client, "/api/account/events");
  deepStrictEqual(events.map(({ kind }: { kind: string }) => kind), [
    "login.failed",
    "user.updated",
    "user.verified",
    "session.started",
    "user.registered",
  ]);
  const [failed, { id: _, clientAddress, ...updated }] = events;
  deepStrictEqual(updated, {
    kind: "user.updated",
    createdAt: now(),
    device: "Unknown app",
    details: { fields: ["bio"] },
    current: true,
  });
  ok(clientAddress !== failed.clientAddress && !failed.current);

  const kinds: string[] = [];
  let path = "/api/account/events?limit=2";
  for (let pages = 0; pages < 3; pages++) {
    const { data, nextCursor } = await (await client.get(path)).json();
    kinds.push(...data.map(({ kind }: { kind: string }) => kind));
    path = `/api/account/events?limit=2&cursor=${nextCursor}`;
    strictEqual(nextCursor === null, pages === 2);
  }
  deepStrictEqual(kinds, events.map(({ kind }: { kind: string }) => kind));
  strictEqual((await client.get("/api/account/events?limit=0")).status, 400);
});
