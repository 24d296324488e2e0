import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { COMMANDS } from "../../lib/command_line/commands.ts";
import { runCommand } from "../../lib/command_line/run.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { DeliveryError } from "../../lib/queue/delivery_error.ts";
import type { Mail } from "../../lib/services/services.ts";
import { logIn, PASSWORD, registerUser } from "../support/app/accounts.ts";
import { enableTotp } from "../support/app/second_factor.ts";
import { openTestApp } from "../support/app/test_app.ts";

const sent: [mail: Mail, key: string][] = [];
let refusal: string | null = null;
const mail = {
  send(each: Mail, key: string) {
    sent.push([each, key]);
    return refusal === null ? Promise.resolve() : Promise.reject(new DeliveryError("refused", { answer: refusal }));
  },
};
const app = await openTestApp({ LIMIT_ACCOUNT: "3/900", LIMIT_LOGIN: "5/900" }, { mail });
Deno.test.afterAll(() => app[Symbol.asyncDispose]());
const { services } = app;

/** Runs a command and returns what it reports. */
async function run(name: string, input: Record<string, unknown> = {}) {
  const outcome = await runCommand(services, { name, input }, { commands: COMMANDS });
  ok("report" in outcome, JSON.stringify(outcome));
  // deno-lint-ignore no-explicit-any
  return { text: outcome.report.text, value: outcome.report.value as any };
}

async function failure(name: string, input: Record<string, unknown> = {}): Promise<string> {
  const outcome = await runCommand(services, { name, input }, { commands: COMMANDS });
  ok("failure" in outcome, JSON.stringify(outcome));
  return outcome.failure;
}

/** Registers someone who confirms their address. */
async function person(email: string, name?: string) {
  const { id, client } = await registerUser(app, email, name);
  await services.db.updateTable("users").set({ email_verified: true }).where("id", "=", id).execute();
  return { id, client, email };
}

Deno.test("users show says that a person can log in, and how", async () => {
  const { id, email } = await person("ann@example.org", "Ann Example");
  const { text, value } = await run("users show", { who: email });
  match(
    text,
    /^Ann Example <ann@example\.org>\n.*, active, since 2026-03-01 12:00:00Z\n\nCan log in with: a password\./,
  );
  match(text, /1 session /);
  match(text, /session\.started +the owner/);
  strictEqual((await run("users show", { who: id })).text, text, "the id names the same account");
  const fields = [value.status, value.waysIn.hasPassword, value.factors.totp, value.createdAt];
  deepStrictEqual(fields, ["active", true, false, 1772366400]);
  doesNotMatch(JSON.stringify(value), /hash|secret|payload/i);
});

Deno.test("users show names each obstacle, and the command that helps", async () => {
  const { email, client } = await person("locked-out@example.org");
  for (let attempt = 0; attempt < 3; attempt++) {
    await app.client("203.0.113.9").send("POST", "/auth/login", { email, password: "Wrong-horse-9" });
  }
  const show = async () => (await run("users show", { who: email })).text;
  const locked = await show();
  match(locked, /Cannot log in:\n- Too many wrong passwords for this address, until .* limits clear locked-out@/);
  match(locked, /Otherwise could log in with: a password\./);
  match(locked, /Last failed login: 2026-.*: Login failed: wrong password, from 203\.0\.113\.9/);
  match(locked, /account +email +3 +3 +2026-.* +reached/);
  const cleared = await run("limits clear", { who: email });
  deepStrictEqual(cleared.value.cleared.map(({ policy }: { policy: string }) => policy), ["account"]);
  const [event] = (await run("events", { user: email, kind: "limits.cleared" })).value.data;
  deepStrictEqual([event.actor, event.details], ["command line", { limits: ["account"] }]);
  match(await show(), /Can log in with: a password\./);
  strictEqual((await logIn(client, email)).status, 200);

  await run("users suspend", { who: email, reason: "abuse 17" });
  const suspended = await show();
  match(suspended, /- The account was suspended at .*: abuse 17\. To lift it: users unsuspend locked-out@/);

  const { email: unconfirmed } = await registerUser(app, "unconfirmed@example.org");
  match((await run("users show", { who: unconfirmed })).text, /The address is not confirmed, .*resend-verification/);
  await run("users create", { email: "invited@example.org", name: "Ivo" });
  match((await run("users show", { who: "invited@example.org" })).text, /invitation has not been accepted.*send-reset/);
  await run("users delete", { who: [unconfirmed], reason: "x", yes: true });
  match(
    (await run("users show", { who: unconfirmed })).text,
    /will be deleted at .*, unless its owner logs in before then and keeps it\./,
  );
});

