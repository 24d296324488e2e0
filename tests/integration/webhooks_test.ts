import { deepStrictEqual, match, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { type Actor, COMMAND_LINE } from "../../lib/activity/events.ts";
import { readSettings } from "../../lib/config/config.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { sweepExpiredRows } from "../../lib/jobs/expired_rows.ts";
import type { EventKind } from "../../lib/activity/kinds.ts";
import { listDeliveries, replayDelivery, sendTest } from "../../lib/webhooks/delivery_list.ts";
import {
  createWebhook,
  deleteWebhook,
  enableWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  sweepDeletedWebhooks,
} from "../../lib/webhooks/webhook.ts";
import { createWebhookSender } from "../../lib/webhooks/sender.ts";
import { createWebhookDispatcher } from "../../lib/webhooks/webhook_queue.ts";
import { webhookMessage } from "../../lib/webhooks/schema.ts";
import { createInvitedUser } from "../../lib/accounts/invitation.ts";
import { suspendUser } from "../../lib/admin/suspension.ts";
import { deleteUser } from "../../lib/accounts/account_deletion.ts";
import { logIn, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { waitFor } from "../support/wait_for.ts";
import { deliverDueWebhooks } from "../support/webhooks/deliver_due_webhooks.ts";
import { acceptWebhook, isSigned, startReceiver } from "../support/webhooks/receiver.ts";

const app = await openSharedTestApp({ WEBHOOK_ALLOW_PRIVATE: "true", LOGIN_MAX_ATTEMPTS: "0" });
const { services } = app;
const { db } = services;
const receiver = startReceiver();
Deno.test.afterAll(() => receiver[Symbol.asyncDispose]());
Deno.test.beforeEach(async () => {
  // The library of Standard Webhooks compares timestamps with the clock of the machine.
  app.advance((Date.now() - services.now().getTime()) / 1000);
  await app.database.empty();
  app.mails.length = 0;
  receiver.received.length = 0;
  receiver.answer = acceptWebhook;
});

const BY: Actor = { actorId: null, client: SOME_CLIENT };

/** Adds a webhook to the receiver. */
async function addWebhook(kinds: EventKind[] = ["session.started"], { path = "/hook", by = BY } = {}) {
  const { webhook, secret } = await createWebhook(services, { url: `${receiver.url}${path}`, kinds, by });
  return { id: webhook.id, secret };
}

const deliver = () => deliverDueWebhooks(services);
const fail = (status: number, headers?: HeadersInit) => () => new Response(null, { status, headers });
/** The deliveries of a webhook, newest first. */
const deliveriesOf = async (webhookId: string) => (await listDeliveries(db, { webhookId, limit: 100 })).deliveries;
const statuses = async (webhookId: string) => (await deliveriesOf(webhookId)).map(({ status }) => status);
const changes = async () => {
  const rows = await db.selectFrom("events").select("details").where("kind", "=", "webhook.changed").orderBy("id")
    .execute();
  return rows.map(({ details }) => details.change);
};
Deno.test("an event is sent once, signed, under its id", async () => {
  const { secret } = await addWebhook(["session.started", "user.registered"]);
  const { id: userId } = await registerUser(app, "ada@example.com");
  strictEqual(await deliver(), 2);
  app.advance(HOUR_SECONDS);
  strictEqual(await deliver(), 0);
  const events = await db.selectFrom("events").selectAll().where("user_id", "=", userId).orderBy("kind").execute();
  const received = receiver.received.toSorted((a, b) => a.body.type < b.body.type ? -1 : 1);
  deepStrictEqual(
    received.map(({ body, headers }) => [headers["webhook-id"], body]),
    events.map(({ id, kind, created_at, details }) => [
      id,
      { type: kind, timestamp: created_at.toISOString(), data: { userId, actorId: userId, actor: null, details } },
    ]),
  );
  for (const message of received) {
    deepStrictEqual(webhookMessage(message.body.type as EventKind).strict().parse(message.body), message.body);
    ok(isSigned(message, secret));
    ok(!isSigned({ ...message, text: `${message.text} ` }, secret));
    strictEqual(message.headers["content-type"], "application/json");
    strictEqual(message.path, "/hook");
  }
});

Deno.test("an event says in actor who caused it, if it was no user", async () => {
  await addWebhook(["user.registered", "account.suspended"]);
  const by = { actorId: null, actor: "client:robot", client: SOME_CLIENT } as const;
  const { user } = await createInvitedUser(services, { name: "Ada", email: "ada@example.com", next: null, by });
  await suspendUser(services, { who: user.id, by: COMMAND_LINE, reason: "spam" });
  strictEqual(await deliver(), 2);
  deepStrictEqual(
    receiver.received.map(({ body: { type, data } }) => [type, data.actorId, data.actor]).sort(),
    [["account.suspended", null, "command line"], ["user.registered", null, "client:robot"]],
  );
});

Deno.test("without webhooks nothing is queued, and with them only their kinds", async () => {
  await registerUser(app, "ada@example.com");
  strictEqual((await db.selectFrom("webhook_deliveries").select("id").execute()).length, 0);
  const { id } = await addWebhook(["login.failed"]);
  await logIn(app.client(), "ada@example.com", "Wrong-horse-7");
  await logIn(app.client(), "nobody@example.com", "Wrong-horse-7");
  await deliver();
  deepStrictEqual(receiver.received.map(({ body }) => [body.type, body.data.details]), [[
    "login.failed",
    { reason: "password" },
  ]]);
  deepStrictEqual(await statuses(id), ["sent"]);
});

Deno.test("an event whose transaction is rolled back is not sent", async () => {
  await addWebhook(["user.registered"]);
  await rejects(
    db.transaction().execute(async (trx) => {
      await sql`insert into events (id, kind, created_at) values ('x', 'user.registered', now())`.execute(trx);
      throw new Error("rolled back");
    }),
  );
  strictEqual(await deliver(), 0);
});

Deno.test("after a rotation both secrets sign for a day, and then only the new one", async () => {
  const { id, secret: first } = await addWebhook();
  const { secret: second } = await rotateSecret(services, { id, by: BY });
  notStrictEqual(first, second);
  match(second, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const { email } = await registerVerifiedUser(app, "ada@example.com");
  const signers = async () => {
    receiver.received.length = 0;
    await logIn(app.client(), email);
    await deliver();
    const [message] = receiver.received;
    return [first, second].filter((secret) => isSigned(message, secret));
  };
  deepStrictEqual(await signers(), [first, second]);
  await db.updateTable("webhook_secrets").set({ expires_at: sql<Date>`expires_at - interval '1 day'` }).execute();
  deepStrictEqual(await signers(), [second]);
  const stored = await db.selectFrom("webhook_secrets").select("secret").execute();
  ok(stored.every(({ secret }) => !secret.includes("whsec_")));
  strictEqual(await sweepExpiredRows(services), 0);
  strictEqual((await db.selectFrom("webhook_secrets").select("id").execute()).length, 2, "for an hour longer");
});

Deno.test("at most five secrets sign", async () => {
  const { id } = await addWebhook();
  for (let i = 0; i < 4; i++) await rotateSecret(services, { id, by: BY });
  await rejects(rotateSecret(services, { id, by: BY }), { code: "TOO_MANY" });
  app.advance(DAY_SECONDS);
  await rotateSecret(services, { id, by: BY });
});

Deno.test("a failed attempt is repeated at growing intervals, with the same id and content", async () => {
  const { id } = await addWebhook();
  await registerUser(app, "ada@example.com");
  const answers = [fail(500), fail(302, { Location: "/elsewhere" }), fail(404), () => new Promise<Response>(() => {})];
  const hasty = { ...services, webhooks: { ...services.webhooks, post: () => Promise.reject(new Error("broken")) } };
  for (const [index, answer] of answers.entries()) {
    receiver.answer = answer;
    const isLast = index === answers.length - 1;
    strictEqual(await deliverDueWebhooks(isLast ? hasty : services), 1, `attempt ${index + 1}`);
    const pause = 2 * 2 ** index;
    app.advance(pause * 0.8 - 0.1);
    strictEqual(await deliver(), 0, `too early after attempt ${index + 1}`);
    app.advance(pause);
  }
  receiver.answer = acceptWebhook;
  strictEqual(await deliver(), 1);
  deepStrictEqual(receiver.received.map(({ path }) => path), Array(4).fill("/hook"), "no redirect is followed");
  const sent = receiver.received.map(({ text, headers }) => [text, headers["webhook-id"]].join());
  strictEqual(new Set(sent).size, 1);
  const [delivery] = await deliveriesOf(id);
  const { status, attempts, failure, responseStatus } = delivery;
  deepStrictEqual([status, attempts, failure, responseStatus], ["sent", 5, null, 204]);
});

Deno.test("the list of deliveries says why an attempt failed", async () => {
  const { id } = await addWebhook();
  await registerUser(app, "ada@example.com");
  receiver.answer = fail(503);
  await deliver();
  const [refused] = await deliveriesOf(id);
  deepStrictEqual([refused.status, refused.failure, refused.responseStatus], ["waiting", "status", 503]);
  ok(refused.nextAttemptAt! > services.now());
  const { webhook } = await createWebhook(services, { url: "http://127.0.0.1:1/", kinds: ["login.failed"], by: BY });
  await sendTest(services, { id: webhook.id, by: BY });
  app.advance(MINUTE_SECONDS);
  await deliver();
  const [unreachable] = await deliveriesOf(webhook.id);
  deepStrictEqual([unreachable.failure, unreachable.responseStatus], ["connection", null]);
});

Deno.test("the delivery of an event is abandoned after three days of failures", async () => {
  const { id } = await addWebhook();
  await registerUser(app, "ada@example.com");
  receiver.answer = fail(500);
  let hours = 0;
  while ((await statuses(id))[0] === "waiting" && hours < 100) {
    await deliver();
    app.advance(HOUR_SECONDS * 1.3);
    hours += 1.3;
  }
  deepStrictEqual(await statuses(id), ["failed"]);
  ok(hours >= 72 && hours < 76, `${hours} hours`);
});

Deno.test("a webhook that fails rests, so that what waits is not sent in vain, and a success ends that", async () => {
  await addWebhook();
  const { email } = await registerVerifiedUser(app, "ada@example.com");
  for (let i = 0; i < 20; i++) await logIn(app.client(), email);
  receiver.answer = fail(500);
  let attempts = 0;
  for (let second = 0; second < 60; second++) {
    attempts += await deliver();
    app.advance(1);
  }
  ok(attempts > 5 && attempts <= 7 * 5, `${attempts} attempts in a minute`);
  receiver.answer = acceptWebhook;
  app.advance(HOUR_SECONDS);
  while (await deliver() > 0);
  strictEqual(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size, 21);
});

Deno.test("a receiver that asks for a pause gets it", async () => {
  await addWebhook();
  const { email } = await registerVerifiedUser(app, "ada@example.com");
  receiver.answer = fail(429, { "Retry-After": "600" });
  await deliver();
  await logIn(app.client(), email);
  app.advance(590);
  strictEqual(await deliver(), 0);
  app.advance(10);
  strictEqual(await deliver(), 2);
});

Deno.test("410 disables a webhook at once", async () => {
  const admin = await registerVerifiedUser(app, "admin@example.com");
  await db.updateTable("users").set({ role: "admin" }).where("id", "=", admin.id).execute();
  const { id } = await addWebhook(["session.started"], { by: { ...BY, actorId: admin.id } });
  await logIn(app.client(), admin.email);
  await logIn(app.client(), admin.email);
  receiver.answer = fail(410);
  await deliver();
  const { disabledAt, disabledBecause } = await getWebhook(db, id);
  deepStrictEqual([disabledAt, disabledBecause], [services.now(), "gone"]);
  app.mails.length = 0;
  await logIn(app.client(), admin.email);
  app.advance(DAY_SECONDS);
  strictEqual(await deliver(), 0);
  deepStrictEqual(await statuses(id), ["failed", "failed"], "nothing more is queued");
  await app.deliverMails();
  deepStrictEqual(app.mails.filter(({ subject }) => /webhook/i.test(subject)), []);
  deepStrictEqual(await changes(), ["created", "disabled"]);
});

Deno.test("five days without a success disable a webhook, and its creator gets an email", async () => {
  const admin = await registerVerifiedUser(app, "admin@example.com");
  await db.updateTable("users").set({ role: "admin" }).where("id", "=", admin.id).execute();
  const { id } = await addWebhook(["session.started"], { path: "/secret-path", by: { ...BY, actorId: admin.id } });
  const failDaily = async (days: number) => {
    receiver.answer = fail(500);
    for (let day = 0; day < days; day++) {
      await logIn(app.client(), admin.email);
      await deliver();
      app.advance(DAY_SECONDS);
    }
  };
  await failDaily(4);
  receiver.answer = acceptWebhook;
  await deliver();
  await failDaily(5);
  strictEqual((await getWebhook(db, id)).disabledAt, null, "a success in between starts again");
  await app.deliverMails();
  app.mails.length = 0;
  await logIn(app.client(), admin.email);
  await deliver();
  const { disabledBecause } = await getWebhook(db, id);
  strictEqual(disabledBecause, "failing");
  await app.deliverMails();
  const mails = app.mails.filter(({ subject }) => /webhook/i.test(subject));
  deepStrictEqual(mails.map(({ to }) => to), [admin.email]);
  match(mails[0].text, /127\.0\.0\.1/);
  ok(!mails[0].text.includes("secret-path"));

  receiver.answer = acceptWebhook;
  receiver.received.length = 0;
  await enableWebhook(services, { id, by: BY });
  app.advance(HOUR_SECONDS);
  while (await deliver() > 0);
  ok(receiver.received.length > 1, "what waited is sent");
  deepStrictEqual(await changes(), ["created", "disabled", "enabled"]);
});

Deno.test("the deletion of a user names the id, and empties what was sent before", async () => {
  const { id } = await addWebhook(["session.started", "user.deleted", "user.registered"]);
  const ada = await registerVerifiedUser(app, "ada@example.com");
  while (await deliver() > 0);
  await logIn(app.client(), ada.email);
  await db.transaction().execute((trx) => deleteUser(trx, ada, services.now()));
  const rows = () =>
    db.selectFrom("webhook_deliveries").select(["kind", "status", "user_id", "actor_id"]).orderBy("id").execute();
  deepStrictEqual((await rows()).map(({ kind, user_id }) => [kind, user_id]), [
    ["user.registered", null],
    ["session.started", null],
    ["session.started", ada.id],
    ["user.deleted", ada.id],
  ]);
  receiver.received.length = 0;
  strictEqual(await deliver(), 2);
  deepStrictEqual(receiver.received.map(({ body }) => [body.type, body.data.userId]).sort(), [
    ["session.started", ada.id],
    ["user.deleted", ada.id],
  ]);
  deepStrictEqual((await rows()).map(({ user_id, actor_id }) => [user_id, actor_id]), [
    [null, null],
    [null, null],
    [null, null],
    [ada.id, null],
  ]);
  const [deletion, emptied] = await deliveriesOf(id);
  await rejects(replayDelivery(services, { id, delivery: emptied.id, by: BY }), { code: "NOT_FOUND" });
  await replayDelivery(services, { id, delivery: deletion.id, by: BY });
  strictEqual(await deliver(), 1);
  strictEqual(receiver.received.at(-1)!.body.data.userId, ada.id);
});

Deno.test("a delivery that has ended can be repeated, under the same id", async () => {
  const { id, secret } = await addWebhook();
  await registerUser(app, "ada@example.com");
  await deliver();
  const [delivery] = await deliveriesOf(id);
  await replayDelivery(services, { id, delivery: delivery.id, by: BY });
  deepStrictEqual(await statuses(id), ["waiting"]);
  strictEqual(await deliver(), 1);
  const [first, again] = receiver.received;
  deepStrictEqual([again.text, again.headers["webhook-id"]], [first.text, first.headers["webhook-id"]]);
  ok(isSigned(again, secret));
  const unknown = "01900000-0000-7000-8000-000000000000";
  await rejects(replayDelivery(services, { id, delivery: unknown, by: BY }), { code: "NOT_FOUND" });
  const { id: other } = await addWebhook();
  await rejects(replayDelivery(services, { id: other, delivery: delivery.id, by: BY }), { code: "NOT_FOUND" });
  deepStrictEqual(await changes(), ["created", "replayed", "created"]);
});

Deno.test("a delivery whose next attempt is seconds away is sent at once by a replay", async () => {
  const { id } = await addWebhook();
  await registerUser(app, "ada@example.com");
  receiver.answer = fail(500);
  await deliver();
  receiver.answer = acceptWebhook;
  await db.updateTable("webhook_deliveries").set({ next_attempt_at: services.databaseTime(5) }).execute();
  const [delivery] = await deliveriesOf(id);
  await replayDelivery(services, { id, delivery: delivery.id, by: BY });
  strictEqual(await deliver(), 1);
  deepStrictEqual(await statuses(id), ["sent"]);
});

Deno.test("a delivery that is being sent is not started again by a replay", async () => {
  const { id } = await addWebhook();
  await registerUser(app, "ada@example.com");
  const answer = Promise.withResolvers<Response>();
  receiver.answer = () => answer.promise;
  const dispatcher = createWebhookDispatcher(services);
  strictEqual(await dispatcher.dispatch(), 1);
  const [delivery] = await deliveriesOf(id);
  await replayDelivery(services, { id, delivery: delivery.id, by: BY });
  strictEqual(await deliver(), 0);
  answer.resolve(acceptWebhook());
  await dispatcher.waitUntilIdle();
  deepStrictEqual(await statuses(id), ["sent"]);
});

Deno.test("a test is sent whichever kinds a webhook gets, also while it rests", async () => {
  const { id, secret } = await addWebhook(["totp.enabled"]);
  receiver.answer = fail(500);
  await sendTest(services, { id, by: BY });
  await deliver();
  receiver.answer = acceptWebhook;
  await sendTest(services, { id, by: BY });
  strictEqual(await deliver(), 1);
  const message = receiver.received.at(-1)!;
  ok(isSigned(message, secret));
  deepStrictEqual([message.body.type, message.body.data.details], ["webhook.test", {}]);
});

Deno.test("a slow receiver holds up no other, and gets at most five at a time", async () => {
  await addWebhook(["session.started"], { path: "/slow" });
  await addWebhook(["session.started"], { path: "/fast" });
  const { email } = await registerVerifiedUser(app, "ada@example.com");
  for (let i = 0; i < 11; i++) await logIn(app.client(), email);
  const slow = Promise.withResolvers<void>();
  receiver.answer = async ({ path }) => {
    if (path === "/slow") await slow.promise;
    return acceptWebhook();
  };
  const dispatcher = createWebhookDispatcher(services);
  const at = (path: string) => receiver.received.filter((message) => message.path === path).length;
  await waitFor("the fast one", async () => {
    await dispatcher.dispatch();
    return at("/fast") === 12 && at("/slow") >= 5;
  });
  strictEqual(at("/slow"), 5);
  slow.resolve();
  await waitFor("the slow one", async () => {
    await dispatcher.dispatch();
    return at("/slow") === 12;
  });
  await dispatcher.waitUntilIdle();
});

Deno.test("when a process dies during an attempt, another one sends the event under the same id", async () => {
  const { id } = await addWebhook();
  await registerUser(app, "ada@example.com");
  receiver.answer = () => new Promise<Response>(() => {});
  const dying = createWebhookDispatcher({
    ...services,
    webhooks: { ...services.webhooks, post: () => new Promise(() => {}) },
  }, { renewalMs: 1_000_000 });
  strictEqual(await dying.dispatch(), 1);
  app.advance(14);
  receiver.answer = acceptWebhook;
  strictEqual(await deliver(), 0);
  app.advance(1);
  strictEqual(await deliver(), 1);
  deepStrictEqual(await statuses(id), ["sent"]);
});

Deno.test("changes of a profile that become one event are each sent, under their own ids", async () => {
  const { id } = await addWebhook(["user.updated"]);
  const { client } = await registerVerifiedUser(app, "ada@example.com");
  await client.send("PUT", "/api/profile", { bio: "Mathematician" });
  await client.send("PUT", "/api/profile", { location: "London" });
  app.advance(MINUTE_SECONDS); // the database counts by its own clock
  await deliver();
  const events = await db.selectFrom("events").select("id").where("kind", "=", "user.updated").execute();
  strictEqual(events.length, 1);
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  deepStrictEqual([ids.length, new Set(ids).size, ids.includes(events[0].id)], [2, 2, true]);
  deepStrictEqual(await statuses(id), ["sent", "sent"]);
});

Deno.test("a deleted webhook gets nothing, and the sweep deletes its deliveries", async () => {
  const { id } = await addWebhook();
  const { id: other } = await addWebhook();
  const { email } = await registerVerifiedUser(app, "ada@example.com");
  await deleteWebhook(services, { id, by: BY });
  await logIn(app.client(), email);
  while (await deliver() > 0);
  strictEqual(receiver.received.length, 2);
  deepStrictEqual((await listWebhooks(db)).map((webhook) => webhook.id), [other]);
  await rejects(deliveriesOf(id), { code: "NOT_FOUND" });
  for (const act of [deleteWebhook, rotateSecret, enableWebhook, sendTest]) {
    await rejects(act(services, { id, by: BY }) as Promise<unknown>, { code: "NOT_FOUND" });
  }
  strictEqual(await sweepDeletedWebhooks(services), 0);
  const left = await db.selectFrom("webhook_deliveries").select("webhook_id").distinct().execute();
  deepStrictEqual(left, [{ webhook_id: other }]);
  strictEqual((await db.selectFrom("webhooks").select("id").execute()).length, 1);
  app.advance(31 * DAY_SECONDS);
  await sweepExpiredRows(services);
  strictEqual((await db.selectFrom("webhook_deliveries").select("id").execute()).length, 0);
});

Deno.test("there are at most 20 webhooks, also if two are added at once", async () => {
  for (let i = 0; i < 19; i++) await addWebhook();
  const results = await Promise.allSettled([addWebhook(), addWebhook()]);
  deepStrictEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  strictEqual((await listWebhooks(db)).length, 20);
});

Deno.test("a webhook to an inside address, or without https, is refused", async () => {
  const strict = withAddresses({ "hooks.example.com": "1.1.1.1", "backend.internal": "10.0.0.7" });
  for (
    const url of [
      "http://hooks.example.com/",
      "https://127.0.0.1/",
      "https://[::1]/",
      "https://0x7f.1/",
      "https://backend.internal/hooks",
    ]
  ) {
    await rejects(createWebhook(strict, { url, kinds: ["login.failed"], by: BY }), { code: "VALIDATION_FAILED" }, url);
  }
  for (const url of ["https://hooks.example.com/", "https://not-yet.example/"]) {
    await createWebhook(strict, { url, kinds: ["login.failed"], by: BY });
  }
});

Deno.test("a webhook to a host that the operator names as private is added", async () => {
  const privateHosts = readSettings({ WEBHOOK_PRIVATE_HOSTS: "Backend.internal 10.0.0.7" }).webhookPrivateHosts;
  const named = withAddresses({ "backend.internal": "10.0.0.7", "other.internal": "10.0.0.8" }, privateHosts);
  for (const url of ["http://backend.internal:3000/hooks", "https://10.0.0.7/"]) {
    await createWebhook(named, { url, kinds: ["login.failed"], by: BY });
  }
  const other = createWebhook(named, { url: "https://other.internal/", kinds: ["login.failed"], by: BY });
  await rejects(other, { code: "VALIDATION_FAILED" });
});

/** The services of production, with these addresses of names. */
function withAddresses(addresses: Record<string, string>, privateHosts: string[] = []): typeof services {
  const resolve = (name: string) => Promise.resolve(addresses[name] === undefined ? [] : [addresses[name]]);
  return { ...services, webhooks: createWebhookSender({ allowsPrivate: false, privateHosts, resolve }) };
}

Deno.test("the log contains no secret and no URL of a webhook", async () => {
  const { secret } = await addWebhook(["session.started"], { path: "/secret-path" });
  receiver.answer = fail(500);
  await registerUser(app, "ada@example.com");
  await deliver();
  receiver.answer = acceptWebhook;
  app.advance(MINUTE_SECONDS);
  await deliver();
  const log = app.logLines.join("\n");
  match(log, /webhook not sent, will retry.*"answer":"status 500"/);
  match(log, /webhook sent/);
  for (const text of ["secret-path", secret.slice(6), receiver.url]) ok(!log.includes(text), text);
});

Deno.test("a kind of event that does not exist is named in the error", async () => {
  const { client, id } = await registerVerifiedUser(app, "admin@example.com");
  await db.updateTable("users").set({ role: "admin" }).where("id", "=", id).execute();
  const cases: [kinds: unknown[], named: string][] = [
    [["session.started", "session.renamed"], "session.renamed"],
    [["x".repeat(500)], "x".repeat(100)],
    [[{ toString: 1 }], '{"toString":1}'],
  ];
  for (const [kinds, named] of cases) {
    const response = await client.send("POST", "/api/admin/webhooks", { url: receiver.url, kinds });
    const { details } = await response.json();
    deepStrictEqual([response.status, details], [400, { kinds: [`Is not a known kind of event: ${named}`] }]);
  }
});
