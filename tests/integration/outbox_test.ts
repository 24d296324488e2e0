import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { databaseTime } from "../../db/connection.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { DeliveryError } from "../../lib/queue/delivery_error.ts";
import { createDeliveryService } from "../../lib/mail/transports/delivery_service.ts";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../../lib/duration.ts";
import { createMailDispatcher } from "../../lib/mail/outbox_worker.ts";
import { retryMail } from "../../lib/mail/outbox_list.ts";
import { queueMail } from "../../lib/mail/outbox.ts";
import type { MailTransport } from "../../lib/services/services.ts";
import { registerUser } from "../support/app/accounts.ts";
import { accept, type DeliveredMail, startDeliveryService } from "../support/mail/delivery_service.ts";
import { delay } from "../support/delay.ts";
import { deliverDueMails } from "../support/mail/deliver_due_mails.ts";
import { freePort } from "../support/processes/free_port.ts";
import { openTestApp } from "../support/app/test_app.ts";
import { waitFor } from "../support/wait_for.ts";

const service = startDeliveryService();
/** All emails that the service received in earlier tests. */
const delivered: DeliveredMail[] = [];
const app = await openTestApp({ VERIFY_TOKEN_TTL_SECONDS: String(3 * DAY_SECONDS) }, { mail: transport() });
Deno.test.afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});
Deno.test.beforeEach(async () => {
  await app.database.empty();
  delivered.push(...service.received.splice(0));
  service.answer = accept;
});

/** Creates a transport that delivers to the service. */
function transport(options: { timeoutMs?: number } = {}): MailTransport {
  return createDeliveryService({
    apiUrl: `${service.url}/`,
    token: "delivery-token",
    from: "Foyer <a@foyer.test>",
    ...options,
  });
}

const statusOf = async () => {
  const { status, payload } = await app.services.db.selectFrom("outbox").selectAll().executeTakeFirstOrThrow();
  return [status, payload === null ? "wiped" : "kept"];
};
const fail = (status: number, headers?: HeadersInit) => () => new Response(null, { status, headers });

Deno.test("an email is sent once, in the format of the delivery service, and its payload is wiped", async () => {
  await registerUser(app, "ada@example.com");
  strictEqual(await app.deliverMails(), 1);
  app.advance(HOUR_SECONDS);
  strictEqual(await app.deliverMails(), 0);
  const [{ key, authorization, body }] = service.received;
  strictEqual(service.received.length, 1);
  strictEqual(authorization, "Bearer delivery-token");
  const { id } = await app.services.db.selectFrom("outbox").select("id").executeTakeFirstOrThrow();
  strictEqual(key, id);
  deepStrictEqual(
    { ...body, text: "", html: "" },
    {
      from: "Foyer <a@foyer.test>",
      to: "ada@example.com",
      subject: "Confirm your email address for Foyer",
      text: "",
      html: "",
      headers: { "Auto-Submitted": "auto-generated" },
    },
  );
  const link = /http:\/\/foyer\.test\/verify-email\?email=ada%40example\.com&token=[\w-]{43}/;
  match(body.text, link);
  match(body.html, new RegExp(link.source.replace("&", "&amp;")));
  deepStrictEqual(await statusOf(), ["sent", "wiped"]);
});

Deno.test("a failed delivery is retried at growing intervals, with the same content and key", async () => {
  await registerUser(app, "retry@example.com");
  const endless = () => new Promise<Response>(() => {});
  // A busy machine must have time to send the request before it times out.
  const hasty = { ...app.services, mail: transport({ timeoutMs: 2_000 }) };
  const pauses = [2, 4, 8, 16];
  for (const [index, answer] of [fail(500), fail(408), fail(503), endless].entries()) {
    service.answer = answer;
    strictEqual(await deliverDueMails(answer === endless ? hasty : app.services), 1, `attempt ${index + 1}`);
    app.advance(pauses[index] * 0.8 - 0.1);
    strictEqual(await app.deliverMails(), 0, `too early after attempt ${index + 1}`);
    app.advance(pauses[index] * 0.2 + 0.1);
  }
  service.answer = accept;
  strictEqual(await app.deliverMails(), 1);
  deepStrictEqual(new Set(service.received.map((mail) => JSON.stringify(mail))).size, 1);
  strictEqual(service.received.length, 5);
  deepStrictEqual(await statusOf(), ["sent", "wiped"]);
});

