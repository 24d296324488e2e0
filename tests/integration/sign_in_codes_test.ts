import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { HOUR_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { mailedCode, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp, openTestApp, openTestInstanceWith } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ SIGN_IN_CODES: "true", LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;
const SENT = "If an account uses this address, an email with a code is on its way.";
const WRONG = {
  message: "Wrong or expired code",
  code: "INVALID_CREDENTIALS",
  error: "Wrong or expired code",
  details: {},
};

const send = (email: string) => app.client().send("POST", "/auth/code", { email });
const logIn = (email: string, code: string, client = app.client()) =>
  client.send("POST", "/auth/code/verify", { email, code });

/** Asks for a code and returns the one that the email carries. */
async function emailedCode(email: string): Promise<string> {
  strictEqual((await send(email)).status, 200);
  return await mailedCode(app, email);
}

const otherThan = (code: string) => code === "00000000" ? "11111111" : "00000000";

async function userOf(id: string) {
  return await db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

Deno.test("a right code of a suspended account is spent", async () => {
  const { id, email } = await registerVerifiedUser(app, "suspended@example.com");
  const suspend = (at: Date | null) => db.updateTable("users").set({ suspended_at: at }).where("id", "=", id).execute();
  const code = await emailedCode(email);
  await suspend(app.services.now());
  const refused = await logIn(email, code);
  deepStrictEqual([refused.status, (await refused.json()).code], [403, "ACCOUNT_SUSPENDED"]);
  await suspend(null);
  strictEqual((await logIn(email, code)).status, 401);
});

Deno.test("a code logs in like a password, once", async () => {
  const { id, email } = await registerVerifiedUser(app, "ada@example.com");
  const response = await send(email);
  deepStrictEqual([response.status, await response.json()], [200, { success: true, message: SENT }]);
  const code = await mailedCode(app, email);
  const { subject, text, html } = app.mails.findLast(({ to }) => to === email)!;
  strictEqual(subject, `${code.slice(0, 4)} ${code.slice(4)} is your Foyer login code`);
  ok(
    app.logLines.length > 0 && !app.logLines.some((line) => line.includes(code) || line.includes(subject)),
    "not logged",
  );
  match(text, /The code and the link work once, and expire after 10 minutes/);
  doesNotMatch(text + html, /Ada/);

  const client = app.client();
  const login = await logIn(email, `${code.slice(0, 4)} ${code.slice(4)}`, client);
  deepStrictEqual([login.status, await login.json()], [200, {
    success: true,
    message: "Login successful",
    user: { id, email, name: "Ada Lovelace", provider: "email" },
  }]);
  const { data } = await (await client.get("/api/account")).json();
  deepStrictEqual([data.session.method, data.hasPassword], ["code", true]);
  const again = await logIn(email, code);
  deepStrictEqual([again.status, await again.json()], [401, WRONG]);
  strictEqual((await app.client().send("POST", "/auth/login", { email, password: PASSWORD })).status, 200);
});

Deno.test("without SIGN_IN_CODES there are no codes", async () => {
  await using plain = await openTestInstanceWith(app, { signInCodes: false });
  const client = plain.client();
  for (const path of ["/auth/code", "/auth/code/verify", "/auth/code/link"]) {
    for (const response of [await client.send("POST", path, {}), await client.get(path)]) {
      deepStrictEqual([response.status, (await response.json()).code], [404, "NOT_FOUND"], path);
    }
  }
  const token = "A".repeat(43);
  for (const path of ["/login-code", `/login-link?token=${token}`]) {
    strictEqual((await client.get(path)).status, 404, path);
    strictEqual((await client.submit(path, { action: "send", token })).status, 404, path);
  }
  doesNotMatch(await (await client.get("/login")).text(), /login-code/);
});

Deno.test("every address gets the same response, and only accounts get an email", async () => {
  await registerUser(app, "unverified@example.com");
  await registerVerifiedUser(app, "verified@example.com");
  await app.deliverMails();
  const before = app.mails.length;
  for (const email of ["unverified@example.com", "verified@example.com", "nobody@example.com"]) {
    const response = await send(email);
    deepStrictEqual([response.status, await response.json()], [200, { success: true, message: SENT }]);
    const wrong = await logIn(email, "12345678");
    deepStrictEqual([wrong.status, await wrong.json()], [401, WRONG]);
  }
  await app.deliverMails();
  const recipients = app.mails.slice(before).map(({ to }) => to);
  deepStrictEqual(recipients.sort(), ["unverified@example.com", "verified@example.com"]);
  const invalid = await app.client().send("POST", "/auth/code", { email: "nowhere" });
  strictEqual(invalid.status, 400);
});

Deno.test("a code works for ten minutes, five tries of an address and its own account, until a new one replaces it", async () => {
  const { email } = await registerVerifiedUser(app, "tries@example.com");
  const other = await registerVerifiedUser(app, "tries-too@example.com");
  const late = await emailedCode(email);
  app.advance(10 * MINUTE_SECONDS);
  strictEqual((await logIn(email, late)).status, 401);

  const replaced = await emailedCode(email);
  const own = await emailedCode(email);
  if (replaced !== own) strictEqual((await logIn(email, replaced)).status, 401);
  const foreign = await emailedCode(other.email);
  if (foreign !== own) strictEqual((await logIn(email, foreign)).status, 401);

  for (const [wrongTries, status] of [[4, 200], [5, 401]]) {
    const code = await emailedCode(email);
    app.advance(10 * MINUTE_SECONDS - 1);
    const address = `10.9.9.${wrongTries}`;
    for (let tries = 0; tries < wrongTries; tries++) {
      strictEqual((await logIn(email, otherThan(code), app.client(address))).status, 401);
    }
    strictEqual((await logIn(email, code, app.client(address))).status, status, `after ${wrongTries} wrong tries`);
  }
});

Deno.test("a stranger cannot burn a person's code, but all addresses together have 25 tries", async () => {
  const { email } = await registerVerifiedUser(app, "burned@example.com");
  const guess = (code: string, stranger: number) => logIn(email, otherThan(code), app.client(`10.8.8.${stranger}`));
  const code = await emailedCode(email);
  const wrong = await Promise.all(Array.from({ length: 30 }, () => guess(code, 0)));
  deepStrictEqual([...new Set(wrong.map(({ status }) => status))], [401]);
  strictEqual((await logIn(email, code)).status, 200, "after 30 tries of one stranger");

  for (const [tries, status] of [[24, 200], [25, 401]]) {
    const next = await emailedCode(email);
    for (let i = 0; i < tries; i++) await guess(next, Math.floor(i / 5));
    strictEqual((await logIn(email, next)).status, status, `after ${tries} tries of five addresses`);
  }
  app.advance(HOUR_SECONDS); // three codes an hour
  strictEqual((await logIn(email, await emailedCode(email), app.client("10.8.8.0"))).status, 200, "a new code");
});

Deno.test("of concurrent logins with one code, exactly one succeeds", async () => {
  const { id, email } = await registerVerifiedUser(app, "crowded@example.com");
  const code = await emailedCode(email);
  const responses = await Promise.all(Array.from({ length: 5 }, () => logIn(email, code)));
  deepStrictEqual(responses.map(({ status }) => status).sort(), [200, 401, 401, 401, 401]);
  const sessions = await db.selectFrom("sessions").select("method").where("user_id", "=", id).execute();
  strictEqual(sessions.filter(({ method }) => method === "code").length, 1);
});

Deno.test("a code that was emailed to the old address does not log in after a change of the address", async () => {
  const { id, email } = await registerVerifiedUser(app, "moving@example.com");
  const code = await emailedCode(email);
  await db.updateTable("users").set({ email: "moved@example.com" }).where("id", "=", id).execute();
  for (const address of [email, "moved@example.com"]) strictEqual((await logIn(address, code)).status, 401, address);
});

Deno.test("a code verifies the address, and nothing of a stranger who registered it stays", async () => {
  const { client: stranger, id, email } = await registerUser(app, "victim@example.com", "Mallory");
  await stranger.send("PUT", "/api/profile", { bio: "Buy my watches", location: "Here", website: "https://m.example" });
  const presigned = await stranger.send("POST", "/api/upload/presign", {
    filename: "a.txt",
    contentType: "text/plain",
    size: 1,
  });
  strictEqual(presigned.status, 200);
  const client = app.client();
  strictEqual((await logIn(email, await emailedCode(email), client)).status, 200);

  const row = await userOf(id);
  deepStrictEqual(
    [row.name, row.bio, row.location, row.website, row.avatar, row.password_hash, row.email_verified],
    ["New user", "", "", "", null, null, true],
  );
  strictEqual((await stranger.get("/api/profile")).status, 401);
  strictEqual((await app.client().send("POST", "/auth/login", { email, password: PASSWORD })).status, 401);
  const uploads = await db.selectFrom("uploads").select("state").where("user_id", "=", id).execute();
  deepStrictEqual(uploads, [{ state: "removing" }]);
  const events = await db.selectFrom("events").select(["kind", "details"]).where("user_id", "=", id).orderBy("id")
    .execute();
  deepStrictEqual(events.slice(-5, -1).map(({ kind, details }) => [kind, details.method ?? details.reason]), [
    ["session.ended", "email_verified"],
    ["upload.deleted", undefined],
    ["user.verified", "code"],
    ["session.started", "code"],
  ]);
  const links = await db.selectFrom("email_verification_tokens").select("used").where("user_id", "=", id).execute();
  deepStrictEqual(links, [{ used: true }]);
  const devices = await db.selectFrom("devices").select("user_id").where("user_id", "=", id).execute();
  strictEqual(devices.length, 1);
});

Deno.test("an invited person keeps the name of the invitation", async () => {
  const host = await registerVerifiedUser(app, "host@example.com");
  const email = "guest@example.com";
  const invited = await host.client.send("POST", "/api/users", { email, name: "Annie Easley" });
  const { data: { id } } = await invited.json();
  strictEqual((await logIn(email, await emailedCode(email))).status, 200);
  const { name, email_verified } = await userOf(id);
  deepStrictEqual([name, email_verified], ["Annie Easley", true]);
});

Deno.test("a verified account keeps its profile, password and other sessions", async () => {
  const { client: before, id, email } = await registerVerifiedUser(app, "keeping@example.com", "Grace Hopper");
  const { password_hash } = await userOf(id);
  strictEqual((await logIn(email, await emailedCode(email))).status, 200);
  const row = await userOf(id);
  deepStrictEqual([row.name, row.password_hash], ["Grace Hopper", password_hash]);
  strictEqual((await before.get("/api/profile")).status, 200);
});

Deno.test("a wrong code is recorded, and the page of activities names it", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "guessed@example.com");
  await logIn(email, otherThan(await emailedCode(email)));
  const failed = await db.selectFrom("events").select("details").where("user_id", "=", id)
    .where("kind", "=", "login.failed").execute();
  deepStrictEqual(failed, [{ details: { reason: "code" } }]);
  match(await (await client.get("/settings/activity")).text(), /Login failed: wrong code/);
});

