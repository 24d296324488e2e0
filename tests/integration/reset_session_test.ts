import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { sendReset } from "../../lib/admin/emails.ts";
import { HOUR_SECONDS } from "../../lib/duration.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { logIn, mailedToken, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { authorizePath, movedAnswer } from "../support/app/authorize_page.ts";
import { client, openAuthorizationApp } from "../support/app/authorization.ts";
import { html } from "../support/app/page_forms.ts";
import { readPage } from "../support/app/page_reader.ts";
import { DEMANDED, makeOverdue, registerWithTotp, STEP_SECONDS } from "../support/app/second_factor.ts";
import type { TestClient } from "../support/app/test_client.ts";

/** What a reset of the password opens. The table of ways in has every state of the account. */
const app = await openAuthorizationApp(DEMANDED, [client("tracker", { first_party: true })]);
const { db, now } = app.services;
const NEW_PASSWORD = "Another-horse-8";

/** Asks for a link and returns the fields of the form that it leads to, with the new password. */
async function fieldsOf(email: string, next = "") {
  await app.client().submit(`/forgot-password${next && `?${new URLSearchParams({ next })}`}`, { email });
  return { email, token: await mailedToken(app, email), password: NEW_PASSWORD };
}

async function accountOf(browser: TestClient) {
  return (await (await browser.get("/api/account")).json()).data;
}

async function sessionsOf(userId: string): Promise<string[]> {
  const rows = await db.selectFrom("sessions").select("method").where("user_id", "=", userId).execute();
  return rows.map(({ method }) => method);
}

async function suspend(userId: string): Promise<void> {
  await db.updateTable("users").set({ suspended_at: now() }).where("id", "=", userId).execute();
}

Deno.test("a reset logs in the browser that chose the password, and ends every other session", async () => {
  const { id, email, client: before } = await registerVerifiedUser(app, "ada@example.com");
  const asking = app.client();
  await asking.submit("/forgot-password", { email });
  const fields = { email, token: await mailedToken(app, email), password: NEW_PASSWORD };
  const browser = app.client();
  const reset = await browser.submit("/reset-password", fields);
  deepStrictEqual([reset.status, reset.headers.get("Location")], [303, "/dashboard"]);
  strictEqual(
    (await readPage(browser.get("/dashboard"))).notice,
    "Password changed. You’re logged in here, and logged out everywhere else.",
  );
  strictEqual((await accountOf(browser)).session.method, "password");
  deepStrictEqual(await sessionsOf(id), ["password"]);
  for (const other of [before, asking]) strictEqual((await other.get("/api/account")).status, 401);
});

Deno.test("a reset leaves the traces of a login", async () => {
  const { id, email } = await registerVerifiedUser(app, "traces@example.com");
  app.advance(HOUR_SECONDS);
  const fields = await fieldsOf(email);
  const browser = app.client();
  await browser.submit("/reset-password", fields);
  const events = await db.selectFrom("events").select(["kind", "details"]).where("user_id", "=", id)
    .orderBy("id", "desc").limit(2).execute();
  deepStrictEqual(events.toReversed(), [
    { kind: "password.reset", details: {} },
    { kind: "session.started", details: { method: "password", newDevice: true } },
  ]);
  const { last_seen_at } = await db.selectFrom("users").select("last_seen_at").where("id", "=", id)
    .executeTakeFirstOrThrow();
  deepStrictEqual(last_seen_at, now());
  strictEqual(browser.cookies.get("last_used"), "password");
  strictEqual(await mailedToken(app, email) === fields.token, false, "the alert of a new device has a link");
  match(app.mails.findLast(({ to }) => to === email)!.text, /Someone logged in on a new device/);
});

Deno.test("a reset by the API sets the cookies of a login", async () => {
  const { email } = await registerVerifiedUser(app, "program@example.com");
  const program = app.client();
  const response = await program.send("POST", "/auth/reset-password", await fieldsOf(email));
  deepStrictEqual([response.status, await response.json()], [
    200,
    { success: true, message: "Password updated. You are logged in." },
  ]);
  const named = (lines: string[]) => lines.map((line) => line.replace(/=[^;]*;/, "=…;"));
  const login = await logIn(app.client(), email, NEW_PASSWORD);
  deepStrictEqual(named(response.headers.getSetCookie()), named(login.headers.getSetCookie()));
});

Deno.test("a reset by the API says what completes the login, and a program that ignores it logs in as before", async () => {
  const { email, totp } = await registerWithTotp(app, "factor@example.com");
  const program = app.client();
  const response = await program.send("POST", "/auth/reset-password", await fieldsOf(email));
  deepStrictEqual([response.status, await response.json()], [200, {
    success: true,
    message: "Password updated. Enter a code to log in.",
    methods: ["totp", "recovery_code"],
  }]);
  strictEqual((await program.get("/api/account")).status, 401);
  strictEqual((await logIn(app.client(), email, NEW_PASSWORD)).status, 403);
  strictEqual((await program.send("POST", "/auth/second-factor", { code: totp.code() })).status, 200);
  strictEqual((await accountOf(program)).session.method, "password");
  app.advance(STEP_SECONDS);
});