Deno.test("no email is lost while the delivery service is unreachable", async () => {
  const unreachable = createDeliveryService({ apiUrl: "http://127.0.0.1:1", token: "t", from: "a@foyer.test" });
  await registerUser(app, "offline@example.com");
  strictEqual(await deliverDueMails({ ...app.services, mail: unreachable }), 1);
  deepStrictEqual(await statusOf(), ["pending", "kept"]);
  app.advance(3);
  strictEqual(await app.deliverMails(), 1);
  deepStrictEqual(await statusOf(), ["sent", "wiped"]);
});

Deno.test("trying out the delivery service connects to it, and sends nothing", async () => {
  match(
    await transport().tryOut!(),
    /^127\.0\.0\.1:\d+ can be reached\. EMAIL_API_TOKEN was not tried$|^localhost:\d+ can/,
  );
  strictEqual(service.received.length, 0);
  const apiUrl = `http://127.0.0.1:${freePort()}`;
  const unreachable = createDeliveryService({ apiUrl, token: "t", from: "a@foyer.test" });
  await rejects(unreachable.tryOut!(), /^DeliveryError: 127\.0\.0\.1:\d+ cannot be reached: .*refused/);
});

Deno.test("an email whose next attempt is seconds away is sent at once if someone asks, unless it is being sent", async () => {
  await registerUser(app, "soon@example.com");
  const { db, databaseTime: time } = app.services;
  const { id } = await db.selectFrom("outbox").select("id").executeTakeFirstOrThrow();
  const ask = () => retryMail(app.services, { id, by: COMMAND_LINE });
  service.answer = fail(500);
  strictEqual(await app.deliverMails(), 1);
  await db.updateTable("outbox").set({ next_attempt_at: time(5) }).execute();
  strictEqual(await app.deliverMails(), 0);
  const answer = Promise.withResolvers<Response>();
  service.answer = () => answer.promise;
  await ask();
  const dispatcher = createMailDispatcher(app.services);
  strictEqual(await dispatcher.dispatch(), 1);
  await ask();
  strictEqual(await app.deliverMails(), 0);
  answer.resolve(new Response("{}"));
  await dispatcher.waitUntilIdle();
  deepStrictEqual(await statusOf(), ["sent", "wiped"]);
});

Deno.test("a retry waits for the time in Retry-After", async () => {
  for (const value of ["120", new Date(Date.now() + 120_000).toUTCString()]) {
    await app.database.empty();
    await registerUser(app, "busy@example.com");
    service.answer = fail(429, { "Retry-After": value });
    strictEqual(await app.deliverMails(), 1);
    app.advance(110);
    strictEqual(await app.deliverMails(), 0, value);
    app.advance(10);
    service.answer = accept;
    strictEqual(await app.deliverMails(), 1, value);
  }
});

Deno.test("a redirect is not followed and does not count as delivery", async () => {
  await registerUser(app, "redirected@example.com");
  service.answer = fail(307, { Location: `${service.url}/emails` });
  strictEqual(await app.deliverMails(), 1);
  strictEqual(service.received.length, 1);
  deepStrictEqual(await statusOf(), ["pending", "kept"]);
});

Deno.test("a very long Retry-After is shortened, so that the email is retried within the day", async () => {
  for (const value of ["946080000", "99999999999999999", new Date(8.64e15).toUTCString()]) {
    await app.database.empty();
    await registerUser(app, "patient@example.com");
    service.answer = fail(429, { "Retry-After": value });
    strictEqual(await app.deliverMails(), 1);
    app.advance(6 * HOUR_SECONDS);
    service.answer = accept;
    strictEqual(await app.deliverMails(), 1, value);
  }
});

Deno.test("a stalled delivery does not delay other emails", async () => {
  await registerUser(app, "stalled@example.com");
  const stalled = Promise.withResolvers<Response>();
  service.answer = () => stalled.promise;
  const { length } = app.logLines;
  const results = () =>
    app.logLines.slice(length).map((line) => JSON.parse(line).message).filter((message) =>
      message.startsWith("email ")
    );
  const dispatcher = createMailDispatcher(app.services);
  strictEqual(await dispatcher.dispatch(), 1);
  while (service.received.length < 1) await delay(1);
  await registerUser(app, "swift@example.com");
  service.answer = accept;
  strictEqual(await dispatcher.dispatch(), 1);
  await waitFor("the other email", () => results().length > 0);
  stalled.resolve(new Response(null, { status: 500 }));
  await dispatcher.waitUntilIdle();
  deepStrictEqual(results(), ["email sent", "email not sent, will retry"]);
  const rows = await app.services.db.selectFrom("outbox").select("status").orderBy("created_at").orderBy("status")
    .execute();
  deepStrictEqual(rows.map(({ status }) => status), ["pending", "sent"]);
});

