import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { v7 } from "uuid";
import { listEvents } from "../../lib/activity/event_list.ts";
import { logIn, mailedToken, type Registered, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { type AdminCaller, createCaller, registerAdmin } from "../support/app/admins.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { DEMANDED, demandSecondFactor, enableTotp } from "../support/app/second_factor.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ ...DEMANDED, LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;

type Json = ReturnType<typeof JSON.parse>;

async function send({ client, headers }: AdminCaller, method: string, path: string, body: unknown = {}): Promise<Json> {
  const response = await client.request(path, {
    method,
    body: method === "GET" ? undefined : JSON.stringify(body),
    headers: { ...headers, "Content-Type": "application/json" },
  });
  const text = await response.text();
  return { status: response.status, ...text === "" ? {} : JSON.parse(text) };
}

async function eventsOf(admin: AdminCaller, query: string): Promise<Json[]> {
  return (await send(admin, "GET", `/api/admin/events?${query}`)).data;
}

/** An act, the kinds of the events that it leaves, and how the person is prepared. */
interface Act {
  method?: string;
  path: string;
  body?: object;
  kinds: string[];
  prepare?(person: Registered): Promise<unknown>;
  /** Whether API tokens are refused. */
  isForSessions?: true;
}

const suspend = ({ id }: Registered) =>
  db.updateTable("users").set({ suspended_at: app.services.now() }).where("id", "=", id).execute();

const ACTS: Record<string, Act> = {
  suspend: { path: "/suspend", kinds: ["account.suspended", "session.ended"] },
  unsuspend: { path: "/unsuspend", kinds: ["account.unsuspended"], prepare: suspend },
  "end sessions": { path: "/end-sessions", kinds: ["session.ended"] },
  "send reset": { path: "/send-reset", kinds: ["email.requested"] },
  "resend verification": {
    path: "/resend-verification",
    kinds: ["email.requested"],
    prepare: ({ id }) => db.updateTable("users").set({ email_verified: false }).where("id", "=", id).execute(),
  },
  "reset factors": {
    path: "/reset-factors",
    kinds: ["totp.disabled"],
    prepare: ({ client }) => enableTotp(app, client),
    isForSessions: true,
  },
  "extend second factor": {
    path: "/extend-second-factor",
    kinds: ["second_factor.extended"],
    prepare: ({ id }) => demandSecondFactor(app, id),
    isForSessions: true,
  },
  role: { method: "PUT", path: "/role", body: { role: "admin" }, kinds: ["role.changed"], isForSessions: true },
  groups: {
    method: "PUT",
    path: "/groups",
    body: { groups: ["staff"] },
    kinds: ["group.joined"],
    prepare: () =>
      db.insertInto("groups").values({ name: "staff", title: "Staff", created_at: app.services.now() })
        .onConflict((conflict) => conflict.doNothing()).execute(),
    isForSessions: true,
  },
  close: { method: "DELETE", path: "", kinds: ["account.closing", "session.ended"] },
};

for (const [name, { method = "POST", path, body, kinds, prepare, isForSessions }] of Object.entries(ACTS)) {
  for (const caller of ["admin", "token with scope"] as const) {
    if (isForSessions && caller !== "admin") continue;
    Deno.test(`${name} by ${caller} leaves its event, with who and why`, async () => {
      const person = await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
      await prepare?.(person);
      const admin = await createCaller(app, caller);
      const reason = `because of ${name}`;
      const result = await send(admin, method, `/api/admin/users/${person.id}${path}`, { reason, ...body });
      ok(result.status < 300, JSON.stringify(result));
      const events = await eventsOf(admin, `user=${person.id}&actor=${admin.id}`);
      deepStrictEqual(events.map(({ kind }) => kind).sort(), kinds.toSorted());
      const [own] = events.filter(({ kind }) => kind === kinds[0]);
      deepStrictEqual([own.actor.id, own.user.id, own.reason, own.details.reason], [
        admin.id,
        person.id,
        reason,
        reason,
      ]);
      deepStrictEqual(own.actor.token, admin.tokenId && { id: admin.tokenId, name: "Script" });
      match(own.clientAddress, /^10\.0\./);
      const { events: seen } = await listEvents(app.services, { userId: person.id, limit: 50 });
      const { clientAddress, userAgent } = seen.find(({ id }) => id === own.id)!;
      deepStrictEqual([clientAddress, userAgent], [null, null], "the owner must not see where the admin is");
      const { request_id } = await db.selectFrom("events").select("request_id").where("id", "=", own.id)
        .executeTakeFirstOrThrow();
      ok(request_id, "the event names its request");
    });
  }
}

Deno.test("the owner does not see the words or the token of an admin", async () => {
  const person = await registerVerifiedUser(app, "curious@example.com");
  await enableTotp(app, person.client);
  const admin = await createCaller(app, "admin");
  const token = await createCaller(app, "token with scope");
  const words = "secret words";
  const base = `/api/admin/users/${person.id}`;
  await send(admin, "POST", `${base}/reset-factors`, { reason: words });
  await app.deliverMails(); // so the link below is in the last email
  await send(token, "POST", `${base}/end-sessions`, { reason: words });
  await send(token, "POST", `${base}/send-reset`, { reason: words });
  const reset = await mailedToken(app, person.email);
  const client = app.client();
  const password = "Another-horse-8";
  await client.send("POST", "/auth/reset-password", { email: person.email, token: reset, password });
  strictEqual((await logIn(client, person.email, password)).status, 200);
  const { clientAddress: address } = (await eventsOf(admin, `user=${person.id}&actor=${admin.id}`))[0];
  const text = await (await client.get("/api/account/events")).text();
  const exported = await (await client.get("/api/account/export")).text();
  for (const each of [text, exported]) {
    ok(each.includes('"admin"'), "an admin was it");
    for (const hidden of [words, token.tokenId!, admin.id!, address]) strictEqual(each.includes(hidden), false, hidden);
  }
});

Deno.test("an account that is deleted at once leaves who did it, why and from where, and nothing else", async () => {
  const person = await registerVerifiedUser(app, "gone@example.com");
  const admin = await createCaller(app, "admin");
  const { status } = await send(admin, "DELETE", `/api/admin/users/${person.id}`, { reason: "fraud", now: true });
  strictEqual(status, 204);
  const [event] = await eventsOf(admin, `actor=${admin.id}&kind=user.deleted`);
  deepStrictEqual([event.user, event.actor.id, event.details], [null, admin.id, { reason: "fraud" }]);
  match(event.clientAddress, /^10\.0\./);
  const rest = await eventsOf(admin, `actor=${admin.id}&kind=session.ended`);
  deepStrictEqual(rest.map(({ details }) => details), [{}]);
});

Deno.test("the tokens that a suspension by a program ends keep their names in the events", async () => {
  const person = await registerVerifiedUser(app, "scripted@example.com");
  const own = await createToken(person.client, { name: "Own" });
  const program = await createCaller(app, "token with scope");
  await send(program, "POST", `/api/admin/users/${person.id}/suspend`, { reason: "leak" });
  const [ended] = await eventsOf(program, `user=${person.id}&kind=token.ended`);
  deepStrictEqual([ended.details.token, ended.details.name, ended.actor.id], [own.id, "Own", program.id]);
});

Deno.test("a reason has 1 to 500 characters and is required where it is", async () => {
  const person = await registerVerifiedUser(app, "reasons@example.com");
  const admin = await createCaller(app, "admin");
  for (const [method, path] of [["POST", "/suspend"], ["POST", "/reset-factors"], ["DELETE", ""]]) {
    for (const reason of [undefined, "", "  ", "x".repeat(501), 7]) {
      const result = await send(admin, method, `/api/admin/users/${person.id}${path}`, { reason });
      deepStrictEqual([result.status, Object.keys(result.details)], [400, ["reason"]], `${path} ${reason}`);
    }
  }
  const long = "😀".repeat(500);
  strictEqual((await send(admin, "POST", `/api/admin/users/${person.id}/suspend`, { reason: long })).status, 200);
  strictEqual((await send(admin, "GET", `/api/admin/users/${person.id}`)).data.suspensionReason, long);
});

Deno.test("a repeated request with a key acts once, with and without a body", async () => {
  const person = await registerVerifiedUser(app, "twice@example.com");
  const admin = await createCaller(app, "admin");
  const path = `/api/admin/users/${person.id}/send-reset`;
  const headers = { "Idempotency-Key": "once" };
  const post = () => admin.client.request(path, { method: "POST", headers });
  const responses = [await post(), await post()];
  deepStrictEqual(responses.map(({ status }) => status), [200, 200]);
  strictEqual(responses[1].headers.get("Idempotent-Replayed"), "true");
  strictEqual((await eventsOf(admin, `user=${person.id}&kind=email.requested`)).length, 1);
});

Deno.test("emails are listed by status, and only a waiting one is sent again", async () => {
  const admin = await createCaller(app, "admin");
  await app.deliverMails();
  const person = await registerUser(app, "mails@example.com");
  const list = async (status: string) =>
    (await send(admin, "GET", `/api/admin/mails?status=${status}`)).data
      .filter(({ user }: Json) => user?.id === person.id);
  const [waiting] = await list("waiting");
  deepStrictEqual([waiting.kind, waiting.sentAt, waiting.attempts], ["verification", null, 0]);
  const retry = (id: string) => send(admin, "POST", `/api/admin/mails/${id}/retry`, { reason: "asked" });
  strictEqual((await retry(waiting.id)).status, 200);
  const [event] = await eventsOf(admin, `user=${person.id}&kind=email.requested`);
  deepStrictEqual(event.details, { mail: "verification", reason: "asked" });
  await app.deliverMails();
  deepStrictEqual(await list("waiting"), []);
  const [sent] = await list("sent");
  deepStrictEqual([sent.id, sent.status, sent.attempts], [waiting.id, "sent", 1]);
  deepStrictEqual((await retry(waiting.id)).code, "EMAIL_GONE");
  deepStrictEqual((await retry(crypto.randomUUID())).code, "NOT_FOUND");
  deepStrictEqual(await list("failed"), []);
  strictEqual((await send(admin, "GET", "/api/admin/mails?status=lost")).status, 400);
});

Deno.test("the audit log is filtered by kind, actor and user, and its pages follow each other", async () => {
  const admin = await createCaller(app, "admin");
  const person = await registerVerifiedUser(app, "audited@example.com");
  await send(admin, "POST", `/api/admin/users/${person.id}/suspend`, { reason: "one" });
  await send(admin, "POST", `/api/admin/users/${person.id}/unsuspend`, { reason: "two" });
  const kinds = async (query: string) => (await eventsOf(admin, query)).map(({ kind }) => kind);
  deepStrictEqual(await kinds(`user=${person.id}&limit=2`), ["account.unsuspended", "session.ended"]);
  deepStrictEqual(await kinds(`user=${person.id}&kind=user.verified`), ["user.verified"]);
  deepStrictEqual(await kinds(`actor=${admin.id}&kind=account.suspended`), ["account.suspended"]);
  deepStrictEqual(await kinds(`actor=${admin.id}&user=${v7()}`), []);
  await sql`update events set actor = 'command line', actor_id = null where user_id = ${person.id} and kind = 'user.verified'`
    .execute(db);
  const byCommand = await eventsOf(admin, "actor=command+line");
  deepStrictEqual(byCommand.map(({ kind, actor }) => [kind, actor]), [["user.verified", "command line"]]);
  const paged: string[] = [];
  for (let path: string | null = `/api/admin/events?user=${person.id}&limit=2`; path !== null;) {
    const { data, nextCursor } = await send(admin, "GET", path);
    paged.push(...data.map(({ id }: Json) => id));
    path = nextCursor && `/api/admin/events?user=${person.id}&limit=2&cursor=${nextCursor}`;
  }
  deepStrictEqual(paged, (await eventsOf(admin, `user=${person.id}`)).map(({ id }) => id));
  for (const query of ["kind=nothing", "actor=me", "user=x", "since=1"]) {
    strictEqual((await send(admin, "GET", `/api/admin/events?${query}`)).status, 400, query);
  }
});

Deno.test("an admin who has just lost the role cannot finish an act", async () => {
  const admin = await registerAdmin(app);
  const person = await registerVerifiedUser(app, "target@example.com");
  // The role goes while the request waits for the lock of the person.
  const request = await db.transaction().execute(async (trx) => {
    await trx.selectFrom("users").select("id").where("id", "=", person.id).forNoKeyUpdate().execute();
    await trx.updateTable("users").set({ role: "user" }).where("id", "=", admin.id).execute();
    return { sent: admin.client.send("POST", `/api/admin/users/${person.id}/suspend`, { reason: "late" }) };
  });
  strictEqual((await request.sent).status, 404);
  strictEqual((await eventsOf(await createCaller(app, "admin"), `user=${person.id}&kind=account.suspended`)).length, 0);
});

Deno.test("the events of a request are found by an index, however many events there are", async () => {
  await db.transaction().execute(async (trx) => {
    await sql`set local enable_seqscan = off`.execute(trx); // as if the table were large
    const { rows } = await sql<Record<string, string>>`
      explain select id from events where request_id = ${"some"} order by id desc limit 51
    `.execute(trx);
    match(rows.map((row) => row["QUERY PLAN"]).join("\n"), /Index.* events_request/);
  });
});
