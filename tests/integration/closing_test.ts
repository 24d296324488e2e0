import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { closeAccount, closingDueAt, restoreAccount } from "../../lib/accounts/account_closing.ts";
import { DAY_SECONDS, MINUTE_SECONDS, unixSeconds } from "../../lib/duration.ts";
import { formatDay } from "../../lib/texts/date_format.ts";
import { deleteDueAccounts } from "../../lib/accounts/account_deletion.ts";
import {
  logIn,
  mailedPath,
  mailedToken,
  PASSWORD,
  principalOf,
  registerUser,
  registerVerifiedUser,
} from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { signIn } from "../support/providers/idp.ts";
import { openSharedTestApp, openTestInstance } from "../support/app/test_app.ts";
import { statusAndCode, type TestClient } from "../support/app/test_client.ts";

const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const app = await openSharedTestApp({ ...provider.env, LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;
const other = await openTestInstance(app);
Deno.test.afterAll(() => other[Symbol.asyncDispose]());
/** A new client of one of two instances, in turns. */
const either = (turn: number) => [app, other][turn % 2].client();
const KEEP = "/keep-account";

function close(client: TestClient): Promise<Response> {
  return client.request("/api/account", { method: "DELETE" });
}

/** Registers someone who has closed their account and logged in again. */
async function registerClosing(email: string) {
  const registered = await registerVerifiedUser(app, email);
  strictEqual((await close(registered.client)).status, 202);
  strictEqual((await logIn(registered.client, email)).status, 200);
  return registered;
}

async function eventsSince(userId: string, kind: string): Promise<string[]> {
  const rows = await db.selectFrom("events").select("kind").where("user_id", "=", userId).orderBy("id").execute();
  const kinds = rows.map((row) => row.kind as string);
  return kinds.includes(kind) ? kinds.slice(kinds.indexOf(kind)) : [];
}

Deno.test("closing an account ends all sessions and says when it will be deleted", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "closing@example.com");
  const other = app.client();
  await logIn(other, email);
  const response = await close(client);
  const deletionDueAt = unixSeconds(app.services.now()) + 14 * DAY_SECONDS;
  const body = await response.json();
  deepStrictEqual([response.status, body.success, body.deletionDueAt], [202, true, deletionDueAt]);
  strictEqual(typeof body.message, "string");
  strictEqual(client.cookies.has("auth_session"), false, "the cookie is cleared");
  strictEqual((await other.get("/api/profile")).status, 401);
  deepStrictEqual(await eventsSince(id, "account.closing"), ["account.closing", "session.ended", "session.ended"]);
});

Deno.test("closing requires a session and a recent proof", async () => {
  deepStrictEqual(await statusAndCode(await close(app.client())), [401, "UNAUTHENTICATED"]);
  const { client, id } = await registerVerifiedUser(app, "unproved@example.com");
  app.advance(15 * MINUTE_SECONDS + 1);
  deepStrictEqual(await statusAndCode(await close(client)), [403, "REAUTHENTICATION_REQUIRED"]);
  strictEqual((await app.client().get(`/api/users/${id}`)).status, 200);
  await client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  strictEqual((await close(client)).status, 202);
});

Deno.test("other people no longer see a closing account, and its address stays taken", async () => {
  const { id, email, client } = await registerVerifiedUser(app, "hidden@example.com", "Hidden Person");
  const guest = app.client();
  const isListed = async () => {
    const { data: first, nextCursor } = await (await guest.get("/api/users?limit=1")).json();
    const cursor = nextCursor === null ? "" : `&cursor=${nextCursor}`;
    const { data: rest } = await (await guest.get(`/api/users?limit=500${cursor}`)).json();
    return [...first, ...rest].some((user: { id: string }) => user.id === id);
  };
  strictEqual(await isListed(), true);
  await registerVerifiedUser(app, "newer@example.com");
  strictEqual(await isListed(), true);
  await close(client);
  strictEqual(await isListed(), false);
  ok(!(await (await guest.get("/users")).text()).includes("Hidden Person"));
  for (const path of [`/api/users/${id}`, `/users/${id}`]) strictEqual((await guest.get(path)).status, 404);
  deepStrictEqual(
    await statusAndCode(await guest.send("POST", "/auth/register", { name: "Ada", email, password: PASSWORD })),
    [409, "EMAIL_TAKEN"],
  );
  await logIn(client, email);
  strictEqual((await client.request("/api/account/restore", { method: "POST" })).status, 200);
  strictEqual(await isListed(), true);
});