Deno.test("an address gets at most three codes an hour, and every address hears the same", async () => {
  const { id, email } = await registerVerifiedUser(app, "flooded@example.com");
  await app.deliverMails();
  const codesTo = () => app.mails.filter(({ to, subject }) => to === email && /login code/.test(subject)).length;
  const queued = async () => {
    const rows = await db.selectFrom("outbox").select("status").where("user_id", "=", id)
      .where("kind", "=", "sign_in_code").execute();
    return rows.length;
  };
  await Promise.all(Array.from({ length: 3 }, () => send(email)));
  strictEqual(await queued(), 3);
  strictEqual((await send(email)).status, 200);
  strictEqual(await queued(), 3);
  await app.deliverMails();
  strictEqual(codesTo(), 1, "replaced codes are not sent");

  await Promise.all(Array.from({ length: 3 }, () => send("nobody-here@example.com")));
  for (const address of [email, "nobody-here@example.com"]) {
    const client = app.client();
    const response = await client.submit("/login-code", { action: "send", email: address });
    match(await (await client.get(response.headers.get("Location")!)).text(), /only a few codes an hour/, address);
  }
  app.advance(HOUR_SECONDS);
  await emailedCode(email);
  strictEqual(await queued(), 4);
});

Deno.test("attempts are counted like logins, and requests like other emails", async () => {
  await using limited = await openTestApp({ SIGN_IN_CODES: "true", LIMIT_LOGIN: "2/900", LIMIT_MAIL: "1/900" });
  const client = limited.client();
  const email = "nobody@example.com";
  const attempt = () => client.send("POST", "/auth/code/verify", { email, code: "12345678" });
  const statuses = [(await attempt()).status, (await attempt()).status];
  const refused = await attempt();
  deepStrictEqual([...statuses, refused.status, refused.headers.get("RateLimit-Policy")], [
    401,
    401,
    429,
    '"login";q=2;w=900',
  ]);
  strictEqual((await client.send("POST", "/auth/login", { email, password: "x" })).status, 429);
  strictEqual((await client.send("POST", "/auth/code", { email })).status, 200);
  const tooMany = await client.send("POST", "/auth/code", { email });
  deepStrictEqual([tooMany.status, tooMany.headers.get("RateLimit-Policy")], [429, '"mail";q=1;w=900']);
  const page = await client.submit("/login-code", { action: "send", email });
  const { message } = await readPage(page);
  strictEqual(message, "Too many codes were sent from your network. Try again in 15 minutes.");
});

