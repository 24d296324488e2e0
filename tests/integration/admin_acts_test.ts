import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { COMMAND_LINE as by } from "../../lib/activity/events.ts";
import { listAudit } from "../../lib/activity/audit_list.ts";
import { endAllSessions } from "../../lib/admin/access.ts";
import { resendConfirmation, sendReset } from "../../lib/admin/emails.ts";
import { resetFactors } from "../../lib/admin/factors.ts";
import { keepUser, removeUser } from "../../lib/admin/removal.ts";
import { changeRole } from "../../lib/admin/role.ts";
import { suspendUser, unsuspendUser } from "../../lib/admin/suspension.ts";
import { createInvitedUser } from "../../lib/accounts/invitation.ts";
import { deleteDueAccounts } from "../../lib/accounts/account_deletion.ts";
import { DAY_SECONDS, HOUR_SECONDS, YEAR_SECONDS } from "../../lib/duration.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { mailedToken, PASSWORD, type Registered, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { enableTotp } from "../support/app/second_factor.ts";
import { deliverDueMails } from "../support/mail/deliver_due_mails.ts";
import { later } from "../support/uploads/upload_world.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ REGISTRATION: "open", SIGN_IN_CODES: "true" });
const { services } = app;
const { db } = services;

/** Returns the kinds of the newest events of an account that the command line caused, newest first. */
async function actsOn(userId: string): Promise<[kind: string, reason: string | null][]> {
  const events = await listAudit(db, { userId, limit: 20 });
  return events.filter(({ actor }) => actor === "command line").map(({ kind, reason }) => [kind, reason]);
}

const rowOf = (id: string) => db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

async function logIn({ email }: Registered, password = PASSWORD) {
  const client = app.client();
  const response = await client.send("POST", "/auth/login", { email, password });
  return { status: response.status, code: (await response.json()).code, client };
}

Deno.test("a suspension ends all access and voids what was emailed, and lifting it revives nothing", async () => {
  const person = await registerVerifiedUser(app, "spammer@example.org");
  const viewer = await registerVerifiedUser(app, "viewer@example.org");
  const { headers } = await createToken(person.client);
  await person.client.send("POST", "/auth/forgot-password", { email: person.email });
  const reset = await mailedToken(app, person.email);
  await app.client().send("POST", "/auth/code", { email: person.email });
  await app.client().send("POST", "/auth/forgot-password", { email: person.email });

  strictEqual(await suspendUser(services, { who: person.email.toUpperCase(), reason: "spam", by }), true);
  strictEqual(await suspendUser(services, { who: person.id, reason: "again", by }), false);
  strictEqual((await rowOf(person.id))?.suspension_reason, "spam");
  deepStrictEqual(await actsOn(person.id), [
    ["token.ended", "account_suspended"],
    ["session.ended", "account_suspended"],
    ["account.suspended", "spam"],
  ]);
  const isIn = async () => (await person.client.get("/api/account")).status;
  const withToken = async () => (await app.client().get("/api/profile", headers)).status;
  const isListed = async () => (await viewer.client.get(`/api/users/${person.id}`)).status;
  const withLink = async () =>
    (await app.client().send("POST", "/auth/reset-password", {
      email: person.email,
      token: reset,
      password: "Another-horse-8",
    })).status;
  const states = async () => [await isIn(), await withToken(), await withLink()];
  deepStrictEqual(await states(), [401, 401, 400]);
  strictEqual(await isListed(), 404);
  deepStrictEqual(await db.selectFrom("emailed_codes").selectAll().where("user_id", "=", person.id).execute(), []);
  const waiting = await db.selectFrom("outbox").select("kind").where("user_id", "=", person.id)
    .where("status", "=", "pending").execute();
  deepStrictEqual(waiting.filter(({ kind }) => kind === "reset" || kind === "sign_in_code"), []);
  strictEqual((await logIn(person)).code, "ACCOUNT_SUSPENDED");
  strictEqual((await logIn(person, "Wrong-horse-9")).code, "INVALID_CREDENTIALS");
  await rejects(sendReset(services, { who: person.id, by }), hasCode("ACCOUNT_SUSPENDED"));

  strictEqual(await unsuspendUser(services, { who: person.id, by }), true);
  strictEqual(await unsuspendUser(services, { who: person.id, by }), false);
  deepStrictEqual((await actsOn(person.id))[0], ["account.unsuspended", null]);
  deepStrictEqual(await states(), [401, 401, 400]);
  strictEqual(await isListed(), 200);
  strictEqual((await rowOf(person.id))?.suspension_reason, null);
  const { status, client } = await logIn(person);
  strictEqual(status, 200);
  const { data } = await (await client.get("/api/account/events")).json();
  const suspended = data.find(({ kind }: { kind: string }) => kind === "account.suspended");
  deepStrictEqual(suspended.details, {}, "the reason is for operators");
});

