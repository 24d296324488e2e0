import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { findSetupLink } from "../../lib/accounts/first_admin.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { createLoginLink } from "../../lib/admin/login_link.ts";
import { COMMANDS } from "../../lib/command_line/commands.ts";
import { runCommand } from "../../lib/command_line/run.ts";
import type { Config } from "../../lib/config/config.ts";
import {
  logIn,
  mailedPath,
  mailedToken,
  mailsTo,
  PASSWORD,
  registerUser,
  registerVerifiedUser,
} from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { client as appClient, REDIRECT_URI } from "../support/app/authorization.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { addPasskey, requestOptions, sendCredential } from "../support/app/passkeys.ts";
import { readPage } from "../support/app/page_reader.ts";
import { registerWithTotp, STEP_SECONDS } from "../support/app/second_factor.ts";
import { openSharedTestApp, openTestApp, openTestInstanceWith } from "../support/app/test_app.ts";
import { outcomeOf, type TestClient, withCookies } from "../support/app/test_client.ts";
import { readValidPage } from "../support/browser/markup.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { consentScreen, envOf, signIn, signInAt } from "../support/providers/idp.ts";

const [main, contoso] = [await startFalseProvider(), await startFalseProvider()];
Deno.test.afterAll(async () => {
  for (const provider of [main, contoso]) await provider[Symbol.asyncDispose]();
});
/** The accounts of the tests are made here, where their addresses may log in in every way. */
const app = await openSharedTestApp({
  ...main.env,
  CLIENTS_FILE: await writeClientsFile([appClient("wiki", { first_party: true })]),
  IDP_PROVIDERS: "contoso",
  ...envOf("contoso", contoso.env),
  IDP_CONTOSO_NAME: "Contoso",
  SIGN_IN_CODES: "true",
  LOGIN_MAX_ATTEMPTS: "0",
});
const { db } = app.services;
const DOMAINS = [{ domain: "example.com", provider: "contoso" }];
const strict = await openTestInstanceWith(app, { signInDomains: DOMAINS });
Deno.test.afterAll(() => strict[Symbol.asyncDispose]());

/** A browser where SIGN_IN_DOMAINS is set, with the session of one where it is not. */
const withSession = (client: TestClient, instance = strict) => withCookies(instance.client(), client);

const REFUSED = "403 PROVIDER_REQUIRED";

/** Sends an address to each route that takes one. */
async function answers(email: string): Promise<Record<string, string>> {
  const post = (path: string, body: Record<string, unknown>) => outcomeOf(strict.client().send("POST", path, body));
  const token = "t".repeat(43);
  return {
    register: await post("/auth/register", { name: "Ada", email, password: PASSWORD }),
    login: await post("/auth/login", { email, password: PASSWORD }),
    code: await post("/auth/code", { email }),
    verifyCode: await post("/auth/code/verify", { email, code: "12345678" }),
    forgot: await post("/auth/forgot-password", { email }),
    reset: await post("/auth/reset-password", { email, token, password: PASSWORD }),
    link: await post("/auth/link", { email, token }),
  };
}

async function countRows(table: "events" | "outbox" | "identities" | "users"): Promise<number> {
  const row = await db.selectFrom(table).select((eb) => eb.fn.countAll().as("n")).executeTakeFirstOrThrow();
  return Number(row.n);
}

Deno.test("every route refuses an address of the domain alike, before it looks for an account", async () => {
  const { email } = await registerVerifiedUser(app, "known@example.com");
  await registerUser(app, "unconfirmed@example.com");
  await app.deliverMails();
  const before = [await countRows("events"), await countRows("outbox"), await countRows("users")];
  for (const address of [email, "unconfirmed@example.com", "nobody@example.com", " Known@EXAMPLE.com "]) {
    const refusals = await answers(address);
    deepStrictEqual(new Set(Object.values(refusals)), new Set([REFUSED]), `${address}: ${JSON.stringify(refusals)}`);
  }
  deepStrictEqual([await countRows("events"), await countRows("outbox"), await countRows("users")], before);
  const response = await logIn(strict.client(), email);
  const { message, details } = await response.json();
  deepStrictEqual([message, details], [
    "People with this address log in through the identity provider contoso",
    { provider: ["contoso"] },
  ]);
});