Deno.test("at most ten deliveries run concurrently, and the next starts when one ends", async () => {
  for (let i = 0; i < 12; i++) await registerUser(app, `waiting${i}@example.com`);
  const deliveries: PromiseWithResolvers<void>[] = [];
  const send = () => {
    const delivery = Promise.withResolvers<void>();
    deliveries.push(delivery);
    return delivery.promise;
  };
  const dispatcher = createMailDispatcher({ ...app.services, mail: { send } });
  strictEqual(await dispatcher.dispatch(), 10);
  const next = dispatcher.dispatch();
  while (deliveries.length < 10) await delay(1);
  deliveries[0].resolve();
  strictEqual(await next, 1);
  while (deliveries.length < 11) await delay(1);
  for (const { resolve } of deliveries) resolve();
  await dispatcher.waitUntilIdle();
});

Deno.test("an email that the service rejects is retried, because the configured token may be wrong", async () => {
  for (const status of [400, 401, 403, 404, 422]) {
    await app.database.empty();
    await registerUser(app, "refused@example.com");
    service.answer = fail(status);
    strictEqual(await app.deliverMails(), 1);
    deepStrictEqual(await statusOf(), ["pending", "kept"], String(status));
    app.advance(2);
    service.answer = accept;
    strictEqual(await app.deliverMails(), 1);
    deepStrictEqual(await statusOf(), ["sent", "wiped"], String(status));
  }
});

Deno.test("the delivery of an email is abandoned after a day of failures", async () => {
  await registerUser(app, "lost@example.com");
  service.answer = fail(500);
  let hours = 0;
  while ((await statusOf())[0] === "pending" && hours < 100) {
    await app.deliverMails();
    app.advance(HOUR_SECONDS * 1.3);
    hours += 1.3;
  }
  deepStrictEqual(await statusOf(), ["failed", "wiped"]);
  ok(hours >= 24 && hours < 28, `${hours} hours`);
  ok(service.received.length > 18, `${service.received.length} attempts, although no pause exceeds an hour`);
});

Deno.test("an email whose link has expired is not sent", async () => {
  await registerUser(app, "late@example.com");
  app.advance(3 * DAY_SECONDS);
  strictEqual(await app.deliverMails(), 1);
  strictEqual(service.received.length, 0);
  deepStrictEqual(await statusOf(), ["failed", "wiped"]);
});

Deno.test("when a process dies during a delivery, another one sends the email", async () => {
  await registerUser(app, "orphan@example.com");
  let isStuck = false;
  const stuck = deliverDueMails({
    ...app.services,
    mail: {
      send() {
        isStuck = true;
        return new Promise<void>(() => {});
      },
    },
  });
  void stuck;
  while (!isStuck) await new Promise((resolve) => setTimeout(resolve, 1));
  app.advance(14); // longer than a request to the delivery service may take
  strictEqual(await app.deliverMails(), 0);
  app.advance(1);
  strictEqual(await app.deliverMails(), 1);
  deepStrictEqual(await statusOf(), ["sent", "wiped"]);
});

Deno.test("a delivery that takes long keeps its email", async () => {
  await registerUser(app, "slow@example.com");
  const sending = Promise.withResolvers<void>();
  const slow = createMailDispatcher({ ...app.services, mail: { send: () => sending.promise } }, { renewalMs: 5 });
  strictEqual(await slow.dispatch(), 1);
  const leaseEnd = async () => {
    const row = await app.services.db.selectFrom("outbox").select("next_attempt_at").executeTakeFirstOrThrow();
    return row.next_attempt_at.getTime();
  };
  app.advance(14);
  const before = await leaseEnd();
  await waitFor("a renewal", async () => await leaseEnd() > before);
  app.advance(14);
  strictEqual(await app.deliverMails(), 0);
  sending.resolve();
  await slow.waitUntilIdle();
  deepStrictEqual(await statusOf(), ["sent", "wiped"]);
});

Deno.test("a recipient that the server refuses for good gets no further attempt", async () => {
  await registerUser(app, "nobody@example.com");
  const send = () => Promise.reject(new DeliveryError("refused", { isFinal: true }));
  await deliverDueMails({ ...app.services, mail: { send } });
  deepStrictEqual(await statusOf(), ["failed", "wiped"]);
});