Deno.test("an admin who loses the role before the act begins changes nothing", async () => {
  const target = await registerVerifiedUser(app, "late-target@example.org");
  const { id: actorId } = await registerVerifiedUser(app, "former-admin@example.org");
  const active = { role: "admin", suspended_at: null, deletion_due_at: null } as const;
  for (const change of [{ role: "user" }, { suspended_at: new Date() }, { deletion_due_at: new Date() }] as const) {
    await db.updateTable("users").set({ ...active, ...change }).where("id", "=", actorId).execute();
    const act = { who: target.id, reason: "late", by: { actorId, client: null } };
    await rejects(suspendUser(services, act), hasCode("NOT_FOUND"), JSON.stringify(change));
  }
  await db.updateTable("users").set({ ...active, role: "user" }).where("id", "=", actorId).execute();
  strictEqual((await rowOf(target.id))?.suspended_at, null);
});

Deno.test("an account that the command line creates has no password, and the printed link accepts the invitation", async () => {
  const { user, link } = await createInvitedUser(services, { email: "invited@example.org", name: "Ivo", by });
  deepStrictEqual(await actsOn(user.id), [["user.registered", null]]);
  await app.deliverMails();
  strictEqual(app.mails.some(({ to }) => to === user.email), false, "nothing is emailed");
  const { pathname, searchParams } = new URL(link);
  deepStrictEqual([pathname, searchParams.get("invitation")], ["/reset-password", "true"]);
  const token = searchParams.get("token");
  const response = await app.client().send("POST", "/auth/reset-password", {
    email: user.email,
    token,
    password: PASSWORD,
  });
  strictEqual(response.status, 200);
  const row = await rowOf(user.id);
  deepStrictEqual([row?.email_verified, row?.role], [true, "user"]);
  const again = { email: user.email, name: "Ivo", by };
  await rejects(createInvitedUser(services, again), hasCode("EMAIL_TAKEN"));
});

Deno.test("REGISTRATION does not hold up an operator, but ALLOWED_EMAIL_DOMAINS does", async () => {
  const config = { ...services.config, registration: "closed" as const, allowedEmailDomains: ["example.org"] };
  const create = (email: string) => createInvitedUser({ ...services, config }, { email, name: "Ivo", by });
  await create("inside@example.org");
  await rejects(create("outside@example.net"), hasCode("VALIDATION_FAILED"));
});

Deno.test("ending sessions logs a person out everywhere, and leaves their tokens", async () => {
  const person = await registerVerifiedUser(app, "everywhere@example.org");
  const { headers } = await createToken(person.client);
  const { client } = await logIn(person);
  strictEqual(await endAllSessions(services, { who: person.id, by }), 2);
  strictEqual(await endAllSessions(services, { who: person.id, by }), 0);
  for (const each of [person.client, client]) strictEqual((await each.get("/api/account")).status, 401);
  strictEqual((await app.client().get("/api/profile", headers)).status, 200);
  deepStrictEqual(await actsOn(person.id), [["session.ended", "admin"], ["session.ended", "admin"]]);
});

