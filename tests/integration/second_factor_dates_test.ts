import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { announceSecondFactorDates } from "../../lib/access/second_factor_notice.ts";
import { listAccounts } from "../../lib/admin/account_list.ts";
import { extendSecondFactor } from "../../lib/admin/factors.ts";
import { COMMAND_LINE as by } from "../../lib/activity/events.ts";
import { COMMANDS } from "../../lib/command_line/commands.ts";
import { runCommand } from "../../lib/command_line/run.ts";
import { DAY_SECONDS, secondsAfter } from "../../lib/duration.ts";
import { logIn, mailsTo, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { readPage } from "../support/app/page_reader.ts";
import { addPasskey } from "../support/app/passkeys.ts";
import { DEMANDED, demandSecondFactor, enableTotp, makeOverdue } from "../support/app/second_factor.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { statusAndCode } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ ...DEMANDED, SECOND_FACTOR_GRACE_DAYS: "7", LOGIN_MAX_ATTEMPTS: "0" });
const { services } = app;
const { db } = services;
const WAITS = [403, "SECOND_FACTOR_SETUP_REQUIRED"];

async function eventsOf(userId: string) {
  return await db.selectFrom("events").select(["kind", "details"]).where("user_id", "=", userId)
    .where("kind", "in", ["second_factor.required", "second_factor.due", "second_factor.extended"])
    .orderBy("id").execute();
}

async function dueMailsTo(email: string) {
  await app.deliverMails();
  return (await mailsTo(app, email)).filter(({ subject }) => subject.startsWith("Set up a second factor"));
}

/** Someone who must have a second factor in seven days. */
async function demanded(name: string) {
  const person = await registerVerifiedUser(app, `${name}@example.com`);
  await demandSecondFactor(app, person.id);
  strictEqual((await person.client.get("/api/profile")).status, 200);
  return { ...person, dueAt: secondsAfter(services.now(), 7 * DAY_SECONDS) };
}

/** Runs a command, and returns what programs get. */
async function run(name: string, input: Record<string, unknown>) {
  const outcome = await runCommand(services, { name, input }, { commands: COMMANDS });
  ok("report" in outcome, JSON.stringify(outcome));
  // deno-lint-ignore no-explicit-any
  return outcome.report.value as any;
}

const extend = (who: string) => extendSecondFactor(services, { who, reason: "the mailbox is gone", by });

Deno.test("an email comes three days before the date, once, and events say when it was set and when it is due", async () => {
  const { client, id, email, dueAt } = await demanded("told");
  await client.get("/api/profile");
  const details = { dueAt: dueAt.toISOString() };
  deepStrictEqual(await eventsOf(id), [{ kind: "second_factor.required", details }]);
  app.advance(4 * DAY_SECONDS - 1);
  await announceSecondFactorDates(services);
  deepStrictEqual(await dueMailsTo(email), []);
  app.advance(1);
  await Promise.all([1, 2, 3].map(() => announceSecondFactorDates(services)));
  const [mail, ...more] = await dueMailsTo(email);
  deepStrictEqual(more, []);
  match(mail.text, /\/settings\/sign-in-methods\/required/);
  deepStrictEqual(await eventsOf(id), [
    { kind: "second_factor.required", details },
    { kind: "second_factor.due", details },
  ]);
  app.advance(4 * DAY_SECONDS);
  await announceSecondFactorDates(services);
  strictEqual((await dueMailsTo(email)).length, 1);
});

Deno.test("no email comes to those who have one, are suspended, or may not own the address", async () => {
  const [factor, key, suspended] = [await demanded("app"), await demanded("key"), await demanded("suspended")];
  const stranger = await registerUser(app, "stranger@example.com");
  await demandSecondFactor(app, stranger.id);
  await stranger.client.get("/api/profile");
  const admin = await demanded("free");
  await db.deleteFrom("group_members").where("user_id", "=", admin.id).execute();
  for (const { id } of [factor, key]) await extend(id); // so that the password is enough
  await enableTotp(app, factor.client);
  await addPasskey(key.client);
  await db.updateTable("users").set({ suspended_at: services.now() }).where("id", "=", suspended.id).execute();
  app.advance(5 * DAY_SECONDS);
  await announceSecondFactorDates(services);
  for (const { email } of [factor, key, suspended, stranger, admin]) {
    deepStrictEqual(await dueMailsTo(email), [], email);
  }
  deepStrictEqual((await eventsOf(stranger.id)).map(({ kind }) => kind), [
    "second_factor.required",
    "second_factor.due",
  ]);
  deepStrictEqual((await eventsOf(key.id)).map(({ kind }) => kind), [
    "second_factor.required",
    "second_factor.extended",
  ]);
});

Deno.test("where the date has passed, there is the event and no email", async () => {
  const { id, email } = await registerVerifiedUser(app, "passed@example.com");
  await makeOverdue(app, id);
  await announceSecondFactorDates(services);
  deepStrictEqual((await eventsOf(id)).map(({ kind }) => kind), ["second_factor.due"]);
  deepStrictEqual(await dueMailsTo(email), []);
});

Deno.test("where nobody must have one, nothing is read", async () => {
  const config = { ...services.config, secondFactor: null };
  const { id } = await registerVerifiedUser(app, "optional@example.com");
  await makeOverdue(app, id);
  strictEqual(await announceSecondFactorDates({ ...services, config }), 0);
  deepStrictEqual(await eventsOf(id), []);
});

Deno.test("an admin gives more time, in which the password is enough to set one up", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "dead-mailbox@example.com");
  await makeOverdue(app, id);
  await logIn(client, email);
  deepStrictEqual(await statusAndCode(await client.get("/api/profile")), WAITS);
  strictEqual(await extend(email), true);
  const until = secondsAfter(services.now(), 7 * DAY_SECONDS);
  const [{ kind, details }] = (await eventsOf(id)).slice(-1);
  deepStrictEqual([kind, details], [
    "second_factor.extended",
    { dueAt: until.toISOString(), reason: "the mailbox is gone" },
  ]);
  for (let n = 0; n < 2; n++) strictEqual((await client.get("/api/profile")).status, 200);
  app.advance(7 * DAY_SECONDS - 1);
  strictEqual((await logIn(client, email)).status, 200);
  strictEqual((await client.get("/api/profile")).status, 200);
  app.advance(1);
  deepStrictEqual(await statusAndCode(await client.get("/api/profile")), WAITS, "then it is over");
  deepStrictEqual(await statusAndCode(await client.request("/api/totp", { method: "POST" })), [
    403,
    "REAUTHENTICATION_REQUIRED",
  ]);
  deepStrictEqual(await run("users extend-second-factor", { who: email, reason: "still gone" }), { changed: true });
  await logIn(client, email);
  await enableTotp(app, client);
  strictEqual(await extend(id), false, "nothing is missing any more");
});