Deno.test("other domains are open, also those above and below", async () => {
  for (const address of ["ann@mail.example.com", "ann@com", "ann@example.com.example", "ann@notexample.com"]) {
    const codes = Object.values(await answers(address));
    ok(!codes.includes(REFUSED), `${address}: ${codes}`);
  }
});

Deno.test("a domain in any script and case is the one that addresses have", async () => {
  await using idn = await openTestApp({
    IDP_PROVIDERS: "contoso",
    ...envOf("contoso", contoso.env),
    SIGN_IN_DOMAINS: "MÜNCHEN.example:contoso  sub.example.org:contoso",
  });
  for (const email of ["ann@xn--mnchen-3ya.example", "ANN@XN--MNCHEN-3YA.example", "ann@sub.example.org"]) {
    strictEqual(await outcomeOf(logIn(idn.client(), email)), REFUSED, email);
  }
  strictEqual(await outcomeOf(logIn(idn.client(), "ann@example.org")), "401 INVALID_CREDENTIALS");
});

Deno.test("a passkey is refused only after its proof", async () => {
  const owner = await registerVerifiedUser(app, "passkey@example.com");
  const { authenticator } = await addPasskey(owner.client);
  const guest = strict.client();
  const right = await authenticator.get(await requestOptions(guest));
  const wrong = await authenticator.get(await requestOptions(guest));
  wrong.response.signature = right.response.signature;
  strictEqual(await outcomeOf(sendCredential(guest, wrong)), "401 INVALID_CREDENTIALS");
  strictEqual(await outcomeOf(sendCredential(guest, right)), REFUSED);
  strictEqual(guest.cookies.has("auth_session"), false);
  strictEqual(await outcomeOf(sendCredential(guest, right)), "401 INVALID_CREDENTIALS", "its challenge is spent");
});

Deno.test("another provider is refused by the address that it vouches for, with an account or without", async () => {
  await registerVerifiedUser(app, "vouched@example.com");
  const before = [await countRows("identities"), await countRows("users")];
  for (const email of ["vouched@example.com", "new-vouched@example.com"]) {
    const person = { sub: email, email, email_verified: true, name: "Ada" };
    strictEqual(await outcomeOf(signIn(app, main, person, strict.client())), REFUSED);
    const browser = strict.client();
    const { pathname, search } = main.consent(await consentScreen(browser));
    const page = await readValidPage(browser.get(pathname + search, { Accept: "text/html" }));
    strictEqual(page.heading, "Log in another way");
    match(page.text, /Your address logs in with Contoso here\./);
    strictEqual(page.link("Continue with Contoso").href, "/auth/idp/contoso");
  }
  deepStrictEqual([await countRows("identities"), await countRows("users")], before);
});

Deno.test("another provider with a private address does not open an account of the domain", async () => {
  const person = { sub: "private", email: "ann@home.example", email_verified: true, name: "Ann" };
  strictEqual((await signIn(app, main, person)).headers.get("Location"), "/dashboard");
  await db.updateTable("users").set({ email: "private@example.com" }).where("email", "=", person.email).execute();
  strictEqual((await signIn(app, main, person)).headers.get("Location"), "/dashboard");
  const client = strict.client();
  strictEqual((await signIn(app, main, person, client)).status, 403);
  strictEqual(client.cookies.has("auth_session"), false);
});

Deno.test("the provider of the domain opens its accounts, and any other address at it too", async () => {
  for (const email of ["contoso@example.com", "contoso@elsewhere.example"]) {
    contoso.userinfo = { sub: email, email, email_verified: true, name: "Ada" };
    const client = strict.client();
    const response = await signInAt("contoso", { client, consent: contoso.consent });
    strictEqual(response.headers.get("Location"), "/dashboard");
    strictEqual((await client.get("/api/account")).status, 200);
  }
});

Deno.test("a second step that another way in began ends with the refusal", async () => {
  const { email, totp } = await registerWithTotp(app, "half@example.com");
  const browser = app.client();
  strictEqual(await outcomeOf(logIn(browser, email)), "403 SECOND_FACTOR_REQUIRED");
  app.advance(STEP_SECONDS);
  const client = withSession(browser);
  strictEqual(await outcomeOf(client.send("POST", "/auth/second-factor", { code: totp.code() })), REFUSED);
  strictEqual(client.cookies.has("auth_session"), false);
});