Deno.test("an invitation that is printed leads where --next says, and nowhere else", async () => {
  const invite = (name: string, next: string) =>
    run("users create", { email: `${name}@example.org`, name: "Iva", next });
  const { value: { link } } = await invite("next", "/profile");
  const { searchParams } = new URL(link);
  const [email, token] = ["email", "token"].map((name) => searchParams.get(name)!);
  const accepted = await app.client().submit("/reset-password?invitation=true", { email, token, password: PASSWORD });
  deepStrictEqual([accepted.status, accepted.headers.get("Location")], [303, "/profile"]);
  match(
    await failure("users create", { email: "far@example.org", name: "Iva", next: "https://evil.example/" }),
    /next/,
  );
});

Deno.test("limits of a network address are listed and cleared too", async () => {
  const login = { email: "nobody@example.org", password: "Wrong-horse-9" };
  for (let attempt = 0; attempt < 6; attempt++) await app.client("2001:db8:1:2::7").send("POST", "/auth/login", login);
  const address = "2001:db8:1:2::";
  const { value, text } = await run("limits list", { who: address });
  deepStrictEqual(
    value.data.map((
      { policy, by, requests, quota, isReached }: Record<string, unknown>,
    ) => [policy, by, requests, quota, isReached]),
    [["login", "address", 6, 5, true], ["login", "network", 6, 50, false]],
  );
  match(text, /login +address 2001:db8:1:2:: +6 +5 .*reached\nlogin +network 2001:db8:1:: +6 +50/);
  const wrong = await run("limits list", { who: "nobody@example.org" });
  deepStrictEqual(wrong.value.data.map(({ policy }: { policy: string }) => policy), ["account"], "without an account");
  await run("limits clear", { who: address });
  deepStrictEqual((await run("limits list", { who: address })).value, { data: [] });
  await run("limits clear", { who: address });
  const events = (await run("events", { kind: "limits.cleared" })).value.data;
  deepStrictEqual(
    events.map((
      { user, clientAddress, details }: Record<string, unknown>,
    ) => [(user as { name: string } | null)?.name, clientAddress, details]),
    [[undefined, address, { limits: ["login"] }], ["Ada Lovelace", null, { limits: ["account"] }]],
    "an event each, and none if there was nothing to forget",
  );
  strictEqual((await app.client("2001:db8:1:2::7").send("POST", "/auth/login", login)).status, 429, "the other limit");
  await run("limits clear", { who: "nobody@example.org" });
  strictEqual((await app.client("2001:db8:1:2::7").send("POST", "/auth/login", login)).status, 401);
  match(await failure("limits list", { who: crypto.randomUUID() }), /User not found/);
});