Deno.test("every way in leads to the page that keeps the account", async () => {
  const { client, email } = await registerVerifiedUser(app, "back@example.com");
  await close(client);
  const viaPage = app.client();
  const response = await viaPage.submit("/login?next=%2Fuploads", { email, password: PASSWORD });
  strictEqual(response.headers.get("Location"), "/uploads");
  const led = await viaPage.get("/uploads");
  deepStrictEqual([led.status, led.headers.get("Location")], [303, `${KEEP}?next=%2Fuploads`]);
  const page = await readPage(viaPage.get(KEEP));
  strictEqual(page.heading, "Keep your account?");
  match(page.text, /On March 15, 2026, we’ll delete this account/);

  const viaProvider = app.client();
  await signIn(app, provider, { sub: "back", email, email_verified: true }, viaProvider);
  strictEqual((await viaProvider.get("/dashboard")).headers.get("Location"), `${KEEP}?next=%2Fdashboard`);

  const kept = await viaPage.submit(`${KEEP}?next=%2Fuploads`, {});
  deepStrictEqual([kept.status, kept.headers.get("Location")], [303, "/uploads"]);
  strictEqual((await viaPage.get("/uploads")).status, 200);
  strictEqual((await viaPage.get(KEEP)).headers.get("Location"), "/dashboard");
});

Deno.test("a wrong password comes before the state of the account, and an unconfirmed address before closing", async () => {
  const { client, email } = await registerUser(app, "unconfirmed@example.com");
  const token = await mailedToken(app, email);
  await close(client);
  const login = (password: string) => logIn(app.client(), email, password);
  deepStrictEqual(await statusAndCode(await login("Wrong-horse-77")), [401, "INVALID_CREDENTIALS"]);
  deepStrictEqual(await statusAndCode(await login(PASSWORD)), [403, "EMAIL_NOT_VERIFIED"]);
  strictEqual((await app.client().send("POST", "/auth/verify-email", { email, token })).status, 200);
  await logIn(client, email);
  deepStrictEqual(await statusAndCode(await client.get("/api/profile")), [403, "ACCOUNT_CLOSING"]);
});

Deno.test("a reset link sets a password while the account is closing, and does not keep it", async () => {
  const { client, email } = await registerVerifiedUser(app, "reset-closing@example.com");
  await close(client);
  await app.deliverMails();
  await app.client().send("POST", "/auth/forgot-password", { email });
  const token = await mailedToken(app, email);
  const password = "Another-horse-8";
  strictEqual((await app.client().send("POST", "/auth/reset-password", { email, token, password })).status, 200);
  strictEqual((await logIn(client, email, password)).status, 200);
  deepStrictEqual(await statusAndCode(await client.get("/api/profile")), [403, "ACCOUNT_CLOSING"]);
});

Deno.test("the menu of a closing account leads only to the page that keeps it", async () => {
  const { client, email } = await registerVerifiedUser(app, "menu@example.com");
  strictEqual((await close(client)).status, 202);
  await logIn(client, email);
  const menu = (await readPage(client.get(KEEP))).findAll("#account-menu a");
  deepStrictEqual(menu.map((link) => link.getAttribute("href")), [KEEP]);
  const kept = await client.request("/api/account/restore", { method: "POST" });
  strictEqual(kept.status, 200);
  ok((await readPage(client.get("/dashboard"))).leadsTo("/settings/sessions"));
});