Deno.test("a second step that the provider of the domain began opens the account", async () => {
  const { email, totp } = await registerWithTotp(app, "whole@example.com");
  contoso.userinfo = { sub: email, email, email_verified: true, name: "Ada" };
  const client = strict.client();
  const led = await signInAt("contoso", { client, consent: contoso.consent });
  strictEqual(led.headers.get("Location"), "/second-factor");
  app.advance(STEP_SECONDS);
  strictEqual(await outcomeOf(client.send("POST", "/auth/second-factor", { code: totp.code() })), "200");
});

Deno.test("sessions that exist stay", async () => {
  const { client } = await registerVerifiedUser(app, "stays@example.com");
  strictEqual((await withSession(client).get("/api/account")).status, 200);
});

Deno.test("an invitation leads through the provider, which opens the invited account", async () => {
  const host = await registerVerifiedUser(app, "host@elsewhere.example");
  const email = "guest@example.com";
  const invited = await withSession(host.client).send("POST", "/api/users", { name: "Guest", email });
  strictEqual(invited.status, 201);
  const { data: { id } } = await invited.json();
  const mail = (await mailsTo(app, email)).at(-1)!;
  match(mail.text, /Log in with Contoso to open it\./);
  doesNotMatch(mail.text, /password/i);
  const path = await mailedPath(app, email);
  match(path, /^\/login-once\?/);
  const guest = strict.client();
  const led = await guest.get(path);
  const location = led.headers.get("Location")!;
  deepStrictEqual([led.status, location], [303, "/auth/idp/contoso?login_hint=guest%40example.com"]);
  const token = new URL(path, "http://foyer.test").searchParams.get("token")!;
  strictEqual(await outcomeOf(guest.send("POST", "/auth/link", { email, token })), REFUSED);
  const page = await readPage(guest.submit("/login-once", { email, token }));
  match(page.message!, /With this address, you log in through Contoso\./);
  contoso.userinfo = { sub: email, email, email_verified: true, name: "Guest" };
  const opened = contoso.consent(await consentScreen(guest, location));
  await guest.get(opened.pathname + opened.search);
  const { data } = await (await guest.get("/api/account")).json();
  deepStrictEqual([data.id, data.emailVerified, data.session.method], [id, true, "idp"]);
});

Deno.test("an invitation of before leads through the provider too, and to the page that it is for", async () => {
  const host = await registerVerifiedUser(app, "old-host@elsewhere.example");
  const email = "old-guest@example.com";
  const next = "/settings/profile";
  await host.client.send("POST", "/api/users", { name: "Guest", email, next });
  const path = await mailedPath(app, email);
  match(path, /^\/reset-password\?/);
  const led = await strict.client().get(path);
  const hint = "/auth/idp/contoso?login_hint=old-guest%40example.com";
  strictEqual(led.headers.get("Location"), `${hint}&next=${encodeURIComponent(next)}`);
  const token = new URL(path, "http://foyer.test").searchParams.get("token")!;
  const reset = { email, token, password: PASSWORD };
  strictEqual(await outcomeOf(strict.client().send("POST", "/auth/reset-password", reset)), REFUSED);
  strictEqual(
    await outcomeOf(app.client().send("POST", "/auth/reset-password", reset)),
    "200",
    "the token still works",
  );
});

Deno.test("the command line invites to the provider too", async () => {
  const email = "made@example.com";
  const { value } = await run("users create", { email, name: "Made" });
  const led = await strict.client().get(new URL(value.link).pathname + new URL(value.link).search);
  strictEqual(led.headers.get("Location"), "/auth/idp/contoso?login_hint=made%40example.com");
});

Deno.test("no address is changed into the domain, also if the change began before", async () => {
  const { client, id } = await registerVerifiedUser(app, "mover@elsewhere.example");
  const browser = withSession(client);
  const email = "mover@example.com";
  strictEqual(await outcomeOf(browser.send("POST", "/api/account/email", { email })), REFUSED);
  const page = await readPage(browser.submit("/settings/email", { email }));
  match(page.message!, /With this address, you log in through Contoso\./);
  strictEqual(page.field("email").value, email);
  deepStrictEqual(await mailsTo(app, email), []);
  strictEqual(await outcomeOf(client.send("POST", "/api/account/email", { email })), "200");
  const path = await mailedPath(app, email);
  match((await readPage(browser.get(path))).text, /This address can’t be used anymore/);
  const token = new URL(path, "http://foyer.test").searchParams.get("token")!;
  strictEqual(await outcomeOf(browser.send("POST", "/auth/confirm-email", { token })), REFUSED);
  const row = await db.selectFrom("users").select("email").where("id", "=", id).executeTakeFirstOrThrow();
  strictEqual(row.email, "mover@elsewhere.example");
});