Deno.test("instances whose clocks differ by 20 seconds deliver each email once", async () => {
  for (let i = 0; i < 5; i++) await registerUser(app, `skewed${i}@example.com`);
  const sending = Promise.withResolvers<void>();
  const keys: string[] = [];
  const mail = {
    async send(_mail: unknown, key: string) {
      keys.push(key);
      await sending.promise;
    },
  };
  const clocks = [-20, 0, 20].map((skew) => () => secondsAfter(app.services.now(), skew));
  const dispatchers = clocks.map((now) => createMailDispatcher({ ...app.services, mail, now }));
  const counts: number[] = [];
  for (const dispatcher of dispatchers) counts.push(await dispatcher.dispatch());
  deepStrictEqual(counts, [5, 0, 0]);
  sending.resolve();
  for (const dispatcher of dispatchers) await dispatcher.waitUntilIdle();
  strictEqual(new Set(keys).size, 5);
});

Deno.test("an email queued by an instance whose clock is ahead is due immediately", async () => {
  const { db, config } = app.services;
  const { id: userId, email } = await registerUser(app, "ahead@example.com");
  const now = secondsAfter(new Date(), HOUR_SECONDS);
  const mail = { to: email, subject: "", html: "", text: "" };
  await queueMail(db, { kind: "reset", mail, userId, expiresAt: secondsAfter(now, HOUR_SECONDS), now, config });
  const due = await db.selectFrom("outbox").select("id").where("kind", "=", "reset")
    .where("next_attempt_at", "<=", databaseTime()).execute();
  strictEqual(due.length, 1);
});

Deno.test("a queued email is sent even if its user has been deleted", async () => {
  const { db, config, now } = app.services;
  const { id: userId, email } = await registerUser(app, "deleted@example.com");
  strictEqual(await app.deliverMails(), 1);
  const mail = { to: email, subject: "Your account has been deleted", html: "", text: "" };
  const expiresAt = secondsAfter(now(), HOUR_SECONDS);
  await queueMail(db, { kind: "reset", mail, userId, expiresAt, now: now(), config });
  await db.deleteFrom("users").where("id", "=", userId).execute();
  strictEqual(await app.deliverMails(), 1);
  deepStrictEqual(service.received.map(({ body }) => body.subject).at(-1), mail.subject);
  const rows = await db.selectFrom("outbox").select(["user_id", "status"]).execute();
  deepStrictEqual(rows, Array(2).fill({ user_id: null, status: "sent" }));
});

Deno.test("many concurrent workers send each email once", async () => {
  for (let i = 0; i < 25; i++) await registerUser(app, `many${i}@example.com`);
  const work = async () => {
    await app.deliverMails();
  };
  await Promise.all(Array.from({ length: 5 }, work));
  deepStrictEqual([service.received.length, new Set(service.received.map(({ key }) => key)).size], [25, 25]);
});

Deno.test("what the delivery service says about a refusal is kept and logged, without links, codes and addresses", async () => {
  await registerUser(app, "refused@example.com");
  const text =
    `No: https://foyer.test/verify-email?token=abc for refused@example.com, 68161952, 6816 1952, 123456, delivery-token. ${
      "x".repeat(5_000)
    }`;
  service.answer = () => new Response(text, { status: 422 });
  let { length } = app.logLines;
  await app.deliverMails();
  const answer = `No: [link] for [recipient], [code], [code], [code], [token]. ${"x".repeat(200)}`.slice(0, 200);
  const stored = async () =>
    (await app.services.db.selectFrom("outbox").select("answer").executeTakeFirstOrThrow()).answer;
  strictEqual(await stored(), answer);
  const logged = () => JSON.parse(app.logLines.slice(length).find((line) => line.includes('"email '))!);
  deepStrictEqual([logged().level, logged().answer], ["warn", answer]);
  service.answer = () => Response.json({ message: "Domain not verified" }, { status: 403 });
  app.advance(DAY_SECONDS);
  ({ length } = app.logLines);
  await app.deliverMails();
  strictEqual(await stored(), '{"message":"Domain not verified"}');
  deepStrictEqual([logged().level, logged().answer], ["error", '{"message":"Domain not verified"}']);
});

Deno.test("the log contains neither the token of the delivery service nor a link", () => {
  const log = app.logLines.join("\n");
  match(log, /email not sent, will retry/);
  ok(!log.includes("delivery-token"));
  const tokens = delivered.flatMap(({ body }) => body.text.match(/(?<=token=)[\w-]+/) ?? []);
  ok(tokens.length > 0);
  deepStrictEqual(tokens.filter((token) => log.includes(token)), []);
});