Deno.test("keeping an account is recorded once, and restores everything", async () => {
  const { client, id } = await registerClosing("kept@example.com");
  for (let times = 0; times < 2; times++) {
    const response = await client.request("/api/account/restore", { method: "POST" });
    const { success, message } = await response.json();
    deepStrictEqual([response.status, success, typeof message], [200, true, "string"]);
  }
  deepStrictEqual(await eventsSince(id, "account.kept"), ["account.kept"]);
  strictEqual((await client.get("/api/profile")).status, 200);
  app.advance(20 * DAY_SECONDS);
  await deleteDueAccounts(app.services);
  ok(await db.selectFrom("users").select("id").where("id", "=", id).executeTakeFirst() !== undefined);
});

Deno.test("of closings at the same time, one closes the account", async () => {
  const { client, id } = await registerVerifiedUser(app, "closed-twice@example.com");
  const principal = await principalOf(app, client);
  const dueDates = await Promise.all(Array.from({ length: 50 }, () => closeAccount(app.services, principal)));
  strictEqual(new Set(dueDates.map((date) => date.getTime())).size, 1);
  deepStrictEqual(await eventsSince(id, "account.closing"), ["account.closing", "session.ended"]);
});

Deno.test("of closings and restorations at the same time on two instances, the last one counts", async () => {
  const { client, id } = await registerClosing("undecided@example.com");
  const session = { Cookie: `auth_session=${client.cookies.get("auth_session")}` };
  const close = (client: TestClient) => client.request("/api/account", { method: "DELETE", headers: session });
  const keep = (client: TestClient) => client.request("/api/account/restore", { method: "POST", headers: session });
  const statuses = await Promise.all(
    Array.from({ length: 50 }, async (_, turn) => (await [keep, close][turn % 2](either(turn >> 1))).status),
  );
  ok(statuses.every((status) => [200, 202, 401, 403].includes(status)), statuses.join());
  const kinds = await eventsSince(id, "account.closing");
  const decisions = kinds.filter((kind) => kind !== "session.ended" && kind !== "session.started");
  const { deletion_due_at: dueAt } = await db.selectFrom("users").select("deletion_due_at").where("id", "=", id)
    .executeTakeFirstOrThrow();
  const sessions = await db.selectFrom("sessions").select("id").where("user_id", "=", id).execute();
  const isClosing = decisions.at(-1) === "account.closing";
  deepStrictEqual([dueAt !== null, sessions.length], [isClosing, isClosing ? 0 : 1]);
  // Closing ends the session, so it can happen only once more.
  deepStrictEqual(decisions, ["account.closing", "account.kept", "account.closing"].slice(0, isClosing ? 3 : 2));
});

Deno.test("a session that has ended in the meantime does not keep the account", async () => {
  const { client, id } = await registerClosing("not-kept@example.com");
  const principal = await principalOf(app, client);
  await db.deleteFrom("sessions").where("user_id", "=", id).execute();
  await rejects(restoreAccount(app.services, principal), { code: "UNAUTHENTICATED" });
  deepStrictEqual(await eventsSince(id, "account.kept"), []);
});

Deno.test("a session that has ended in the meantime does not close the account", async () => {
  const { client, id } = await registerVerifiedUser(app, "ended@example.com");
  const principal = await principalOf(app, client);
  await db.deleteFrom("sessions").where("user_id", "=", id).execute();
  await rejects(closeAccount(app.services, principal), { code: "UNAUTHENTICATED" });
  const { deletion_due_at: dueAt } = await db.selectFrom("users").select("deletion_due_at").where("id", "=", id)
    .executeTakeFirstOrThrow();
  strictEqual(dueAt, null);
});

Deno.test("closing is reported by email, and the link in it keeps the account", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "not-me@example.com");
  app.advance(1);
  await close(client);
  const token = await mailedToken(app, email);
  strictEqual(app.mails.findLast(({ to }) => to === email)!.subject, "Your Foyer account is being deleted");
  strictEqual((await app.client().send("POST", "/auth/not-me", { token })).status, 200);
  strictEqual((await app.client().get(`/api/users/${id}`)).status, 200);
  deepStrictEqual((await eventsSince(id, "account.closing")).includes("account.kept"), true);
});