const METHODS_PAGE = "/settings/sign-in-methods";

Deno.test("the identity of the provider of the domain is the only way in, and stays", async () => {
  const email = "stays-linked@example.com";
  const owner = await registerVerifiedUser(app, email);
  const { id: passkeyId } = await addPasskey(owner.client);
  const person = { sub: email, email, email_verified: true, name: "Ada" };
  await signIn(app, main, person);
  contoso.userinfo = person;
  const client = strict.client();
  await signInAt("contoso", { client, consent: contoso.consent });
  const { data } = await (await client.get("/api/account/identities")).json();
  const unlink = (provider: string, browser = client) => {
    const { id } = data.find((each: { provider: string }) => each.provider === provider);
    return outcomeOf(browser.request(`/api/account/identities/${id}`, { method: "DELETE" }));
  };
  const stays = /With your address, you log in through Contoso, so it stays connected\./;
  const page = await readValidPage(client.get(METHODS_PAGE));
  match(page.text, stays);
  deepStrictEqual(page.links.filter(({ text }) => text.startsWith("Disconnect")).map(({ href }) => href), [
    `${METHODS_PAGE}/remove?provider=default`,
  ]);
  strictEqual(await unlink("contoso"), "409 LAST_SIGN_IN_METHOD");
  const refused = await client.submit(`${METHODS_PAGE}/remove?provider=contoso`, {});
  strictEqual(refused.status, 409);
  match((await readPage(refused)).message!, stays);

  strictEqual(await unlink("default"), "204");
  strictEqual(await outcomeOf(client.request(`/api/passkeys/${passkeyId}`, { method: "DELETE" })), "204");
  const browser = app.client();
  strictEqual((await logIn(browser, email)).status, 200);
  strictEqual(await unlink("contoso", browser), "204", "without the setting, the password is a way in");
});

Deno.test("a passkey that opens nothing is no way in, so it may go", async () => {
  const { client, email } = await registerVerifiedUser(app, "only-passkey@example.com");
  const { id } = await addPasskey(client);
  await db.updateTable("users").set({ password_hash: null }).where("email", "=", email).execute();
  const remove = (browser: TestClient) => outcomeOf(browser.request(`/api/passkeys/${id}`, { method: "DELETE" }));
  strictEqual(await remove(client), "409 LAST_SIGN_IN_METHOD");
  strictEqual(await remove(withSession(client)), "204");
});

/** The token of the alert about a new device. */
async function alertOf(email: string): Promise<string> {
  strictEqual((await logIn(app.client(), email)).status, 200);
  const alert = (await mailsTo(app, email)).findLast(({ text }) => text.includes("/not-me?token="))!;
  return alert.text.match(/not-me\?token=([\w-]+)/)![1];
}

Deno.test("“This wasn’t me” ends access, emails no link and leads to the provider", async () => {
  const { email, client } = await registerVerifiedUser(app, "thief@example.com");
  const token = await alertOf(email);
  const before = (await mailsTo(app, email)).length;
  const browser = strict.client();
  const page = await readValidPage(browser.get(`/not-me?token=${token}`));
  doesNotMatch(page.text, /a link to get back in/);
  const secured = await browser.submit("/not-me", { token });
  const location = secured.headers.get("Location")!;
  deepStrictEqual([secured.status, location], [303, "/login?email=thief%40example.com"]);
  const login = await readPage(browser.get(location));
  strictEqual(login.notice, "Your account is secure. Log in again.");
  strictEqual(login.link("Continue with Contoso").href, "/auth/idp/contoso?login_hint=thief%40example.com");
  deepStrictEqual([(await mailsTo(app, email)).length, (await client.get("/api/account")).status], [before, 401]);
  const other = await registerVerifiedUser(app, "thief-api@example.com");
  const response = await strict.client().send("POST", "/auth/not-me", { token: await alertOf(other.email) });
  strictEqual((await response.json()).message, "Your account is secure. Log in with your identity provider.");
});