Deno.test("neither the database nor the log contains a code", async () => {
  const { id, email } = await registerVerifiedUser(app, "hidden@example.com");
  strictEqual((await send(email)).status, 200);
  const rows = await db.selectFrom("emailed_codes").selectAll().where("user_id", "=", id).execute();
  const mails = await db.selectFrom("outbox").selectAll().where("user_id", "=", id).execute();
  const code = await mailedCode(app, email);
  deepStrictEqual([rows.length, mails.filter(({ payload }) => payload !== null).length], [1, 1]);
  ok(!JSON.stringify([rows, mails, app.logLines]).includes(code));
});

Deno.test("the pages log in with a code and lead to the requested page", async () => {
  const { email } = await registerVerifiedUser(app, "visitor@example.com");
  const client = app.client();
  const path = (await readPage(client.get("/login?next=%2Fuploads"))).link("Email me a login code").href!;
  strictEqual(path, "/login-code?next=%2Fuploads");
  const { name, value } = (await readPage(client.get(path))).button("Email me a code");
  deepStrictEqual([name, value], ["action", "send"]);

  const empty = await readPage(client.submit(path, { action: "send", email: "" }));
  strictEqual(empty.field("email").error, "Enter your email address");
  const sent = await client.submit(path, { action: "send", email });
  const codePage = sent.headers.get("Location")!;
  deepStrictEqual([sent.status, codePage], [303, "/login-code?email=visitor%40example.com&sent=true&next=%2Fuploads"]);
  const page = await readPage(client.get(codePage));
  match(page.text, /If an account uses visitor@example\.com, we’ve emailed it a code/);
  strictEqual(page.heading, "Check your email");
  const { attribute } = page.field("code");
  deepStrictEqual([attribute("autocomplete"), attribute("inputmode")], ["one-time-code", "numeric"]);
  deepStrictEqual(page.focused, ["code"], "a notice would take the focus from the field");
  const again = await client.submit("/login-code?sent=true", { action: "send", email });
  match(await (await client.get(again.headers.get("Location")!)).text(), /you’ll get an email with a code/);

  const code = await mailedCode(app, email);
  const wrong = await client.submit(path, { action: "verify", email, code: otherThan(code) });
  strictEqual(wrong.status, 401);
  match((await readPage(wrong)).field("code").error!, /^That code is wrong or has expired\./);
  const missing = await readPage(client.submit(path, { action: "verify", email, code: "" }));
  strictEqual(missing.field("code").error, "Enter the code");
  const done = await client.submit(path, { email, code });
  deepStrictEqual([done.status, done.headers.get("Location")], [303, "/uploads"], "without the button's name");
  strictEqual((await client.get("/uploads")).status, 200);
});

Deno.test("a double click on the code logs in once, and both responses have the session", async () => {
  const { email } = await registerVerifiedUser(app, "impatient@example.com");
  const fields = { action: "verify", email, code: await emailedCode(email), form_id: crypto.randomUUID() };
  const clients = [app.client(), app.client()];
  const responses = await Promise.all(clients.map((client) => client.submit("/login-code", fields)));
  deepStrictEqual(responses.map(({ status }) => status), [303, 303]);
  const cookies = clients.map((client) => client.cookies.get("auth_session"));
  ok(cookies[0] !== undefined && cookies[0] === cookies[1]);
});