Deno.test("the email about the closing says when, and its button leads to the choice to keep the account", async () => {
  const { client, email } = await registerVerifiedUser(app, "changed-mind@example.com");
  await close(client);
  const path = await mailedPath(app, email);
  const { text, html } = app.mails.findLast(({ to }) => to === email)!;
  const dueDay = formatDay(closingDueAt(app.services), "en-US");
  ok(text.startsWith(`Changed your mind? Log in before ${dueDay} and choose “Keep my account”.\n`), text);
  match(text, /\nWe’ll delete your account on \w+ \d+, 2026\.\n\nEverything in your account will be deleted too\.\n/);
  match(
    text,
    /\n\nKeep my account:\n\S+\/login\?next=%2Fkeep-account\n\nThis wasn’t me:\n\S+\/not-me\?token=[\w-]{43}\n/,
  );
  const links = [...html.matchAll(/<a [^>]*>([^<]*)<\/a>/g)].map(([, name]) => name);
  ok(links.indexOf("Keep my account") < links.indexOf("This wasn’t me"), String(links));
  const guest = app.client();
  match(await (await guest.get(path)).text(), /Log in to keep your account\./);
  const response = await guest.submit(path, { email, password: PASSWORD });
  strictEqual(response.headers.get("Location"), "/keep-account");
  const page = await readPage(guest.get("/keep-account"));
  match(page.text, /On \w+ \d+, 2026, we’ll delete this account/);
  ok(page.button("Keep my account"));
});

Deno.test("a report of an act after the closing does not keep the account", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "not-me-later@example.com");
  await close(client);
  await app.deliverMails();
  app.advance(MINUTE_SECONDS);
  await logIn(app.client(), email);
  const token = await mailedToken(app, email);
  strictEqual(app.mails.findLast(({ to }) => to === email)!.subject, "New login to your Foyer account");
  strictEqual((await app.client().send("POST", "/auth/not-me", { token })).status, 200);
  strictEqual((await app.client().get(`/api/users/${id}`)).status, 404);
});

Deno.test("both clicks of a double click on the closing form lead to the login page", async () => {
  const { client, id } = await registerVerifiedUser(app, "twice@example.com");
  const Cookie = `auth_session=${client.cookies.get("auth_session")}`;
  const body = new URLSearchParams({ userId: id, form_id: crypto.randomUUID() });
  const Origin = app.services.config.baseUrl;
  for (let click = 0; click < 2; click++) {
    const response = await app.client().request("/close-account", {
      method: "POST",
      body,
      headers: { Origin, Cookie },
    });
    deepStrictEqual([response.status, response.headers.get("Location")], [303, "/login?next=%2Fkeep-account"]);
  }
  deepStrictEqual((await eventsSince(id, "account.closing")).length, 2);
});

Deno.test("the closing form asks for the proof first, and acts only for the person it was shown to", async () => {
  const { client, id } = await registerVerifiedUser(app, "form@example.com");
  const other = await registerVerifiedUser(app, "other-form@example.com");
  const headings = (await readPage(client.get("/close-account"))).textsAt("h2");
  ok(headings.some((heading) => /^What happens on \w+ \d+, 2026$/.test(heading)), String(headings));
  strictEqual((await other.client.submit("/close-account", { userId: id })).status, 403);
  strictEqual((await app.client().get("/close-account")).headers.get("Location"), "/login?next=%2Fclose-account");
  app.advance(15 * MINUTE_SECONDS + 1);
  strictEqual((await client.get("/close-account")).headers.get("Location"), "/reauthenticate?next=%2Fclose-account");
  const expired = await client.submit("/close-account", { userId: id });
  strictEqual(expired.status, 403);
  ok((await readPage(expired)).fieldNames.includes("proof_password"));
  strictEqual((await client.submit("/close-account", { userId: id, proof_password: PASSWORD })).status, 303);
  strictEqual((await app.client().get(`/api/users/${id}`)).status, 404);
});