/** Runs a command of the command line. */
async function run(name: string, input: Record<string, unknown>) {
  const outcome = await runCommand(strict.services, { name, input }, { commands: COMMANDS });
  ok("report" in outcome, JSON.stringify(outcome));
  // deno-lint-ignore no-explicit-any
  return { ...outcome.report, value: outcome.report.value as any };
}

Deno.test("only the link that the command line prints passes, and never past the second step", async () => {
  const { email } = await registerVerifiedUser(app, "printed@example.com");
  const inputOf = async (who: string) => {
    const { link } = await createLoginLink(strict.services, { who, by: COMMAND_LINE });
    return Object.fromEntries(new URL(link).searchParams);
  };
  const input = await inputOf(email);
  strictEqual(
    (await readPage(strict.client().get(`/login-once?${new URLSearchParams(input)}`))).heading,
    "Log in with this link",
  );
  const forged = { ...input, token: `printed.${input.token}` };
  strictEqual(await outcomeOf(strict.client().send("POST", "/auth/link", forged)), "400 INVALID_TOKEN");
  const client = strict.client();
  strictEqual(await outcomeOf(client.send("POST", "/auth/link", input)), "200");
  strictEqual((await (await client.get("/api/account")).json()).data.session.method, "link");

  const other = await registerWithTotp(app, "printed-second@example.com");
  const second = strict.client();
  const opened = second.send("POST", "/auth/link", await inputOf(other.email));
  strictEqual(await outcomeOf(opened), "403 SECOND_FACTOR_REQUIRED");
  app.advance(STEP_SECONDS);
  strictEqual(await outcomeOf(second.send("POST", "/auth/second-factor", { code: other.totp.code() })), "200");

  const host = await registerVerifiedUser(app, "printing-host@elsewhere.example");
  await host.client.send("POST", "/api/users", { name: "Ivo", email: "ivo@example.com" });
  const invited = strict.client();
  strictEqual(await outcomeOf(invited.send("POST", "/auth/link", await inputOf("ivo@example.com"))), "200");
  strictEqual((await (await invited.get("/api/account")).json()).data.emailVerified, true);
});

Deno.test("a link that was emailed before the setting opens nothing", async () => {
  const { email } = await registerVerifiedUser(app, "recovered@example.com");
  await using withoutPasswords = await openTestInstanceWith(app, { passwords: "existing" });
  const token = await alertOf(email);
  strictEqual(await outcomeOf(withoutPasswords.client().send("POST", "/auth/not-me", { token })), "200");
  const input = { email, token: await mailedToken(app, email) };
  strictEqual(await outcomeOf(strict.client().send("POST", "/auth/link", input)), REFUSED);
  strictEqual(await outcomeOf(app.client().send("POST", "/auth/link", input)), "200", "the token still works");
});

Deno.test("an admin sends no access link to the domain, but an invitation again", async () => {
  const { id, email } = await registerVerifiedUser(app, "helped@example.com");
  const admin = withSession((await registerAdmin(app)).client);
  const send = (userId: string) => outcomeOf(admin.send("POST", `/api/admin/users/${userId}/send-reset`, {}));
  strictEqual(await send(id), REFUSED);
  const page = await readPage(admin.get(`/admin/users/${id}`));
  match(page.text, /Can log in with: Contoso\./);
  const refused = await readPage(admin.submit(`/admin/users/${id}/send-reset`, {}));
  match(refused.message!, /With this address, you log in through Contoso\./);
  match((await run("users show", { who: email })).text, /Can log in with: Contoso\./);
  const guest = await admin.send("POST", "/api/users", { name: "Late", email: "late@example.com" });
  strictEqual(await send((await guest.json()).data.id), "200");
  match((await mailsTo(app, "late@example.com")).at(-1)!.text, /You’ve been invited to Foyer\..*Contoso/s);
});

Deno.test("the login page leads to the provider with the address that was typed, and keeps the page to go to", async () => {
  const target = "/auth/idp/contoso?login_hint=typed%40example.com&next=%2Fuploads";
  for (const password of ["", "Wrong-horse-9"]) {
    const response = await strict.client().submit("/login?next=%2Fuploads", { email: " Typed@Example.com ", password });
    deepStrictEqual([response.status, response.headers.get("Refresh")], [200, `0; url=${target}`]);
    const page = await readPage(response);
    strictEqual(page.link("Continue with Contoso").href, target);
  }
  const open = await strict.client().submit("/login", { email: "typed@elsewhere.example", password: "" });
  strictEqual(open.status, 400);
  const led = await strict.client().get("/login?email=typed%40example.com&next=%2Fuploads");
  deepStrictEqual([led.status, led.headers.get("Location")], [303, target]);
  const screen = new URL(await consentScreen(strict.client(), target));
  strictEqual(screen.searchParams.get("login_hint"), "typed@example.com");
});

