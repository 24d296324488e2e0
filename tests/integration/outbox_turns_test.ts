import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { sendAlert } from "../../lib/mail/links/alert.ts";
import { secondsAfter } from "../../lib/duration.ts";
import type { MailKind } from "../../lib/mail/kinds.ts";
import { queueMail } from "../../lib/mail/outbox.ts";
import { createMailDispatcher } from "../../lib/mail/outbox_worker.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { deliverNextMails } from "../support/mail/deliver_due_mails.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const FLOOD = 5_000;
/** As many deliveries as run at once. */
const NEXT = 10;

const app = await openSharedTestApp();
const { services } = app;
Deno.test.beforeEach(() => app.database.empty());

/** Queues emails of a kind to an account in one transaction. */
async function queueMails({ id: userId, email: to }: { id: string; email: string }, kind: MailKind, count: number) {
  const { config } = services;
  const now = services.now();
  const mail = { to, subject: kind, html: "", text: "" };
  await services.db.transaction().execute(async (trx) => {
    for (let i = 0; i < count; i++) {
      await queueMail(trx, { kind, mail, userId, expiresAt: secondsAfter(now, 86_400), now, config });
    }
  });
}

/** Delivers the next emails, and returns their recipients and subjects. */
async function deliverNext(): Promise<string[]> {
  const { length } = app.mails;
  strictEqual(await deliverNextMails(services), NEXT);
  return app.mails.slice(length).map(({ to, subject }) => `${to}: ${subject}`);
}

Deno.test("beside 5,000 alerts of one user, the emails of other people are among the next", async () => {
  const flooder = await registerVerifiedUser(app, "flooder@example.com");
  const { email: forgetful } = await registerVerifiedUser(app, "forgetful@example.com");
  const { email: alerted, id: userId } = await registerVerifiedUser(app, "alerted@example.com");
  await queueMails(flooder, "token_created", FLOOD);
  app.advance(60);
  await app.client().send("POST", "/auth/forgot-password", { email: forgetful });
  await services.db.transaction().execute((trx) =>
    sendAlert(trx, services, { kind: "passkey_added", userId, client: SOME_CLIENT, now: services.now() })
  );
  const next = await deliverNext();
  ok(next.includes(`${forgetful}: Reset your Foyer password`), next.join());
  ok(next.includes(`${alerted}: A passkey was added to your Foyer account`), next.join());
});

Deno.test("emails that someone waits for go before those that nobody waits for", async () => {
  const [first, second] = [
    await registerVerifiedUser(app, "first@example.com"),
    await registerVerifiedUser(app, "second@example.com"),
  ];
  for (const kind of ["password_changed", "token_expiring", "deletion", "factor_reset_waiting"] as const) {
    await queueMails(first, kind, 3);
  }
  // A second email with a code, or with a link to change the address, would replace the first.
  for (const kind of ["code", "sign_in_code", "email_change"] as const) await queueMails(second, kind, 1);
  await queueMails(second, "verification", 2);
  await queueMails(second, "recovery", 5);
  const next = await deliverNext();
  deepStrictEqual(next.filter((mail) => !mail.startsWith(second.email)), []);
});

Deno.test("ten emails are taken at a time, even if PostgreSQL has last counted only one", async () => {
  const user = await registerVerifiedUser(app, "believed@example.com");
  await sql`analyze outbox`.execute(services.db);
  await queueMails(user, "token_created", 2 * NEXT);
  strictEqual(await deliverNextMails(services), NEXT);
});

Deno.test("two instances share the turns, and deliver each email once", async () => {
  const users = [];
  for (let i = 0; i < 4; i++) users.push(await registerVerifiedUser(app, `shared${i}@example.com`));
  for (const user of users) await queueMails(user, "token_created", 10);
  const { length } = app.mails;
  const dispatchers = [createMailDispatcher(services), createMailDispatcher(services)];
  deepStrictEqual(await Promise.all(dispatchers.map((each) => each.dispatch())), [NEXT, NEXT]);
  await Promise.all(dispatchers.map((each) => each.waitUntilIdle()));
  const byUser = Object.groupBy(app.mails.slice(length), ({ to }) => to);
  deepStrictEqual(users.map(({ email }) => byUser[email]?.length), [5, 5, 5, 5]);
});

Deno.test("an email that the previous release has queued takes its turn too, as one that someone waits for", async () => {
  const { email, id: user_id } = await registerVerifiedUser(app, "older@example.com");
  await queueMails({ id: user_id, email }, "reset", 1);
  const { payload, id, ...row } = await services.db.selectFrom("outbox").where("kind", "=", "reset")
    .select(["id", "user_id", "kind", "payload", "next_attempt_at", "expires_at", "created_at"])
    .executeTakeFirstOrThrow();
  await services.db.deleteFrom("outbox").where("id", "=", id).execute();
  await queueMails(await registerVerifiedUser(app, "newer@example.com"), "token_created", NEXT);
  await services.db.insertInto("outbox").values({ ...row, payload, id }).execute();
  const next = await deliverNext();
  ok(next.includes(`${email}: reset`), next.join());
});