Deno.test("an operator can send a reset and a confirmation, three an hour", async () => {
  const person = await registerUser(app, "helpless@example.org");
  for (let sent = 0; sent < 3; sent++) await sendReset(services, { who: person.id, by });
  await rejects(sendReset(services, { who: person.id, by }), hasCode("RATE_LIMITED"));
  strictEqual(await resendConfirmation(services, { who: person.id, by }), true);
  deepStrictEqual((await actsOn(person.id)).map(([kind]) => kind), Array(4).fill("email.requested"));
  match(await mailedToken(app, person.email), /./);
  app.advance(HOUR_SECONDS);
  await sendReset(services, { who: person.id, by });
  const token = await mailedToken(app, person.email);
  const reset = { email: person.email, token, password: "Another-horse-8" };
  strictEqual((await person.client.send("POST", "/auth/reset-password", reset)).status, 200);
  strictEqual(await resendConfirmation(services, { who: person.id, by }), false, "the link has confirmed the address");
});

Deno.test("a removal gives the owner time, and --now gives none", async () => {
  const person = await registerVerifiedUser(app, "leaving@example.org");
  const dueAt = await removeUser(services, { who: person.id, reason: "asked by phone", now: false, by });
  await app.deliverMails();
  const { subject, text } = app.mails.findLast(({ to }) => to === person.email)!;
  strictEqual(subject, "Your Foyer account will be deleted");
  match(
    text,
    /^An admin has asked to delete your Foyer account\.\n\nWe’ll delete your account on March 15, 2026\.\n[^]*\n\nKeep my account:\n\S+\/login\?next=%2Fkeep-account\n/,
  );
  doesNotMatch(text, /asked by phone|token=/);
  deepStrictEqual(dueAt, (await rowOf(person.id))?.deletion_due_at);
  deepStrictEqual((await actsOn(person.id)).at(-1), ["account.closing", "asked by phone"]);
  strictEqual((await person.client.get("/api/account")).status, 401);
  const { status, client } = await logIn(person);
  strictEqual(status, 200);
  strictEqual((await client.send("POST", "/api/account/restore", {})).status, 200);
  strictEqual((await rowOf(person.id))?.deletion_due_at, null);

  strictEqual(await removeUser(services, { who: person.id, reason: "abuse", now: true, by }), null);
  strictEqual(await rowOf(person.id), undefined);
  await rejects(removeUser(services, { who: person.id, reason: "abuse", now: true, by }), hasCode("NOT_FOUND"));
  const [last] = await listAudit(db, { kind: "user.deleted", limit: 1 });
  deepStrictEqual([last.actor, last.user, last.details], ["command line", null, { reason: "abuse" }]);
});

Deno.test("the last email says that an admin has deleted the account", async () => {
  const inTwoWeeks = later(services, 15 * DAY_SECONDS);
  const closed = await registerVerifiedUser(app, "closed-by-admin@example.org");
  await removeUser(services, { who: closed.id, reason: "spam", now: false, by });
  await deleteDueAccounts(inTwoWeeks);
  const hasty = await registerVerifiedUser(app, "deleted-by-admin@example.org");
  await removeUser(services, { who: hasty.id, reason: "spam", now: true, by });
  const kept = await registerVerifiedUser(app, "kept-before@example.org");
  strictEqual((await kept.client.request("/api/account", { method: "DELETE" })).status, 202);
  const { client } = await logIn(kept);
  strictEqual((await client.send("POST", "/api/account/restore", {})).status, 200);
  await removeUser(services, { who: kept.id, reason: "spam", now: false, by });
  await deleteDueAccounts(inTwoWeeks);
  await deliverDueMails(inTwoWeeks);
  for (const { email } of [closed, hasty, kept]) {
    const { subject, text } = app.mails.findLast(({ to }) => to === email)!;
    strictEqual(subject, "Your Foyer account has been deleted");
    match(text, /^An admin has deleted your Foyer account /);
    doesNotMatch(text, /spam|As you asked|create a new one/);
  }
});