Deno.test("a hint that is no address is left out", async () => {
  for (const hint of ["x".repeat(400) + "@example.com", "not an address", "a@example.com\r\nb"]) {
    const path = `/auth/idp/contoso?${new URLSearchParams({ login_hint: hint })}`;
    strictEqual(new URL(await consentScreen(strict.client(), path)).searchParams.has("login_hint"), false);
  }
});

Deno.test("forms that are refused keep what was typed, and lead on with it", async () => {
  const email = "typed@example.com";
  const forms: Record<string, Record<string, string>> = {
    "/register": { name: "Ada Lovelace", email, password: PASSWORD },
    "/login-code": { email, action: "send" },
    "/forgot-password": { email },
  };
  for (const [path, fields] of Object.entries(forms)) {
    const response = await strict.client().submit(`${path}?next=%2Fuploads`, fields);
    strictEqual(response.status, 403);
    const page = await readValidPage(response);
    strictEqual(page.message, "With this address, you log in through Contoso.");
    const { href } = page.link("Continue with Contoso");
    strictEqual(href, "/auth/idp/contoso?login_hint=typed%40example.com&next=%2Fuploads", path);
    strictEqual(page.field("email").value, email);
    if (path === "/register") strictEqual(page.field("name").value, "Ada Lovelace");
    doesNotMatch(page.html, new RegExp(PASSWORD));
  }
});

Deno.test("the login page explains a passkey that the domain refuses", async () => {
  const owner = await registerVerifiedUser(app, "page-passkey@example.com");
  const { authenticator } = await addPasskey(owner.client);
  const guest = strict.client();
  const credential = JSON.stringify(await authenticator.get(await requestOptions(guest)));
  const page = await readPage(guest.submit("/login?with=passkey", { credential }));
  strictEqual(page.message, "With this address, you log in through Contoso.");
  strictEqual(page.link("Continue with Contoso").href, "/auth/idp/contoso");
});

Deno.test("the first admin of such an address comes through the provider", async () => {
  await using fresh = await openTestApp({
    IDP_PROVIDERS: "contoso",
    ...envOf("contoso", contoso.env),
    IDP_CONTOSO_NAME: "Contoso",
    SIGN_IN_DOMAINS: "example.com:contoso",
  });
  const { pathname, search } = new URL((await findSetupLink(fresh.services))!);
  const email = "boss@example.com";
  const admin = fresh.client();
  const form = { name: "Boss", email, emailAgain: email, password: PASSWORD };
  const page = await readPage(admin.submit(pathname + search, form));
  strictEqual(page.message, "With this address, you log in through Contoso.");
  const { href } = page.link("Continue with Contoso");
  match(href!, /^\/auth\/idp\/contoso\?login_hint=boss%40example\.com&next=%2Fsetup/);
  contoso.userinfo = { sub: "boss", email, email_verified: true, name: "Boss" };
  const callback = contoso.consent(await consentScreen(admin, href!));
  strictEqual((await admin.get(callback.pathname + callback.search)).headers.get("Location"), pathname + search);
  strictEqual((await admin.submit(`${pathname + search}&own=`, {})).headers.get("Location"), "/admin/setup");
});

const ONLY_DOOR: Partial<Config> = {
  passwords: "off",
  signInCodes: false,
  providers: app.services.config.providers.filter(({ key }) => key === "contoso"),
};

