import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { deleteUser } from "../../lib/accounts/account_deletion.ts";
import { listEvents } from "../../lib/activity/event_list.ts";
import { anonymizeEvents } from "../../lib/activity/events.ts";
import { logIn, mailedToken, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { signIn } from "../support/providers/idp.ts";
import { quarters } from "../support/images/pictures.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { waitFor } from "../support/wait_for.ts";

const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const app = await openSharedTestApp({ ...provider.env, LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;

function eventsOf(userId: string) {
  return db.selectFrom("events").selectAll().where("user_id", "=", userId).orderBy("id").execute();
}

/** The kinds and details of the user's events since the last call with the same list. */
async function newEvents(userId: string, seen: string[]): Promise<unknown[]> {
  const events = (await eventsOf(userId)).filter(({ id }) => !seen.includes(id));
  seen.push(...events.map(({ id }) => id));
  return events.map(({ kind, details }) => [kind, details]);
}

Deno.test("registering, confirming, changing the profile, logging in and out are recorded", async () => {
  const seen: string[] = [];
  const { client, id, email } = await registerUser(app, "recorded@example.com");
  deepStrictEqual(await newEvents(id, seen), [
    ["user.registered", { method: "password" }],
    ["session.started", { method: "password", newDevice: false }],
  ]);
  await client.send("POST", "/auth/verify-email", { email, token: await mailedToken(app, email) });
  deepStrictEqual(await newEvents(id, seen), [["user.verified", { method: "link" }]]);
  await client.send("PUT", "/api/profile", { name: "Ada Lovelace", bio: "Countess" });
  await client.send("PUT", "/api/profile", { bio: "Countess" });
  deepStrictEqual(await newEvents(id, seen), [["user.updated", { fields: ["bio"] }]], "only what has changed");
  await logIn(client, email);
  deepStrictEqual(await newEvents(id, seen), [
    ["session.started", { method: "password", newDevice: false }],
  ], "the session is opened again");
  await client.request("/auth/logout", { method: "POST" });
  deepStrictEqual(await newEvents(id, seen), [["session.ended", { reason: "logout" }]]);
});

Deno.test("an event names the request that caused it, also a refused one, until the account is deleted", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "asked@example.com");
  const responses = [
    await client.send("PUT", "/api/profile", { bio: "x" }),
    await logIn(app.client(), email, "wrong"),
  ];
  const events = (await eventsOf(id)).slice(-2);
  deepStrictEqual(events.map(({ kind }) => kind), ["user.updated", "login.failed"]);
  deepStrictEqual(events.map((event) => event.request_id), responses.map(({ headers }) => headers.get("X-Request-Id")));
  await anonymizeEvents(db, id);
  const ids = events.map((event) => event.id);
  const kept = await db.selectFrom("events").select("request_id").where("id", "in", ids).execute();
  deepStrictEqual(kept, [{ request_id: null }, { request_id: null }]);
});

Deno.test("changes of the profile in one session within an hour are one event, of all that has changed", async () => {
  const seen: string[] = [];
  const { client, id, email } = await registerVerifiedUser(app, "often@example.com");
  await newEvents(id, seen);
  const change = async (fields: Record<string, string>, on = client) => await on.send("PUT", "/api/profile", fields);
  const fieldsOf = async () =>
    (await eventsOf(id)).filter((event) => event.kind === "user.updated").map(({ details }) => details.fields);
  await change({ bio: "1" });
  await change({ bio: "2", name: "Often" });
  app.advance(3_599);
  const last = await change({ name: "Oftener", location: "Here" });
  deepStrictEqual(await fieldsOf(), [["bio", "location", "name"]]);
  const { request_id } = (await eventsOf(id)).at(-1)!;
  strictEqual(request_id, last.headers.get("X-Request-Id"));

  app.advance(1);
  await change({ bio: "3" });
  const other = app.client();
  await logIn(other, email);
  await change({ bio: "4" }, other);
  const { headers } = await createToken(other, { scopes: ["profile:write"] });
  for (const bio of ["5", "6"]) await app.client().send("PUT", "/api/profile", { bio }, headers);
  deepStrictEqual((await fieldsOf()).slice(1), [["bio"], ["bio"], ["bio"], ["bio"]], "not in another hour or session");
});

Deno.test("an event names the session, the client and the user who caused it", async () => {
  const { client, id } = await registerVerifiedUser(app, "named@example.com");
  await client.send("PUT", "/api/profile", { bio: "x" }, { "User-Agent": "Lynx/2.8" });
  const [registered, started, , updated] = await eventsOf(id);
  strictEqual(registered.session_public_id, null);
  const session = await db.selectFrom("sessions").select(["public_id", "client_address"]).where("user_id", "=", id)
    .executeTakeFirstOrThrow();
  for (const event of [started, updated]) {
    strictEqual(event.session_public_id, session.public_id);
    strictEqual(event.client_address, session.client_address);
    strictEqual(event.actor_id, id);
  }
  strictEqual(updated.device, "Lynx/2.8");
  deepStrictEqual(updated.created_at, app.services.now());
});

Deno.test("a reset is recorded, with what it ends and confirms", async () => {
  const seen: string[] = [];
  const { id, email } = await registerUser(app, "resetting@example.com");
  await newEvents(id, seen);
  await app.deliverMails();
  await app.client().send("POST", "/auth/forgot-password", { email });
  deepStrictEqual(await newEvents(id, seen), [], "a request is no change");
  const token = await mailedToken(app, email);
  await app.client().send("POST", "/auth/reset-password", { email, token, password: "Another-horse-8" });
  deepStrictEqual(await newEvents(id, seen), [
    ["session.ended", { reason: "password_reset" }],
    ["user.verified", { method: "reset" }],
    ["password.reset", {}],
    ["session.started", { method: "password", newDevice: false }],
  ]);
});

Deno.test("a failed login is recorded for accounts only, and names no one as its cause", async () => {
  const { id, email } = await registerVerifiedUser(app, "attacked@example.com");
  const before = (await eventsOf(id)).length;
  const countAll = async () => (await db.selectFrom("events").select("id").execute()).length;
  const send = (address: string) =>
    app.client("192.0.2.9").send("POST", "/auth/login", { email: address, password: "Wrong-horse-77" });
  strictEqual((await send(email)).status, 401);
  const { kind, details, actor_id, client_address } = (await eventsOf(id))[before];
  deepStrictEqual([kind, details, actor_id, client_address], [
    "login.failed",
    { reason: "password" },
    null,
    "192.0.2.9",
  ]);
  const all = await countAll();
  strictEqual((await send("nobody@example.com")).status, 401);
  strictEqual(await countAll(), all);
});

Deno.test("a failed login of an account that is just being deleted is an ordinary one", {
  ignore: app.database.engine === "pglite", // which runs one transaction after another
}, async () => {
  const { id, email } = await registerVerifiedUser(app, "vanishing@example.com");
  const { failed } = await db.transaction().execute(async (trx) => {
    await deleteUser(trx, { id, email }, app.services.now());
    const failed = logIn(app.client(), email, "Wrong-horse-77");
    await waitFor("the login to wait for the deletion", async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      `.execute(db); // in a transaction, it would always return the same
      return rows.length > 0;
    });
    return { failed };
  });
  strictEqual((await failed).status, 401);
});

Deno.test("a provider sign-in records the registration or the link", async () => {
  const newcomer = { sub: "new", email: "idp-new@example.com", email_verified: true, name: "New" };
  await signIn(app, provider, newcomer);
  const { id } = await db.selectFrom("users").select("id").where("email", "=", newcomer.email)
    .executeTakeFirstOrThrow();
  deepStrictEqual(await newEvents(id, []), [
    ["user.registered", { method: "idp" }],
    ["session.started", { method: "idp", provider: "default", newDevice: false }],
  ]);

  const seen: string[] = [];
  const unverified = await registerUser(app, "idp-linked@example.com");
  await newEvents(unverified.id, seen);
  await signIn(app, provider, { sub: "linked", email: unverified.email, email_verified: true });
  deepStrictEqual(await newEvents(unverified.id, seen), [
    ["session.ended", { reason: "identity_linked" }],
    ["user.verified", { method: "idp" }],
    ["identity.linked", { provider: "default" }],
    // The devices of the stranger who may have registered the address are forgotten.
    ["session.started", { method: "idp", provider: "default", newDevice: false }],
  ]);
});

Deno.test("an invitation names its inviter, and hides the inviter's client from the invited user", async () => {
  const { client, id } = await registerVerifiedUser(app, "inviting@example.com");
  const response = await client.send("POST", "/api/users", { name: "Guest", email: "invited@example.com" });
  const { data: invited } = await response.json();
  const [event] = await eventsOf(invited.id);
  const { kind, actor_id, client_address, details } = event;
  deepStrictEqual([kind, actor_id], ["user.registered", id]);
  ok(client_address?.startsWith("10.0."), "admins see it");
  const { events: [seen] } = await listEvents(app.services, { userId: invited.id, limit: 1 });
  deepStrictEqual([seen.clientAddress, seen.userAgent], [null, null]);
  deepStrictEqual(details, { method: "invitation" });
});

Deno.test("events of uploads and invitations name the token, which the invited user does not see", async () => {
  const { client, id } = await registerVerifiedUser(app, "program@example.com");
  const { headers, id: token } = await createToken(client);
  const image = new FormData();
  image.set("type", "post");
  image.set("file", new File([new Uint8Array(await quarters().png().toBuffer())], "a.png", { type: "image/png" }));
  const upload = { method: "POST", body: image, headers };
  const { id: uploadId } = await (await app.client().request("/api/upload/image", upload)).json();
  await app.client().request(`/api/uploads/${uploadId}`, { method: "DELETE", headers });
  deepStrictEqual((await eventsOf(id)).slice(-2).map(({ kind, details }) => [kind, details]), [
    ["upload.stored", { upload: uploadId, name: "a.png", token }],
    ["upload.deleted", { upload: uploadId, name: "a.png", token }],
  ]);

  const guest = { name: "Guest", email: "guest-of-program@example.com" };
  const { data: invited } = await (await app.client().send("POST", "/api/users", guest, headers)).json();
  const invitation = async () => (await eventsOf(invited.id))[0].details;
  deepStrictEqual(await invitation(), { method: "invitation", token });
  const { events } = await listEvents(app.services, { userId: invited.id, limit: 1 });
  deepStrictEqual(events[0].details, { method: "invitation" });
  await app.services.db.transaction().execute((trx) => anonymizeEvents(trx, id));
  deepStrictEqual(await invitation(), { method: "invitation" });
});

Deno.test("a deleted user's events remain, without anything that identifies the user", async () => {
  const { client, id, email } = await registerUser(app, "disowned@example.com");
  await client.send("PUT", "/api/profile", { bio: "x" }, { "User-Agent": "Lynx/2.8" });
  const ids = (await eventsOf(id)).map((event) => event.id);
  const last = ids.toSorted().at(-1)!;
  const token = await mailedToken(app, email);
  await app.client().send("POST", "/auth/verify-email", { email, token, reject: true });
  const events = await db.selectFrom("events").selectAll().where("id", ">=", ids[0]).orderBy("id").execute();
  const own = events.filter((event) => ids.includes(event.id) || event.id > last);
  deepStrictEqual(own.map(({ kind }) => kind), ["user.registered", "session.started", "user.updated", "user.deleted"]);
  for (const { user_id, actor_id, client_address, device, details } of own) {
    deepStrictEqual([user_id, actor_id, client_address, device, details], [null, null, null, null, {}]);
  }
});

Deno.test("an event is recorded only if its change is", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "unchanged@example.com");
  const before = (await eventsOf(id)).length;
  strictEqual((await client.send("PUT", "/api/profile", { name: "" })).status, 400);
  const claim = { email, token: "wrong" };
  strictEqual((await client.send("POST", "/auth/verify-email", claim)).status, 400);
  strictEqual((await client.send("POST", "/auth/reset-password", { ...claim, password: PASSWORD })).status, 400);
  strictEqual((await client.send("POST", "/auth/register", { name: "Ada", email, password: PASSWORD })).status, 409);
  ok((await eventsOf(id)).length === before);
});