Deno.test("the email about a removed authenticator app says that an admin removed it", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "lost-factors@example.org");
  await enableTotp(app, client);
  await resetFactors(services, { who: id, reason: "lost the phone", by });
  await app.deliverMails();
  const { text } = app.mails.findLast(({ to }) => to === email)!;
  match(text, /^An admin has removed your authenticator app\. Did you ask them to\?/);
  doesNotMatch(text, /Was it you|lost the phone/);
});

Deno.test("an admin keeps an account that is closing, whoever closed it, and its owner reads so", async () => {
  const byAdmin = await registerVerifiedUser(app, "wrong-person@example.org");
  await removeUser(services, { who: byAdmin.id, reason: "spam", now: false, by });
  const byOwner = await registerVerifiedUser(app, "closed-by-owner@example.org");
  strictEqual((await byOwner.client.request("/api/account", { method: "DELETE" })).status, 202);
  for (const { id, email } of [byAdmin, byOwner]) {
    strictEqual(await keepUser(services, { who: email, reason: "ticket 9", by }), true);
    strictEqual(await keepUser(services, { who: email, reason: "ticket 9", by }), false);
    deepStrictEqual((await actsOn(id))[0], ["account.kept", "ticket 9"]);
    await app.deliverMails();
    const { text, subject } = app.mails.findLast(({ to }) => to === email)!;
    deepStrictEqual([subject, /ticket 9/.test(text)], ["Your Foyer account stays", false]);
  }
  await deleteDueAccounts(later(services, YEAR_SECONDS));
  for (const person of [byAdmin, byOwner]) {
    const { status, client } = await logIn(person);
    strictEqual(status, 200);
    const { data } = await (await client.get("/api/account/events")).json();
    const kept = data.find(({ kind }: { kind: string }) => kind === "account.kept");
    deepStrictEqual(kept.details, {}, "the reason is for operators");
  }
});

Deno.test("only people who can keep their account get an email about its removal", async () => {
  const suspended = await registerVerifiedUser(app, "suspended-and-removed@example.org");
  await suspendUser(services, { who: suspended.id, reason: "spam", by });
  const unconfirmed = await registerUser(app, "unconfirmed-and-removed@example.org");
  for (const { id } of [suspended, unconfirmed]) {
    await removeUser(services, { who: id, reason: "spam", now: false, by });
    const kinds = await db.selectFrom("outbox").select("kind").where("user_id", "=", id).execute();
    strictEqual(kinds.some(({ kind }) => kind === "closed_by_operator"), false);
  }
});

Deno.test("an admin is made and unmade by the command line, and an expired invitation does not delete them", async () => {
  const { user } = await createInvitedUser(services, { email: "first-admin@example.org", name: "Ada", by });
  strictEqual(await changeRole(services, { who: user.id, role: "admin", by }), true);
  strictEqual(await changeRole(services, { who: user.id, role: "admin", by }), false);
  await deleteDueAccounts(later(services, YEAR_SECONDS));
  ok(await rowOf(user.id));
  const second = await registerVerifiedUser(app, "second-admin@example.org");
  await changeRole(services, { who: second.id, role: "admin", by });
  strictEqual(await changeRole(services, { who: user.id, role: "user", by }), true);
  deepStrictEqual((await actsOn(user.id)).map(([kind]) => kind), ["role.changed", "role.changed", "user.registered"]);
});

Deno.test("an unknown account is not found, whatever the act", async () => {
  for (const who of ["nobody@example.org", crypto.randomUUID(), "nobody", ""]) {
    await rejects(suspendUser(services, { who, reason: "x", by }), hasCode("NOT_FOUND"), who);
    await rejects(endAllSessions(services, { who, by }), hasCode("NOT_FOUND"), who);
    await rejects(removeUser(services, { who, reason: "x", now: false, by }), hasCode("NOT_FOUND"), who);
  }
});