Deno.test("the login page leads straight to a provider that is the only door", async () => {
  await db.deleteFrom("passkeys").execute();
  const doors: [string, Partial<Config>][] = [
    ["passwords", { ...ONLY_DOOR, passwords: "existing" }],
    ["codes", { ...ONLY_DOOR, signInCodes: true }],
    ["another provider", { ...ONLY_DOOR, providers: app.services.config.providers }],
  ];
  for (const [door, settings] of doors) {
    await using instance = await openTestInstanceWith(app, settings);
    strictEqual((await instance.client().get("/login")).status, 200, door);
  }
  await using only = await openTestInstanceWith(app, ONLY_DOOR);
  const get = async (path: string, client = only.client()) => {
    const response = await client.get(path);
    return `${response.status} ${response.headers.get("Location")}`;
  };
  strictEqual(await get("/login"), "303 /auth/idp/contoso");
  strictEqual(await get("/login?next=%2Fuploads"), "303 /auth/idp/contoso?next=%2Fuploads");
  strictEqual(await get("/login?local=0"), "303 /auth/idp/contoso");
  for (
    const query of ["error=cancelled", "local=1", "prompt=select_account", "error=idp_failed&email=a%40example.com"]
  ) {
    strictEqual(await get(`/login?${query}`), "200 null", query);
  }
  const { client } = await registerVerifiedUser(app, "leaving@elsewhere.example");
  const browser = withSession(client, only);
  const loggedOut = await browser.submit("/logout", {});
  strictEqual(loggedOut.headers.get("Location"), "/login");
  const page = await readPage(browser.get("/login"));
  strictEqual(page.notice, "You’ve logged out.");
  strictEqual(await get("/login", browser), "303 /auth/idp/contoso", "the next visit");

  const owner = await registerVerifiedUser(app, "door-passkey@elsewhere.example");
  await addPasskey(owner.client);
  strictEqual(await get("/login"), "200 null", "someone has a passkey");
  await db.deleteFrom("passkeys").execute();
});

const NAVIGATION = { "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };

Deno.test("who wants to use another account with an app sees the login page", async () => {
  await using only = await openTestInstanceWith(app, ONLY_DOOR);
  const authorize = (prompt: string) =>
    "/oauth/authorize?" + new URLSearchParams({
      client_id: "wiki",
      response_type: "code",
      scope: "openid",
      redirect_uri: REDIRECT_URI,
      code_challenge_method: "S256",
      code_challenge: "c".repeat(43),
      ...prompt && { prompt },
    });
  const guest = only.client();
  const location = (await guest.get(authorize("select_account"), NAVIGATION)).headers.get("Location")!;
  match(location, /^\/login\?prompt=select_account&next=/);
  strictEqual((await guest.get(location)).status, 200);
  match((await guest.get(authorize(""), NAVIGATION)).headers.get("Location")!, /^\/login\?next=/);
});

/** Opens the login page by a link on another page. */
async function followLogin(client: TestClient, path: string, link: string): Promise<[string, number]> {
  const { href } = (await readPage(client.get(path, NAVIGATION))).link(link);
  return [href!, (await client.get(href!)).status];
}

Deno.test("links of people who want another account lead to the login page, and no further", async () => {
  await using only = await openTestInstanceWith(app, ONLY_DOOR);
  const { email } = await registerWithTotp(app, "not-me@example.com");
  contoso.userinfo = { sub: email, email, email_verified: true, name: "Ada" };
  const client = only.client();
  strictEqual(
    (await signInAt("contoso", { client, consent: contoso.consent })).headers.get("Location"),
    "/second-factor",
  );
  const other = "Log in as someone else";
  const path = "/login?prompt=select_account";
  deepStrictEqual(await followLogin(client, "/second-factor", other), [path, 200]);
  deepStrictEqual(await followLogin(client, "/second-factor?next=%2Fuploads", other), [`${path}&next=%2Fuploads`, 200]);
  const logins = async (response: Promise<Response>) =>
    (await readPage(response)).links.filter(({ text }) => text === "Log in").map(({ href }) => href);
  deepStrictEqual(await logins(client.get("/second-factor")), [path], "in the header");
  deepStrictEqual(
    await logins(only.client().get("/oauth/logout", NAVIGATION)),
    [path, path],
    "in the header and below",
  );
});

Deno.test("guests of an unregistered app see the login page, which names the host", async () => {
  await using only = await openTestInstanceWith(app, { ...ONLY_DOOR, clientDocuments: "all" });
  const pathTo = (clientId: string) =>
    `/login?${new URLSearchParams({ next: `/oauth/authorize?${new URLSearchParams({ client_id: clientId })}` })}`;
  for (const hint of ["", "&email=ada%40example.com"]) {
    const page = await readPage(only.client().get(pathTo("https://agent.example/client.json") + hint));
    match(page.text, /agent\.example/, hint);
    strictEqual((await only.client().get(pathTo("wiki") + hint)).status, 303, hint);
  }
});