Deno.test("a reset gives a suspended account the password, says why it cannot log in, and opens nothing", async () => {
  const { id, email } = await registerVerifiedUser(app, "suspended@example.com");
  await suspend(id);
  const browser = app.client();
  const reset = await browser.submit("/reset-password", await fieldsOf(email));
  strictEqual(reset.headers.get("Location"), "/login?email=suspended%40example.com");
  strictEqual(
    (await readPage(browser.get("/login?email=suspended%40example.com"))).notice,
    "Password changed. You can’t log in, because this account is suspended.",
  );
  const again = await browser.send("POST", "/auth/reset-password", await fieldsOf(email));
  deepStrictEqual(await again.json(), { success: true, message: "Password updated. The account is suspended." });
  deepStrictEqual([await sessionsOf(id), browser.cookies.has("auth_session")], [[], false]);
  await db.updateTable("users").set({ suspended_at: null }).where("id", "=", id).execute();
  strictEqual((await logIn(app.client(), email, NEW_PASSWORD)).status, 200);
});

Deno.test("a reset that began in a sign-in of an app continues there", async () => {
  const { email } = await registerVerifiedUser(app, "visitor@example.com");
  const request = authorizePath("tracker");
  const browser = app.client();
  const reset = await browser.submit("/reset-password", await fieldsOf(email, request));
  strictEqual(reset.headers.get("Location"), request);
  const answer = await movedAnswer(await browser.get(request, { "Sec-Fetch-Site": "same-origin" }));
  match(answer.code ?? "", /^[\w-]{43}$/);
});

Deno.test("whoever must have a second factor and has none is asked to set it up, after the proof of a password login", async () => {
  const { id, email } = await registerVerifiedUser(app, "overdue@example.com");
  await makeOverdue(app, id);
  const browser = app.client();
  const reset = await browser.submit("/reset-password", await fieldsOf(email, "/profile"));
  strictEqual(reset.headers.get("Location"), "/settings/sign-in-methods/required?next=%2Fprofile");
  const member = app.client();
  strictEqual((await logIn(member, email, NEW_PASSWORD)).status, 200);
  const refusalOf = async (each: TestClient) => {
    const { code, details } = await (await each.request("/api/totp", { method: "POST" })).json();
    return [code, details.methods];
  };
  deepStrictEqual(await refusalOf(browser), ["REAUTHENTICATION_REQUIRED", ["code"]]);
  deepStrictEqual(await refusalOf(browser), await refusalOf(member));
});

Deno.test("a closing account is led to the page that keeps it", async () => {
  const { client: owner, email } = await registerVerifiedUser(app, "closing@example.com");
  strictEqual((await owner.request("/api/account", { method: "DELETE" })).status, 202);
  await app.deliverMails(); // its alert has a link too
  const browser = app.client();
  const reset = await browser.submit("/reset-password", await fieldsOf(email));
  const next = await browser.get(reset.headers.get("Location")!);
  strictEqual(next.headers.get("Location"), "/keep-account?next=%2Fdashboard");
});

Deno.test("a reset ends the session of someone else in the browser", async () => {
  const { id: otherId, client: browser } = await registerVerifiedUser(app, "other@example.com");
  const { id, email } = await registerVerifiedUser(app, "own@example.com");
  await browser.submit("/reset-password", await fieldsOf(email));
  deepStrictEqual([await sessionsOf(otherId), (await accountOf(browser)).id], [[], id]);
});

Deno.test("the link that an admin sends, and that of “This wasn’t me”, log in too", async () => {
  const { id, email, client: owner } = await registerVerifiedUser(app, "helped@example.com");
  await sendReset(app.services, { who: id, by: COMMAND_LINE });
  const sent = await mailedToken(app, email);
  const browser = app.client();
  await browser.submit("/reset-password", { email, token: sent, password: NEW_PASSWORD });
  strictEqual((await accountOf(browser)).id, id);

  await logIn(owner, email, NEW_PASSWORD);
  const alert = await mailedToken(app, email);
  strictEqual((await app.client().send("POST", "/auth/not-me", { token: alert })).status, 200);
  const recovered = app.client();
  const fields = { email, token: await mailedToken(app, email), password: "Third-horse-99" };
  await recovered.submit("/reset-password", fields);
  strictEqual((await accountOf(recovered)).id, id);
});

Deno.test("opening the link opens no session, however often, and the button still does", async () => {
  const { id, email } = await registerUser(app, "scanned@example.com");
  await db.deleteFrom("sessions").where("user_id", "=", id).execute();
  const fields = await fieldsOf(email);
  const scanner = app.client();
  const { password: _typed, ...query } = fields;
  for (let i = 0; i < 20; i++) await html(scanner, `/reset-password?${new URLSearchParams(query)}`);
  deepStrictEqual([await sessionsOf(id), scanner.cookies.has("auth_session")], [[], false]);
  const browser = app.client();
  await browser.submit("/reset-password", fields);
  strictEqual((await accountOf(browser)).id, id);
});

Deno.test("no other site can log someone into an account with a link to its own", async () => {
  const { id, email } = await registerVerifiedUser(app, "attacker@example.com");
  const fields = await fieldsOf(email);
  const { client: victim, id: victimId } = await registerVerifiedUser(app, "victim@example.com");
  const crossSite = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
  const form = { method: "POST", body: new URLSearchParams(fields), headers: crossSite };
  strictEqual((await victim.request("/reset-password", form)).status, 403);
  for (const type of ["application/json", "text/plain"]) {
    const headers = { ...crossSite, "Content-Type": type };
    strictEqual((await victim.send("POST", "/auth/reset-password", fields, headers)).status, 403, type);
  }
  deepStrictEqual([(await accountOf(victim)).id, await sessionsOf(id)], [victimId, ["password"]]);
  strictEqual((await app.client().submit("/reset-password", fields)).status, 303, "the link still works");
});
