import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { inviteUser } from "../../lib/accounts/invitation.ts";
import { DAY_SECONDS } from "../../lib/duration.ts";
import {
  logIn,
  mailedToken,
  PASSWORD,
  principalOf,
  registerUser,
  registerVerifiedUser,
} from "../support/app/accounts.ts";
import { formOf } from "../support/app/authorize_page.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { html } from "../support/app/page_forms.ts";
import { readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp, openTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp();
const { client } = await registerVerifiedUser(app, "host@example.com", "Hedy Host");
const WEEK = 7 * DAY_SECONDS;

/** Invites someone on behalf of a new host and returns the token in the email. */
async function invite(email: string, name = "Guest"): Promise<string> {
  const host = await registerVerifiedUser(app, `host-of-${email}`);
  strictEqual((await host.client.send("POST", "/api/users", { email, name })).status, 201);
  return await mailedToken(app, email);
}

function setPassword(email: string, token: string) {
  return app.client().send("POST", "/auth/reset-password", { email, token, password: PASSWORD });
}

/** Returns the session of a client as GET /api/account describes it; undefined without a session. */
async function sessionOf(client: TestClient): Promise<{ method: string } | undefined> {
  return (await (await client.get("/api/account")).json()).data?.session;
}

async function countSessions(email: string): Promise<number> {
  const sessions = await app.services.db.selectFrom("sessions").innerJoin("users", "users.id", "user_id")
    .select("public_id").where("email", "=", email).execute();
  return sessions.length;
}

Deno.test("members invite someone from the list of people", async () => {
  strictEqual((await readPage(client.get("/users"))).link("Invite someone").href, "/invite");
  ok(!(await readPage(app.client().get("/users"))).leadsTo("/invite"));
  match(await (await client.get("/invite")).text(), /a link to choose a password\. It works for 7 days\./);

  const sent = await client.submit("/invite", { name: "Gus Guest", email: "gus@example.com" });
  deepStrictEqual([sent.status, sent.headers.get("Location")], [303, "/invite"]);
  match((await readPage(client.get("/invite"))).notice!, /^Invitation sent\./);
  strictEqual((await mailedToken(app, "gus@example.com")).length, 43);
  match(app.mails.at(-1)!.text, /Hedy Host/);
});

Deno.test("an invitation that is refused keeps what was entered, and says why", async () => {
  const { email } = await registerUser(app, "here@example.com");
  const cases: [fields: { name: string; email: string }, status: number, text: string][] = [
    [{ name: "Ada", email }, 409, "An account already uses this email address."],
    [{ name: "Ada", email: "nowhere" }, 400, "Enter an email address like name@example.com"],
  ];
  for (const [fields, status, text] of cases) {
    const response = await client.submit("/invite", fields);
    const page = await readPage(response);
    strictEqual(response.status, status);
    strictEqual(page.field("name").value, "Ada");
    const { error, value } = page.field("email");
    deepStrictEqual([error, value], [text, fields.email]);
  }
});

Deno.test("no one is invited before the address is confirmed, or where accounts cannot be created", async () => {
  const fields = { name: "Ada", email: "never@example.com" };
  const { client: newcomer } = await registerUser(app, "newcomer@example.com");
  const expectRefusal = async (visitor: typeof client, text: RegExp) => {
    const page = await readPage(visitor.get("/invite"));
    match(page.text, text);
    deepStrictEqual(page.fieldNames.includes("name"), false);
    strictEqual((await visitor.submit("/invite", fields)).status, 403);
    return page;
  };
  const refused = await expectRefusal(newcomer, /Confirm your email address before you invite anyone\./);
  ok(refused.button("Email me a new link"));
  strictEqual(refused.form("/verify-email?next=%2Finvite").hidden.email, "newcomer@example.com");
  app.services.config.registration = "closed";
  try {
    await expectRefusal(client, /New accounts can’t be created here\./);
    ok(!(await readPage(client.get("/users"))).leadsTo("/invite"));
  } finally {
    app.services.config.registration = "open";
  }
  await app.deliverMails();
  deepStrictEqual(app.mails.filter(({ to }) => to === fields.email), []);
});

Deno.test("guests log in before they invite someone", async () => {
  const response = await app.client().get("/invite", { Accept: "text/html", "Sec-Fetch-Site": "none" });
  deepStrictEqual([response.status, response.headers.get("Location")], [303, "/login?next=%2Finvite"]);
});

Deno.test("an invited user sets a password through the emailed link and is logged in", async () => {
  const email = "guest@example.com";
  const response = await client.send("POST", "/api/users", { email: " Guest@example.com", name: "Guest" });
  strictEqual(response.status, 201);
  const { data } = await response.json();
  const createdAt = Math.floor(app.services.now().getTime() / 1000);
  deepStrictEqual(data, { id: data.id, name: "Guest", email, avatar: null, provider: "email", createdAt });

  strictEqual((await logIn(app.client(), email)).status, 401);
  const token = await mailedToken(app, email);
  match(
    app.mails.find(({ to }) => to === email)!.text,
    /http:\/\/foyer\.test\/reset-password\?email=guest%40example\.com&token=/,
  );
  const guest = app.client();
  const reset = await guest.send("POST", "/auth/reset-password", { email, token, password: PASSWORD });
  strictEqual(reset.status, 200);
  deepStrictEqual(await reset.json(), { success: true, message: "Password set. You are logged in." });
  strictEqual((await sessionOf(guest))?.method, "invitation");
  const { text } = await readPage(guest.get("/settings/activity"));
  match(text, /Logged in with an invitation.*Password set with an invitation.*You were invited/);
  doesNotMatch(text, /reset/);
  const { user } = await (await guest.get("/api/profile")).json();
  deepStrictEqual([user.id, user.name, user.emailVerified], [data.id, "Guest", true]);
  strictEqual((await logIn(app.client(), email)).status, 200);
});

Deno.test("an invitation that is accepted twice at once opens one session", async () => {
  using _costs = app.useRealCosts();
  const email = "hurried@example.com";
  const token = await invite(email);
  const responses = await Promise.all([setPassword(email, token), setPassword(email, token)]);
  deepStrictEqual(responses.map(({ status }) => status).sort(), [200, 400]);
  strictEqual(responses.filter(({ headers }) => headers.has("Set-Cookie")).length, 1);
  strictEqual(await countSessions(email), 1);
});

Deno.test("an accepted invitation ends the session that the browser holds", async () => {
  const { client: guest, email: before } = await registerVerifiedUser(app, "before@example.com");
  const email = "shared-browser@example.com";
  const token = await invite(email);
  strictEqual((await guest.send("POST", "/auth/reset-password", { email, token, password: PASSWORD })).status, 200);
  deepStrictEqual([await countSessions(before), await countSessions(email)], [0, 1]);
});

Deno.test("a password reset accepts no invitation, even if its link says so", async () => {
  const { email } = await registerVerifiedUser(app, "no-guest@example.com");
  const { email: unverified } = await registerUser(app, "unverified-no-guest@example.com");
  for (const address of [email, unverified]) {
    const guest = app.client();
    await guest.send("POST", "/auth/forgot-password", { email: address });
    const fields = { email: address, token: await mailedToken(app, address), password: PASSWORD };
    const reset = await guest.submit("/reset-password?invitation=true", fields);
    deepStrictEqual([reset.status, reset.headers.get("Location")], [303, "/dashboard"]);
    strictEqual((await sessionOf(guest))?.method, "password");
    match(await (await guest.get("/dashboard")).text(), /Password changed\. You’re logged in here/);
  }
});

Deno.test("an invited account that is suspended cannot be entered, and its link works afterward", async () => {
  const { db } = app.services;
  const email = "suspended-guest@example.com";
  const token = await invite(email);
  const suspend = (suspended_at: Date | null) =>
    db.updateTable("users").set({ suspended_at }).where("email", "=", email).execute();
  await suspend(app.services.now());
  const refused = await setPassword(email, token);
  deepStrictEqual([refused.status, (await refused.json()).code], [403, "ACCOUNT_SUSPENDED"]);
  const { password_hash, email_verified } = await db.selectFrom("users").select(["password_hash", "email_verified"])
    .where("email", "=", email).executeTakeFirstOrThrow();
  deepStrictEqual([password_hash, email_verified, await countSessions(email)], [null, false, 0]);
  await suspend(null);
  strictEqual((await setPassword(email, token)).status, 200);
});

Deno.test("only a user with a verified address may invite", async () => {
  const unverified = await registerUser(app, "unverified-host@example.com");
  const response = await unverified.client.send("POST", "/api/users", { email: "friend@example.com", name: "Friend" });
  strictEqual(response.status, 403);
  strictEqual((await response.json()).code, "EMAIL_NOT_VERIFIED");
  const rows = await app.services.db.selectFrom("users").select("id").where("email", "=", "friend@example.com")
    .execute();
  deepStrictEqual(rows, []);
  await app.deliverMails();
  deepStrictEqual(app.mails.filter(({ to }) => to === "friend@example.com"), []);
});

Deno.test("the email and the page of an invitation mention no reset", async () => {
  const email = "welcome@example.com";
  await invite(email);
  const { subject, text } = app.mails.findLast(({ to }) => to === email)!;
  match(subject, /invited/);
  match(text, /^Hello Guest\. Ada Lovelace invited you to Foyer\.\n/);
  const link = new URL(text.match(/https?:\/\/\S+/)![0]);
  match(text, /expires after 7 days/);
  doesNotMatch(text.replace(link.href, ""), /reset|new password/i);

  const guest = app.client();
  const page = await readPage(guest.get(link.pathname + link.search));
  strictEqual(page.heading, "Choose a password");
  doesNotMatch(page.html.replaceAll(/"[^"]*"/g, ""), /reset|new password/i);
  const { action } = page.form();
  const fields = { email, token: link.searchParams.get("token")! };
  const refused = await guest.submit(action, { ...fields, password: "weak" });
  strictEqual(refused.status, 400);
  strictEqual((await readPage(refused)).heading, "Choose a password");
  const accepted = await guest.submit(action, { ...fields, password: PASSWORD });
  deepStrictEqual([accepted.status, accepted.headers.get("Location")], [303, "/dashboard"]);
  match(await (await guest.get("/dashboard")).text(), /Your account is ready, and you’re logged in\./);
  match(await (await guest.get("/settings/sessions")).text(), /Logged in with an invitation/);
  match(await (await guest.get("/settings/activity")).text(), /Logged in with an invitation/);

  const reset = await (await guest.get(`/reset-password?${new URLSearchParams(fields)}`)).text();
  doesNotMatch(reset, /invitation/);
  ok(reset.includes("new password"));
});

Deno.test("an invitation quotes no name that someone could open or call", async () => {
  const host = await registerVerifiedUser(app, "lure-host@example.com", "Win at evil.example");
  for (
    const [email, name, first] of [
      ["lured@example.com", "Call +1 555 0100", "Hello. You’ve been invited to Foyer."],
      ["greeted@example.com", "Tomás", "Hello Tomás. You’ve been invited to Foyer."],
    ]
  ) {
    strictEqual((await host.client.send("POST", "/api/users", { email, name })).status, 201);
    await app.deliverMails();
    const { text, html } = app.mails.findLast(({ to }) => to === email)!;
    strictEqual(text.split("\n")[0], first);
    doesNotMatch(text + html, /evil|555/);
  }
});

Deno.test("an invitation requires a session and an address without a user", async () => {
  const body = { email: "other@example.com", name: "Other" };
  const anonymous = await app.client().send("POST", "/api/users", body);
  strictEqual(anonymous.status, 401);
  const taken = await client.send("POST", "/api/users", { ...body, email: "host@example.com" });
  strictEqual(taken.status, 409);
  strictEqual((await taken.json()).code, "EMAIL_TAKEN");
  await app.deliverMails();
  deepStrictEqual(app.mails.filter(({ to }) => to === "other@example.com"), []);
});

Deno.test("someone whose account is deleted while they invite gets 401, and no one is invited", async () => {
  const gone = await registerVerifiedUser(app, "gone-host@example.com");
  const principal = await principalOf(app, gone.client);
  await app.services.db.deleteFrom("users").where("id", "=", gone.id).execute();
  const invitation = { name: "Nobody", email: "never-invited@example.com" };
  await rejects(inviteUser(app.services, principal, invitation), { code: "UNAUTHENTICATED" });
  const invited = app.services.db.selectFrom("users").select("id").where("email", "=", invitation.email);
  deepStrictEqual(await invited.execute(), []);
});

Deno.test("a queued invitation is canceled when a password reset is requested", async () => {
  const email = "hasty@example.com";
  strictEqual((await client.send("POST", "/api/users", { email, name: "Hasty" })).status, 201);
  await app.client().send("POST", "/auth/forgot-password", { email });
  await app.deliverMails();
  deepStrictEqual(app.mails.filter(({ to }) => to === email).map(({ subject }) => subject), [
    "Reset your Foyer password",
  ]);
});

Deno.test("an invitation expires after a week or INVITATION_TTL_SECONDS", async () => {
  const [early, late] = [await invite("early@example.com"), await invite("late@example.com")];
  app.advance(WEEK - 1);
  strictEqual((await setPassword("early@example.com", early)).status, 200);
  app.advance(1);
  strictEqual((await setPassword("late@example.com", late)).status, 400);

  await using brief = await openTestApp({ INVITATION_TTL_SECONDS: "7200" });
  const host = await registerVerifiedUser(brief, "host@example.com");
  await host.client.send("POST", "/api/users", { email: "brief@example.com", name: "Guest" });
  const token = await mailedToken(brief, "brief@example.com");
  match(brief.mails.at(-1)!.text, /expires after 2 hours/);
  brief.advance(7200);
  const answer = await brief.client().send("POST", "/auth/reset-password", {
    email: "brief@example.com",
    token,
    password: PASSWORD,
  });
  strictEqual(answer.status, 400);
});

Deno.test("a user whose invitation has expired sets a password through a reset and keeps the name", async () => {
  const email = "slow@example.com";
  await invite(email, "Slow Guest");
  app.advance(WEEK);
  await app.client().submit("/forgot-password?next=%2Fuploads", { email });
  const fields = { email, token: await mailedToken(app, email), password: PASSWORD };
  const guest = app.client();
  strictEqual((await guest.submit("/reset-password", fields)).headers.get("Location"), "/uploads");
  strictEqual((await sessionOf(guest))?.method, "invitation");
  const { text } = await readPage(guest.get("/settings/activity"));
  match(text, /Logged in with an invitation.*Password set with an invitation.*You were invited/);
  doesNotMatch(text, /reset/);
  const { name } = await app.services.db.selectFrom("users").select("name").where("email", "=", email)
    .executeTakeFirstOrThrow();
  strictEqual(name, "Slow Guest");
});

Deno.test("an invitation leads to a product or an app, and nowhere else", async () => {
  const CLIENTS_FILE = await writeClientsFile([
    {
      client_id: "wiki",
      client_name: "Wiki",
      redirect_uris: ["https://wiki.example/callback", "com.example.wiki:/callback"],
    },
  ]);
  await using app = await openTestApp({ CLIENTS_FILE, RETURN_ORIGINS: "http://foyer.test:3000" });
  const { client: host } = await registerVerifiedUser(app, "host@example.com");
  let guests = 0;
  const inviteTo = async (next: string) => {
    const email = `guest-${++guests}@example.com`;
    return { email, response: await host.send("POST", "/api/users", { email, name: "Guest", next }) };
  };
  const products = ["http://foyer.test:3000/welcome?from=x", "https://wiki.example/start", "/settings"];
  for (const next of products) {
    const { email, response } = await inviteTo(next);
    strictEqual(response.status, 201, next);
    const guest = app.client();
    const token = await mailedToken(app, email);
    const accepted = await guest.submit("/reset-password?invitation=true", { email, token, password: PASSWORD });
    const path = accepted.headers.get("Location")!;
    if (next.startsWith("/")) strictEqual(path, next);
    else match((await guest.get(path)).headers.get("Refresh")!, new RegExp(`url=${next.replace("?", "\\?")}$`));
  }
  for (
    const next of [
      "https://evil.example/",
      "https://wiki.example.evil.example/",
      "com.example.wiki:/x",
      "//evil.example",
    ]
  ) {
    const { response } = await inviteTo(next);
    const { details } = await response.json();
    deepStrictEqual([response.status, Object.keys(details)], [400, ["next"]], next);
  }
});

Deno.test("the page of invitations takes next from a product, and ignores any other", async () => {
  await using app = await openTestApp({ RETURN_ORIGINS: "http://foyer.test:3000" });
  const { client: host } = await registerVerifiedUser(app, "host@example.com");
  const next = "http://foyer.test:3000/team";
  const path = `/invite?${new URLSearchParams({ next })}`;
  deepStrictEqual(formOf(await html(host, path)).fields.next, next);
  deepStrictEqual(formOf(await html(host, "/invite?next=https://evil.example/")).fields.next, undefined);
  const sent = await host.submit(path, { name: "Gus", email: "gus@example.com", next });
  deepStrictEqual([sent.status, sent.headers.get("Location")], [303, path]);
  const token = await mailedToken(app, "gus@example.com");
  const filled = { email: "gus@example.com", token, password: PASSWORD };
  const accepted = await app.client().submit("/reset-password?invitation=true", filled);
  strictEqual(accepted.headers.get("Location"), `/continue?${new URLSearchParams({ next })}`);
});