Deno.test("more time moves the email too, and ends when a factor is set up", async () => {
  const { client, id, email } = await demanded("extended");
  app.advance(4 * DAY_SECONDS);
  await announceSecondFactorDates(services);
  await extend(email);
  const dueAt = secondsAfter(services.now(), 7 * DAY_SECONDS).toISOString();
  await announceSecondFactorDates(services);
  strictEqual((await dueMailsTo(email)).length, 1);
  app.advance(4 * DAY_SECONDS);
  await announceSecondFactorDates(services);
  strictEqual((await dueMailsTo(email)).length, 2);
  deepStrictEqual((await eventsOf(id)).at(-1), { kind: "second_factor.due", details: { dueAt } });
  await logIn(client, email);
  await enableTotp(app, client);
  const { second_factor_extended_until } = await db.selectFrom("users").select("second_factor_extended_until")
    .where("id", "=", id).executeTakeFirstOrThrow();
  strictEqual(second_factor_extended_until, null, "a lost factor is not set up again with the password");
});

Deno.test("no admin gives time to themselves: whoever knows the password could", async () => {
  const { id } = await registerAdmin(app, "own-time@example.com");
  await demandSecondFactor(app, id);
  const act = { who: id, reason: "later" };
  strictEqual(await extendSecondFactor(services, { ...act, by: { actorId: id, client: null } }), false);
  strictEqual(await extendSecondFactor(services, { ...act, by }), true);
});

Deno.test("without any time in the settings, an admin gives a day", async () => {
  const { client, id } = await registerVerifiedUser(app, "no-time@example.com");
  await makeOverdue(app, id);
  const config = { ...services.config, secondFactorGraceSeconds: 0 };
  await extendSecondFactor({ ...services, config }, { who: id, reason: "no mailbox", by });
  app.advance(DAY_SECONDS - 1);
  strictEqual((await client.get("/api/profile")).status, 200);
  app.advance(1);
  deepStrictEqual(await statusAndCode(await client.get("/api/profile")), WAITS);
});

Deno.test("admins find the people without a second factor", async () => {
  const none = await registerVerifiedUser(app, "zoe-none@example.com");
  const withTotp = await registerVerifiedUser(app, "zoe-app@example.com");
  await enableTotp(app, withTotp.client);
  const withKey = await registerVerifiedUser(app, "zoe-key@example.com");
  await addPasskey(withKey.client);
  const pending = await registerVerifiedUser(app, "zoe-pending@example.com");
  await pending.client.request("/api/totp", { method: "POST" });
  const found = async (query?: string) => {
    const { accounts } = await listAccounts(services, { query, factor: "none", limit: 500 });
    return accounts.map(({ id }) => id);
  };
  deepStrictEqual(await found("zoe"), [pending.id, none.id], "an app that nobody has confirmed does not count");
  const all = await found();
  ok(all.includes(none.id) && !all.includes(withTotp.id) && !all.includes(withKey.id));
  const listed = await run("users list", { query: "zoe", withoutSecondFactor: true });
  deepStrictEqual(listed.data.map(({ id }: { id: string }) => id), [pending.id, none.id]);
  const { client } = await registerAdmin(app, "zoe-admin@example.com");
  const page = await readPage(client.get("/admin/users?factor=none&query=zoe"));
  match(page.textAt('.tabs [aria-current="page"]')!, /^Without a second factor/);
  deepStrictEqual([page.text.includes(none.email), page.text.includes(withTotp.email)], [true, false]);
});