Deno.test("an email that is refused is shown with the answer, and is sent again on request, under the same key", async () => {
  await app.deliverMails();
  const { email } = await person("refused@example.org");
  refusal = "550 no such \x1b[31m\nmailbox";
  await services.db.updateTable("outbox").set({ attempts: 8 }).where("status", "=", "pending").execute();
  await app.deliverMails();
  const [[, key]] = sent.slice(-1);
  match(
    (await run("users show", { who: email })).text,
    /refuses to deliver to refused@.*: 550 no such {1,2}\[31m mailbox/,
  );
  const { text, value } = await run("mails list", { status: "waiting" });
  match((await run("check")).text, /Not delivered in more than one attempt: \d+\. --mail-to shows why/);
  match(text, /verification +waiting +refused@example\.org .* 9 +2026-.* 550 no such {1,2}\[31m mailbox$/m);
  ok(!text.includes("\x1b"), "no answer controls the terminal");
  strictEqual(value.data[0].id, key);
  doesNotMatch(JSON.stringify(value), /token=/);
  strictEqual(await app.deliverMails(), 0, "the next attempt is not due");
  refusal = null;
  await run("mails retry", { id: key });
  strictEqual(await app.deliverMails(), 1);
  strictEqual(sent.at(-1)![1], key);
  match(await failure("mails retry", { id: key }), /has been sent or has failed/);
  match(await failure("mails retry", { id: crypto.randomUUID() }), /Email not found/);
  match((await run("mails list", { status: "sent" })).text, /verification +sent +refused@/);
  const events = await run("events", { user: email, kind: "email.requested" });
  deepStrictEqual(events.value.data.map((each: { actor: string }) => each.actor), ["command line"]);
});

Deno.test("an email that is being sent at this moment is not sent twice", async () => {
  const { id } = await person("in-flight@example.org");
  const row = () => services.db.selectFrom("outbox").selectAll().where("user_id", "=", id).executeTakeFirstOrThrow();
  const { id: mailId } = await row();
  const leasedUntil = new Date(services.now().getTime() + 10_000);
  await services.db.updateTable("outbox").set({ next_attempt_at: leasedUntil, is_sending: true }).where(
    "id",
    "=",
    mailId,
  ).execute();
  await run("mails retry", { id: mailId });
  deepStrictEqual((await row()).next_attempt_at, leasedUntil);
});

Deno.test("users list pages through all accounts, and filters by state", async () => {
  const total = (await run("users list", { limit: "1000" })).value;
  strictEqual(total.next, null);
  const ids: string[] = [];
  let next: Record<string, string> | null = {};
  while (next !== null) {
    const { value, text } = await run("users list", { limit: "3", ...next });
    ids.push(...value.data.map(({ id }: { id: string }) => id));
    next = value.next === null ? null : { after: value.next };
    if (next !== null) match(text, new RegExp(`There are more: --after ${next.after}$`));
  }
  deepStrictEqual(ids, total.data.map(({ id }: { id: string }) => id));
  for (const status of ["active", "unverified", "suspended", "closing"]) {
    const expected = total.data.filter((each: { status: string }) => each.status === status);
    ok(expected.length > 0, status);
    deepStrictEqual((await run("users list", { status, limit: "1000" })).value.data, expected);
  }
});

Deno.test("events lead to the request, the reason and the person who acted", async () => {
  const { id, email, client } = await person("watched@example.org", "Wanda Watched");
  const response = await client.send("PUT", "/api/profile", { bio: "x" });
  const { text, value } = await run("events", { user: email, limit: "1" });
  deepStrictEqual(
    value.data.map((each: Record<string, unknown>) => [each.kind, each.actor, each.user, each.requestId]),
    [[
      "user.updated",
      { id, name: "Wanda Watched" },
      { id, name: "Wanda Watched" },
      response.headers.get("x-request-id"),
    ]],
  );
  match(text, /user\.updated +Wanda Watched +the owner/);
  const [{ requestId: request }] = value.data;
  deepStrictEqual((await run("events", { request })).value, value, "of this request alone");
  deepStrictEqual((await run("events", { request: "none" })).value, { data: [] });
});

Deno.test("a command that fails says why in a sentence, without a stack", async () => {
  for (const [name, input] of [["users show", { who: "nobody@example.org" }], ["users nonsense", {}]] as const) {
    doesNotMatch(await failure(name, input), /\n| {4}at /);
  }
  const broken = { ...services, db: undefined as never };
  const outcome = await runCommand(broken, { name: "users list", input: {} }, { commands: COMMANDS });
  ok("failure" in outcome && !outcome.failure.includes("\n"), JSON.stringify(outcome));
  match(await failure("users list", { limit: "0" }), /Validation failed/);
});

Deno.test("check says what works and what does not, and fails if something does not", async () => {
  const check = async (changed: Partial<typeof services> = {}, input = {}) => {
    const outcome = await runCommand({ ...services, ...changed }, { name: "check", input }, { commands: COMMANDS });
    ok("report" in outcome, JSON.stringify(outcome));
    const { checks } = outcome.report.value as { checks: { part: string; isGood: boolean }[] };
    const bad = checks.filter(({ isGood }) => !isGood).map(({ part }) => part);
    strictEqual(outcome.report.hasFailed, bad.length > 0);
    return { bad, text: outcome.report.text };
  };
  await services.db.updateTable("outbox").set({ status: "sent" }).execute();
  deepStrictEqual((await check()).bad, []);
  const objects = { ...services.objects, put: () => Promise.reject(new Error("the disk is full")) };
  const full = await check({ objects });
  deepStrictEqual(full.bad, ["store"]);
  match(full.text, /store +DOES NOT WORK +the disk is full/);
  const refusing = {
    ...services.objects,
    put: () => Promise.reject(new AppError("UNAVAILABLE", { reason: "storage", retryAfterSeconds: 30 })),
  };
  match(
    (await check({ objects: refusing })).text,
    /store +DOES NOT WORK +it accepts nothing now: the disk is full, or/,
  );

  await enableTotp(app, (await person("has-a-secret@example.org")).client);
  await services.db.updateTable("outbox").set({ status: "sent" }).execute();
  deepStrictEqual((await check()).bad, []);
  const appSecret = "another secret, with which nothing was sealed";
  const other = await check({ config: { ...services.config, appSecret } });
  deepStrictEqual(other.bad, ["secrets"]);
  match(
    other.text,
    /APP_SECRET does not open: authenticator app of [0-9a-f-]+\. Add the secret that sealed it to APP_SECRET_PREV/,
  );
  const previousAppSecrets = [services.config.appSecret];
  deepStrictEqual((await check({ config: { ...services.config, appSecret, previousAppSecrets } })).bad, []);

  refusal = "550 not you";
  const refused = await check({}, { mailTo: "me@example.org" });
  deepStrictEqual(refused.bad, ["test email"]);
  match(refused.text, /refused: 550 not you/);
  refusal = null;
  const accepted = await check({}, { mailTo: "me@example.org" });
  deepStrictEqual([accepted.bad, sent.at(-1)![0].to], [[], "me@example.org"]);

  const tryOut = () => Promise.reject(new Error("mail.test:587: 535 wrong password"));
  const wrongPassword = await check({ mail: { ...services.mail, tryOut } });
  deepStrictEqual(wrongPassword.bad, ["mail"]);
  match(wrongPassword.text, /mail +DOES NOT WORK +mail\.test:587: 535 wrong password\. Emails waiting: 0/);
  const delivering = await check({ mail: { ...services.mail, tryOut: () => Promise.resolve("mail.test:587") } });
  match(delivering.text, /mail +works +mail\.test:587\. Emails waiting: 0/);
  match((await check()).text, /mail +works +not tried, because emails are kept on this machine\. Emails waiting: 0/);

  await person("waits@example.org");
  app.advance(16 * 60);
  deepStrictEqual((await check()).bad, ["mail"]);
  const name = "9999_create_future";
  await sql`insert into kysely_migration (name, timestamp) values (${name}, '')`.execute(services.db);
  const newer = await check();
  await sql`delete from kysely_migration where name = ${name}`.execute(services.db);
  deepStrictEqual(newer.bad, ["database", "mail"]);
  match(newer.text, /newer than this release, which does not know 9999_create_future/);
});

Deno.test("users delete takes several accounts, and one that cannot be deleted holds up no other", async () => {
  const people = [await person("test-1@example.org"), await person("test-2@example.org")];
  const who = [people[0].email, "nobody@example.org", people[1].id, people[0].email];
  const { text, value } = await run("users delete", { who, reason: "end of the trial", yes: true, now: true });
  match(text, /^Deleted test-1@example\.org\.\nnobody@example\.org: .+\nDeleted [0-9a-f-]{36}\.$/);
  deepStrictEqual(value.data.map(({ who }: { who: string }) => who), who.slice(0, 3));
  const left = await services.db.selectFrom("users").select("id").where("id", "in", people.map(({ id }) => id))
    .execute();
  deepStrictEqual(left, []);
});
