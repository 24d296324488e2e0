import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { findSetupLink } from "../../lib/accounts/first_admin.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { createLoginLink } from "../../lib/admin/login_link.ts";
import { COMMANDS } from "../../lib/command_line/commands.ts";
import { runCommand } from "../../lib/command_line/run.ts";
import { MINUTE_SECONDS } from "../../lib/duration.ts";
import {
  logIn,
  mailedPath,
  mailedToken,
  mailsTo,
  PASSWORD,
  registerUser,
  registerVerifiedUser,
  registerWithoutPassword,
} from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { addPasskey } from "../support/app/passkeys.ts";
import { readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp, openTestApp, openTestInstanceWith } from "../support/app/test_app.ts";
import { outcomeOf, type TestClient, withCookies } from "../support/app/test_client.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { markupProblems, readValidPage } from "../support/browser/markup.ts";

const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const app = await openSharedTestApp({ ...provider.env, SIGN_IN_CODES: "true", LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;
const existing = await openTestInstanceWith(app, { passwords: "existing" });
const off = await openTestInstanceWith(app, { passwords: "off" });
Deno.test.afterAll(async () => {
  for (const instance of [existing, off]) await instance[Symbol.asyncDispose]();
});
const BOTH = { existing, off };
const NEW_PASSWORD = "Better-horse-8";

/** A browser at another instance, with the session of this one. */
const withSession = (instance: typeof off, client: TestClient) => withCookies(instance.client(), client);

/** Asks each route about an address, and returns what it says. */
async function answers(instance: typeof off, email: string): Promise<Record<string, string>> {
  const post = (path: string, body: Record<string, unknown>) => outcomeOf(instance.client().send("POST", path, body));
  const token = "t".repeat(43);
  return {
    register: await post("/auth/register", { name: "Ada", email, password: PASSWORD }),
    login: await post("/auth/login", { email, password: "Wrong-horse-9" }),
    forgot: await post("/auth/forgot-password", { email }),
    reset: await post("/auth/reset-password", { email, token, password: NEW_PASSWORD }),
  };
}

Deno.test("what PASSWORDS refuses is refused for every address alike", async () => {
  const { email } = await registerVerifiedUser(app, "ada@example.com");
  await registerWithoutPassword(app, "plain@example.com");
  const addresses = [email, "plain@example.com", "nobody@example.com"];
  for (const address of addresses) {
    deepStrictEqual(await answers(off, address), {
      register: "403 PASSWORDS_OFF",
      login: "403 PASSWORDS_OFF",
      forgot: "403 PASSWORDS_OFF",
      reset: "403 PASSWORDS_OFF",
    }, address);
    deepStrictEqual(await answers(existing, address), {
      register: "403 PASSWORDS_OFF",
      login: "401 INVALID_CREDENTIALS",
      forgot: "200",
      reset: "400 INVALID_TOKEN",
    }, address);
  }
  strictEqual(await outcomeOf(logIn(existing.client(), email)), "200");
  strictEqual(await outcomeOf(logIn(off.client(), email)), "403 PASSWORDS_OFF", "the right password opens nothing");
});

Deno.test("a refusal asks the database nothing about the address", async () => {
  const { id, email } = await registerVerifiedUser(app, "quiet@example.com");
  const count = async () =>
    Number(
      (await db.selectFrom("events").select((eb) => eb.fn.countAll().as("n")).where("user_id", "=", id)
        .executeTakeFirstOrThrow()).n,
    );
  const before = await count();
  await answers(off, email);
  strictEqual(await count(), before, "no failed login is recorded");
});

Deno.test("where no one gets a new password, only accounts with one get the email of a reset", async () => {
  const { email } = await registerVerifiedUser(app, "has@example.com");
  await registerWithoutPassword(app, "hasnt@example.com");
  for (const address of [email, "hasnt@example.com"]) {
    await existing.client().send("POST", "/auth/forgot-password", { email: address });
  }
  const hasReset = async (to: string) => (await mailsTo(app, to)).some(({ text }) => text.includes("/reset-password?"));
  deepStrictEqual([await hasReset(email), await hasReset("hasnt@example.com")], [true, false]);
  const reset = { email, token: await mailedToken(app, email), password: NEW_PASSWORD };
  strictEqual(await outcomeOf(existing.client().send("POST", "/auth/reset-password", reset)), "200");
  strictEqual(await outcomeOf(logIn(existing.client(), email, NEW_PASSWORD)), "200");
});

Deno.test("a reset link of before gives no first password", async () => {
  const { email, id } = await registerWithoutPassword(app, "before@example.com");
  await app.client().send("POST", "/auth/forgot-password", { email });
  const reset = { email, token: await mailedToken(app, email), password: NEW_PASSWORD };
  for (const instance of [existing, off]) {
    strictEqual(await outcomeOf(instance.client().send("POST", "/auth/reset-password", reset)), "403 PASSWORDS_OFF");
    strictEqual(await outcomeOf(instance.client().send("POST", "/auth/link", reset)), "400 INVALID_TOKEN");
  }
  const { password_hash } = await db.selectFrom("users").select("password_hash").where("id", "=", id)
    .executeTakeFirstOrThrow();
  strictEqual(password_hash, null);
});

Deno.test("a password is changed only where it opens something, and a first one is set only with PASSWORDS=on", async () => {
  const own = await registerVerifiedUser(app, "change@example.com");
  const none = await registerWithoutPassword(app, "first@example.com");
  const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  const first = { newPassword: NEW_PASSWORD };
  const put = (instance: typeof off, { client }: { client: TestClient }, body: Record<string, unknown>) =>
    outcomeOf(withSession(instance, client).send("PUT", "/api/account/password", body));
  strictEqual(await put(off, own, change), "403 PASSWORDS_OFF");
  strictEqual(await put(existing, none, first), "403 PASSWORDS_OFF");
  strictEqual(await put(off, none, first), "403 PASSWORDS_OFF");
  strictEqual(await put(existing, own, change), "200");
  for (const [instance, { client }] of [[off, own], [off, none], [existing, none]] as const) {
    const browser = withSession(instance, client);
    const response = await browser.get("/settings/password");
    deepStrictEqual([response.status, response.headers.get("Location")], [303, "/settings/sign-in-methods"]);
    const posted = await browser.submit("/settings/password", { password: NEW_PASSWORD, currentPassword: PASSWORD });
    strictEqual(posted.status, 403);
  }
  doesNotMatch(
    (await readPage(withSession(off, own.client).get("/settings/sign-in-methods"))).html,
    /settings\/password/,
  );
  match(
    (await readPage(withSession(existing, own.client).get("/settings/sign-in-methods"))).html,
    /settings\/password/,
  );
});

Deno.test("a password proves nothing where passwords are off", async () => {
  const { client, email } = await registerVerifiedUser(app, "step@example.com");
  const browser = withSession(off, client);
  const wrong = await browser.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  strictEqual(await outcomeOf(wrong), "403 PASSWORDS_OFF");
  app.advance(20 * MINUTE_SECONDS);
  const refused = await browser.send("POST", "/api/tokens", { name: "Nightly", scopes: ["profile:read"] });
  const { code, details } = await refused.json();
  deepStrictEqual([code, details.methods], ["REAUTHENTICATION_REQUIRED", ["code"]]);
  const page = await readPage(browser.get("/reauthenticate"));
  deepStrictEqual(page.fieldNames.filter((name) => name.endsWith("password")), []);
  strictEqual(
    await outcomeOf(withSession(existing, client).send("POST", "/auth/reauthenticate", { password: PASSWORD })),
    "200",
  );
  ok(email);
});

for (const [name, instance] of Object.entries(BOTH)) {
  Deno.test(`an invitation opens the account without a password where passwords are ${name}`, async () => {
    const host = await registerVerifiedUser(app, `host-${name}@example.com`);
    const email = `guest-${name}@example.com`;
    const invited = await withSession(instance, host.client).send("POST", "/api/users", { name: "Guest", email });
    strictEqual(invited.status, 201);
    const path = await mailedPath(app, email);
    match(path, /^\/login-once\?email=/);
    const guest = instance.client();
    const page = await readValidPage(guest.get(path));
    strictEqual(page.heading, "Log in with this link");
    strictEqual(guest.cookies.has("auth_session"), false, "opening the link changes nothing");
    const token = new URL(path, "http://foyer.test").searchParams.get("token")!;
    const opened = await guest.submit("/login-once", { email, token });
    deepStrictEqual([opened.status, opened.headers.get("Location")], [303, "/settings/sign-in-methods/add"]);
    const { data } = await (await guest.get("/api/account")).json();
    deepStrictEqual([data.session.method, data.emailVerified, data.hasPassword], ["invitation", true, false]);
    const choice = await readPage(guest.get("/settings/sign-in-methods/add"));
    strictEqual(choice.heading, "Add a way to log in");
    deepStrictEqual(await markupProblems(choice.html), []);
    match(choice.html, /passkeys\/add/);
    match(choice.html, /add\?provider=default/);
    strictEqual((await instance.client().submit("/login-once", { email, token })).status, 400, "once");
    strictEqual((await readPage(guest.get(path))).html.includes("has already been used"), true);
  });

  Deno.test(`an invitation of before opens the account where passwords are ${name}`, async () => {
    const host = await registerVerifiedUser(app, `old-host-${name}@example.com`);
    const email = `old-guest-${name}@example.com`;
    await host.client.send("POST", "/api/users", { name: "Guest", email });
    const path = await mailedPath(app, email);
    match(path, /^\/reset-password\?/);
    const led = await instance.client().get(path);
    const location = led.headers.get("Location")!;
    deepStrictEqual([led.status, location.split("?")[0]], [303, "/login-once"]);
    strictEqual((await readPage(instance.client().get(location))).heading, "Log in with this link");
    const { searchParams } = new URL(location, "http://foyer.test");
    const guest = instance.client();
    const input = { email, token: searchParams.get("token") };
    strictEqual(
      await outcomeOf(app.client().send("POST", "/auth/link", input)),
      "400 INVALID_TOKEN",
      "not with PASSWORDS=on",
    );
    strictEqual(await outcomeOf(guest.send("POST", "/auth/link", input)), "200");
    strictEqual((await (await guest.get("/api/account")).json()).data.session.method, "invitation");
  });

  Deno.test(`“This wasn’t me” emails a link that logs in once where passwords are ${name}`, async () => {
    const { id, email } = await registerVerifiedUser(app, `thief-${name}@example.com`);
    strictEqual((await logIn(app.client(), email)).status, 200);
    const alert = (await mailsTo(app, email)).findLast(({ text }) => text.includes("/not-me?token="))!;
    const token = alert.text.match(/not-me\?token=([\w-]+)/)![1];
    strictEqual(await outcomeOf(instance.client().send("POST", "/auth/not-me", { token })), "200");
    const mail = (await mailsTo(app, email)).at(-1)!;
    strictEqual(mail.subject, "Get back into your Foyer account");
    const owner = instance.client();
    const input = { email, token: mail.text.match(/token=([\w-]+)/)![1] };
    strictEqual(await outcomeOf(owner.send("POST", "/auth/link", input)), "200");
    const { data } = await (await owner.get("/api/account")).json();
    deepStrictEqual([data.id, data.session.method, data.hasPassword], [id, "link", false]);
    strictEqual(await outcomeOf(instance.client().send("POST", "/auth/link", input)), "400 INVALID_TOKEN");
  });

  Deno.test(`an admin lets someone in who has lost the link of an alert where passwords are ${name}`, async () => {
    const { id, email } = await registerWithoutPassword(app, `alone-${name}@example.com`);
    // Neither a code nor a provider lets anyone in.
    const passwords = name as "existing" | "off";
    await using strict = await openTestInstanceWith(app, { passwords, signInCodes: false });
    const admin = withSession(strict, (await registerAdmin(app)).client);
    const page = await readValidPage(admin.get(`/admin/users/${id}`));
    match(page.text, /There is no password, passkey or provider\. Email access link/);
    match((await readPage(admin.get(`/admin/users/${id}/send-reset`))).text, /it logs in once instead/);
    const sent = await admin.submit(`/admin/users/${id}/send-reset`, {});
    match((await readPage(admin.get(sent.headers.get("Location")!))).text, /Access link emailed\./);
    const mail = (await mailsTo(app, email)).at(-1)!;
    deepStrictEqual([mail.subject, mail.text.includes("have sent you a link")], [
      "Your link to log in to Foyer",
      true,
    ]);
    const first = { email, token: await mailedToken(app, email) };
    strictEqual(await outcomeOf(admin.send("POST", `/api/admin/users/${id}/send-reset`, {})), "200");
    const second = { email, token: await mailedToken(app, email) };
    const person = strict.client();
    strictEqual(
      await outcomeOf(person.send("POST", "/auth/link", first)),
      "400 INVALID_TOKEN",
      "a new one replaces it",
    );
    strictEqual(await outcomeOf(person.send("POST", "/auth/link", second)), "200");
    const { data } = await (await person.get("/api/account")).json();
    deepStrictEqual([data.id, data.session.method], [id, "link"]);
    strictEqual(await outcomeOf(admin.send("POST", `/api/admin/users/${id}/send-reset`, {})), "200");
    strictEqual(
      await outcomeOf(admin.send("POST", `/api/admin/users/${id}/send-reset`, {})),
      "429 RATE_LIMITED",
      "three an hour",
    );
  });

  Deno.test(`an admin invites someone again who lost the invitation where passwords are ${name}`, async () => {
    const admin = withSession(instance, (await registerAdmin(app)).client);
    const email = `late-${name}@example.com`;
    const invite = () => admin.send("POST", "/api/users", { name: "Late", email });
    const { data: { id } } = await (await invite()).json();
    const first = { email, token: await mailedToken(app, email) };
    strictEqual(await outcomeOf(invite()), "409 EMAIL_TAKEN");
    match((await readPage(admin.get(`/admin/users/${id}`))).text, /hasn’t been accepted\. Email access link/);
    strictEqual(await outcomeOf(admin.send("POST", `/api/admin/users/${id}/send-reset`, {})), "200");
    const mail = (await mailsTo(app, email)).at(-1)!;
    strictEqual(mail.subject, "You’re invited to Foyer");
    match(mail.text, /Hello Late\. You’ve been invited to Foyer\./);
    match(mail.text, /ask whoever runs Foyer for a new link/);
    const guest = instance.client();
    strictEqual(await outcomeOf(guest.send("POST", "/auth/link", first)), "400 INVALID_TOKEN", "a new one replaces it");
    const second = { email, token: await mailedToken(app, email) };
    strictEqual(await outcomeOf(guest.send("POST", "/auth/link", second)), "200");
    const { data } = await (await guest.get("/api/account")).json();
    deepStrictEqual([data.session.method, data.emailVerified], ["invitation", true]);
  });

  Deno.test(`a new link replaces an invitation of before where passwords are ${name}`, async () => {
    const admin = await registerAdmin(app);
    const email = `twice-${name}@example.com`;
    const invited = await admin.client.send("POST", "/api/users", { name: "Twice", email });
    const { data: { id } } = await invited.json();
    const before = { email, token: await mailedToken(app, email) };
    const browser = withSession(instance, admin.client);
    strictEqual(await outcomeOf(browser.send("POST", `/api/admin/users/${id}/send-reset`, {})), "200");
    strictEqual(await outcomeOf(instance.client().send("POST", "/auth/link", before)), "400 INVALID_TOKEN");
  });

  Deno.test(`a reset link of before says so before anyone types where passwords are ${name}`, async () => {
    const open = (path: string) => instance.client().get(path);
    const confirmed = await registerWithoutPassword(app, `confirmed-${name}@example.com`);
    await app.client().send("POST", "/auth/forgot-password", { email: confirmed.email });
    const response = await open(await mailedPath(app, confirmed.email));
    if (name === "off") {
      deepStrictEqual([response.status, response.headers.get("Location")], [303, "/login"]);
    } else {
      const page = await readValidPage(response);
      match(page.text, /doesn’t work with a password here\. Use another way to log in\./);
      deepStrictEqual(page.fieldNames, []);
      ok(page.leadsTo("/login?email=confirmed-existing%40example.com"));
    }

    const admin = await registerAdmin(app);
    const email = `asked-${name}@example.com`;
    await admin.client.send("POST", "/api/users", { name: "Asked", email });
    await run("users send-reset", { who: email });
    const path = await mailedPath(app, email);
    match(path, /^\/reset-password\?(?!.*invitation)/);
    const led = (await open(path)).headers.get("Location")!;
    match(led, /^\/login-once\?/);
    strictEqual((await readPage(open(led))).heading, "Log in with this link");

    const own = await registerUser(app, `own-${name}@example.com`);
    if (name === "off") {
      const sent = runCommand(off.services, { name: "users send-reset", input: { who: own.email } }, {
        commands: COMMANDS,
      });
      ok(!("report" in await sent), "a stranger may have registered it");
    }
    await app.client().send("POST", "/auth/forgot-password", { email: own.email });
    const kept = await open(await mailedPath(app, own.email));
    deepStrictEqual([kept.status, kept.headers.get("Location")], name === "off" ? [303, "/login"] : [200, null]);
    if (name === "existing") ok((await readPage(kept)).fieldNames.includes("password"));
  });

  Deno.test(`the pages offer what is left where passwords are ${name}`, async () => {
    const login = await readPage(instance.client().get("/login"));
    deepStrictEqual(await markupProblems(login.html), []);
    strictEqual(login.fieldNames.includes("password"), name === "existing");
    match(login.html, /auth\/idp/);
    match(login.html, /Email me a login code/);
    const register = await readPage(instance.client().get("/register"));
    deepStrictEqual(await markupProblems(register.html), []);
    deepStrictEqual(register.fieldNames, []);
    match(register.html, /auth\/idp/);
    match(register.text, /New accounts here have no password/);
    const posted = await readPage(
      instance.client().submit("/register", { name: "Ada", email: "new@example.com", password: PASSWORD }),
    );
    match(posted.text, /doesn’t work with a password here/);
    const forgot = await instance.client().get("/forgot-password?email=ada%40example.com");
    deepStrictEqual(
      [forgot.status, forgot.headers.get("Location")],
      name === "off" ? [303, "/login?email=ada%40example.com"] : [200, null],
    );
  });

  Deno.test(`the first admin has no password where passwords are ${name}`, async () => {
    await using fresh = await openTestApp({ PASSWORDS: name, SIGN_IN_CODES: "true" });
    const { pathname, search } = new URL((await findSetupLink(fresh.services))!);
    const admin = fresh.client();
    const page = await readValidPage(admin.get(pathname + search));
    deepStrictEqual(page.fieldNames, ["name", "email", "emailAgain"]);
    const email = "admin@example.com";
    const made = await admin.submit(pathname + search, { name: "Ada", email, emailAgain: email, password: PASSWORD });
    deepStrictEqual(
      [made.status, made.headers.get("Location")],
      [303, "/settings/sign-in-methods/add?next=%2Fadmin%2Fsetup"],
    );
    const { data } = await (await admin.get("/api/account")).json();
    deepStrictEqual([data.role, data.hasPassword, data.session.method], ["admin", false, "link"]);
    await addPasskey(admin);
    strictEqual((await admin.get("/admin/setup")).status, 200);
  });
}

Deno.test("a password that opens nothing does not keep the last passkey from being the last way in", async () => {
  const { client } = await registerVerifiedUser(app, "last@example.com");
  const { id } = await addPasskey(client);
  const remove = (instance: typeof off) =>
    outcomeOf(withSession(instance, client).request(`/api/passkeys/${id}`, { method: "DELETE" }));
  strictEqual(await remove(off), "409 LAST_SIGN_IN_METHOD");
  strictEqual((await withSession(existing, client).request(`/api/passkeys/${id}`, { method: "DELETE" })).status, 204);
});

Deno.test("a second step that a password began ends where passwords are off", async () => {
  const { id, email } = await registerVerifiedUser(app, "half@example.com");
  await db.insertInto("totp_secrets").values({
    user_id: id,
    secret: "never decrypted",
    enabled_at: app.services.now(),
    pending_secret: null,
    pending_until: null,
  }).execute();
  const client = app.client();
  strictEqual(await outcomeOf(logIn(client, email)), "403 SECOND_FACTOR_REQUIRED");
  const step = withSession(off, client).send("POST", "/auth/second-factor", { code: "123456" });
  strictEqual(await outcomeOf(step), "403 PASSWORDS_OFF");
});

/** Runs a command of the command line. */
async function run(name: string, input: Record<string, unknown>, services = app.services) {
  const outcome = await runCommand(services, { name, input }, { commands: COMMANDS });
  ok("report" in outcome, JSON.stringify(outcome));
  // deno-lint-ignore no-explicit-any
  return { ...outcome.report, value: outcome.report.value as any };
}

Deno.test("users link prints a link that logs in once, within ten minutes, and never past the second step", async () => {
  const { id, email } = await registerVerifiedUser(app, "locked@example.com");
  const linkOf = async () => new URL((await run("users link", { who: email }, off.services)).value.link);
  const open = (client: TestClient, { searchParams }: URL) =>
    client.send("POST", "/auth/link", Object.fromEntries(searchParams));
  const first = await linkOf();
  strictEqual(first.pathname, "/login-once");
  const second = await linkOf();
  strictEqual(await outcomeOf(open(off.client(), first)), "400 INVALID_TOKEN", "a new one replaces it");
  const client = off.client();
  strictEqual(await outcomeOf(open(client, second)), "200");
  strictEqual((await (await client.get("/api/account")).json()).data.session.method, "link");
  strictEqual(await outcomeOf(open(off.client(), second)), "400 INVALID_TOKEN", "once");
  const { data } = await (await client.get("/api/account/events")).json();
  deepStrictEqual(data.map(({ kind }: { kind: string }) => kind).slice(0, 2), [
    "session.started",
    "session.link_created",
  ]);
  const made = await db.selectFrom("events").select(["actor", "actor_id"]).where("user_id", "=", id)
    .where("kind", "=", "session.link_created").execute();
  deepStrictEqual(made, [{ actor: "command line", actor_id: null }, { actor: "command line", actor_id: null }]);

  const late = await linkOf();
  app.advance(10 * MINUTE_SECONDS + 1);
  strictEqual(await outcomeOf(open(off.client(), late)), "400 INVALID_TOKEN", "ten minutes");
});

Deno.test("no link lets in someone who is suspended, or whose address a stranger may have registered", async () => {
  const { id, email } = await registerVerifiedUser(app, "unconfirmed@example.com");
  const { value: { link } } = await run("users link", { who: email });
  const input = Object.fromEntries(new URL(link).searchParams);
  for (
    const [state, code] of [
      [{ suspended_at: app.services.now() }, "ACCOUNT_SUSPENDED"],
      [{ suspended_at: null, email_verified: false }, "EMAIL_NOT_VERIFIED"],
    ] as const
  ) {
    await db.updateTable("users").set(state).where("id", "=", id).execute();
    await rejects(createLoginLink(app.services, { who: email, by: COMMAND_LINE }), { code });
    strictEqual(await outcomeOf(app.client().send("POST", "/auth/link", input)), `403 ${code}`);
  }
  await db.updateTable("users").set({ email_verified: true }).where("id", "=", id).execute();
  strictEqual(await outcomeOf(app.client().send("POST", "/auth/link", input)), "200");
});

Deno.test("operators learn what helps, and “users send-reset” always does", async () => {
  const { email } = await registerWithoutPassword(app, "stuck@example.com");
  const shown = async ({ services }: Pick<typeof off, "services">) => {
    const withoutCodes = { ...services, config: { ...services.config, signInCodes: false } };
    return (await run("users show", { who: email }, withoutCodes)).text;
  };
  match(await shown(app), /To let them set a password: users send-reset stuck@example.com/);
  match(await shown(off), /a link that logs in once: users send-reset stuck@example.com. To print one: users link/);
  await run("users send-reset", { who: email }, app.services);
  match(await mailedPath(app, email), /^\/reset-password\?/);
  for (const { services } of [existing, off]) {
    await run("users send-reset", { who: email }, services);
    match(await mailedPath(app, email), /^\/login-once\?/);
  }
});
