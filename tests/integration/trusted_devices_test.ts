import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { decodeJwt } from "jose";
import { endAllAccess } from "../../lib/access/access_end.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { createLoginLink } from "../../lib/admin/login_link.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "../../lib/duration.ts";
import { runDueFactorResets } from "../../lib/sign_in/second_factor/factor_reset.ts";
import { logIn, mailedCode, mailedToken, mailsTo, PASSWORD } from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { client as registered, connect, openAuthorizationApp, REDIRECT_URI } from "../support/app/authorization.ts";
import { readPage } from "../support/app/page_reader.ts";
import { addPasskey, requestOptions } from "../support/app/passkeys.ts";
import {
  DEMANDED,
  demandSecondFactor,
  enableTotp,
  joinGroup,
  protect,
  registerWithTotp,
  startLogin,
  STEP_SECONDS,
  trustDevice,
} from "../support/app/second_factor.ts";
import { openTestInstanceWith, type TestInstance } from "../support/app/test_app.ts";
import { type TestClient, withCookies } from "../support/app/test_client.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { signIn } from "../support/providers/idp.ts";

const DAYS = 30;
const NEW_PASSWORD = "Another-horse-8";
const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const app = await openAuthorizationApp({
  ...provider.env,
  ...DEMANDED,
  LOGIN_MAX_ATTEMPTS: "0",
  SIGN_IN_CODES: "true",
  TRUST_DEVICE_DAYS: String(DAYS),
}, [registered("vault", { require_second_factor: true, first_party: true, groups: ["keepers"] })]);
const { db } = app.services;

/** Someone with an authenticator app, and a browser that is logged in and trusted. */
async function registerTrusting(email: string) {
  const person = await registerWithTotp(app, email);
  return { ...person, browser: await trustDevice(app, person) };
}
type Trusting = Awaited<ReturnType<typeof registerTrusting>>;

/** A browser that presents the cookie that recognizes another one, and nothing else. */
function withDeviceOf(browser: TestClient, instance: Pick<TestInstance, "client"> = app): TestClient {
  const other = instance.client();
  other.cookies.set("device", browser.cookies.get("device")!);
  return other;
}

/** Logs in with the password and says whether the second step was asked for. */
async function isAsked(client: TestClient, email: string, password = PASSWORD): Promise<boolean> {
  const response = await logIn(client, email, password);
  const { code } = await response.json();
  ok(response.status === 200 || code === "SECOND_FACTOR_REQUIRED", `${response.status} ${code}`);
  return response.status !== 200;
}

const devicesOf = async (client: TestClient) => (await (await client.get("/api/account/devices")).json()).data;

/** Returns the address to which an app's request for scopes leads. */
async function locationFor(browser: TestClient, clientId: string, scope: string): Promise<string | undefined> {
  const path = "/oauth/authorize?response_type=code&code_challenge_method=S256&" +
    new URLSearchParams({ client_id: clientId, scope, redirect_uri: REDIRECT_URI, code_challenge: "c".repeat(43) });
  const headers = { "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  return (await browser.get(path, headers)).headers.get("Location")?.split("?")[0];
}

async function okay(sent: Promise<Response>): Promise<void> {
  const response = await sent;
  ok(response.ok || response.status === 303, `${response.status} ${await response.text()}`);
}

Deno.test("a trusted device skips the second step for the days of the setting, also after a logout", async () => {
  const { email, browser, id } = await registerTrusting("days@example.com");
  await okay(browser.request("/auth/logout", { method: "POST" }));
  strictEqual(await isAsked(browser, email), false);
  strictEqual(await isAsked(app.client(), email), true, "elsewhere it does not");
  const event = await db.selectFrom("events").select("details").where("user_id", "=", id)
    .where("kind", "=", "session.started").orderBy("id", "desc").executeTakeFirstOrThrow();
  deepStrictEqual(event.details, { method: "password", newDevice: false, trustedDevice: true });
  ok((await readPage(browser.get("/settings/activity"))).textsAt(".tag").includes("Trusted device"));
  app.advance(DAYS * DAY_SECONDS - STEP_SECONDS - 1);
  strictEqual(await isAsked(browser, email), false, "a second before the end");
  app.advance(1);
  strictEqual(await isAsked(browser, email), true, "at the end: logins do not extend it");
});

Deno.test("the second step asks with an empty box, and the box counts", async () => {
  const { email, totp } = await registerWithTotp(app, "box@example.com");
  const browser = await startLogin(app, email);
  const page = await readPage(browser.get("/second-factor"));
  strictEqual(page.field("trustDevice").isChecked, false);
  match(page.html, /Don’t ask again on this device for \u2068?30 days/);
  const wrong = await readPage(browser.submit("/second-factor", { code: "000000", trustDevice: "on" }));
  strictEqual(wrong.field("trustDevice").isChecked, true, "a wrong code keeps the tick");
  await okay(browser.submit("/second-factor", { code: totp.code(), trustDevice: "on" }));
  strictEqual((await devicesOf(browser)).length, 1);
  strictEqual(await isAsked(browser, email), false);
  app.advance(STEP_SECONDS);
  const other = await startLogin(app, email);
  await okay(other.submit("/second-factor", { code: totp.code() }));
  strictEqual(await isAsked(other, email), true, "without the tick nothing is trusted");
});

Deno.test("a passkey that is demanded can make a device a trusted one", async () => {
  const { email, client, id, totp } = await registerWithTotp(app, "demanded@example.com");
  const { authenticator } = await addPasskey(client);
  await demandSecondFactor(app, id);
  const browser = await startLogin(app, email);
  const credential = await authenticator.get(await requestOptions(browser));
  await okay(browser.send("POST", "/auth/second-factor", { credential, trustDevice: true }));
  strictEqual(await isAsked(browser, email), false);
  ok(totp.code());
});

Deno.test("a recovery code opens a session and trusts nothing", async () => {
  const { email, totp } = await registerWithTotp(app, "recovery@example.com");
  const browser = await startLogin(app, email);
  await okay(browser.send("POST", "/auth/second-factor", { code: totp.recoveryCodes[0], trustDevice: true }));
  deepStrictEqual(await devicesOf(browser), []);
  strictEqual(await isAsked(browser, email), true);
  const other = await startLogin(app, email);
  const page = await readPage(other.get("/second-factor?with=recovery"));
  ok(!page.html.includes("trustDevice"));
});

Deno.test("without TRUST_DEVICE_DAYS nothing is trusted, whatever was before", async () => {
  const { email, browser, totp } = await registerTrusting("off@example.com");
  await using off = await openTestInstanceWith(app, { trustDeviceSeconds: 0 });
  const there = withDeviceOf(browser, off);
  strictEqual(await isAsked(there, email), true);
  ok(!(await (await there.get("/second-factor")).text()).includes("trustDevice"));
  await okay(there.send("POST", "/auth/second-factor", { code: totp.code(), trustDevice: true }));
  deepStrictEqual(await devicesOf(there), []);
  strictEqual(await isAsked(there, email), true);
});

Deno.test("a shorter TRUST_DEVICE_DAYS counts at once, and a longer one only for what is trusted later", async () => {
  const { email, browser } = await registerTrusting("setting@example.com");
  await using short = await openTestInstanceWith(app, { trustDeviceSeconds: DAY_SECONDS });
  await using long = await openTestInstanceWith(app, { trustDeviceSeconds: 90 * DAY_SECONDS });
  const [device] = await devicesOf(browser);
  const there = withCookies(short.client(), browser);
  strictEqual((await devicesOf(there))[0].trustedUntil, device.trustedUntil - (DAYS - 1) * DAY_SECONDS);
  app.advance(DAY_SECONDS);
  strictEqual(await isAsked(withDeviceOf(browser, short), email), true);
  app.advance((DAYS - 1) * DAY_SECONDS);
  strictEqual(await isAsked(withDeviceOf(browser, long), email), true);
});

Deno.test("the session of a trusted device has one factor, and apps that require a second one ask", async () => {
  const { email, id, browser, totp } = await registerTrusting("one-factor@example.com");
  strictEqual(await isAsked(browser, email), false);
  const { id_token } = await connect(app, browser, "wiki");
  const { acr, amr } = decodeJwt(id_token);
  deepStrictEqual([acr, amr], ["1", ["pwd"]]);
  await joinGroup(app, id, "keepers");
  const locationOf = () => locationFor(browser, "vault", "openid");
  strictEqual(await locationOf(), "/reauthenticate");
  await okay(browser.send("POST", "/auth/reauthenticate", { code: totp.code() }));
  strictEqual(await locationOf(), REDIRECT_URI);
});

/** The ways in that the trust lets skip the second step. Each logs in and returns the response that does. */
const SKIPS: Record<string, (browser: TestClient, email: string) => Promise<Response>> = {
  password: (browser, email) => logIn(browser, email),
  provider: (browser, email) =>
    signIn(app, provider, { sub: email, email, email_verified: true, name: "Ada" }, browser),
  async "emailed code"(browser, email) {
    await okay(browser.send("POST", "/auth/code", { email }));
    return await browser.send("POST", "/auth/code/verify", { email, code: await mailedCode(app, email) });
  },
  async "link beside the code"(browser, email) {
    await app.deliverMails();
    await okay(browser.send("POST", "/auth/code", { email }));
    return await browser.send("POST", "/auth/code/link", { token: await mailedToken(app, email) });
  },
};

/** Acts that need a recent proof. */
const DANGEROUS: [string, string, object?][] = [
  ["DELETE", "/api/totp"],
  ["POST", "/api/totp"],
  ["POST", "/api/totp/recovery-codes"],
  ["POST", "/api/passkeys/options"],
  ["POST", "/api/tokens", { name: "Strange", scopes: ["profile:read"], expiresInDays: 1 }],
  ["POST", "/api/account/email", { email: "stranger@example.com" }],
  ["PUT", "/api/admin/groups/stranger", { title: "Stranger" }],
  ["DELETE", "/api/account"],
];

/** Sends each dangerous act and returns the codes of the refusals, with the ways that prove who the person is. */
async function refusalsIn(browser: TestClient): Promise<unknown[]> {
  const refusals = [];
  for (const [method, path, body] of DANGEROUS) {
    const response = await browser.request(path, {
      method,
      ...body !== undefined && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } },
    });
    const { code, details } = JSON.parse(await response.text() || "{}");
    refusals.push([path, response.status, code, details?.methods]);
  }
  return refusals;
}

for (const [way, enter] of Object.entries(SKIPS)) {
  for (const isKept of [false, true]) {
    const browserIs = isKept ? "that has a proven session" : "that has logged out";
    Deno.test(`a login that skips the second step is no proof, by ${way} in a browser ${browserIs}`, async () => {
      const email = `no-proof-${way.replaceAll(" ", "-")}-${isKept}@example.com`;
      const { browser, id, totp } = await registerTrusting(email);
      await db.updateTable("users").set({ role: "admin", password_hash: way === "password" ? undefined : null })
        .where("id", "=", id).execute();
      const openTokenForm = async () => (await browser.get("/settings/tokens/new")).headers.get("Location");
      strictEqual(await openTokenForm(), null, "the second step itself is a proof");
      if (!isKept) await okay(browser.request("/auth/logout", { method: "POST" }));
      const response = await enter(browser, email);
      ok(response.ok || response.headers.get("Location") === "/dashboard", `${response.status}`);
      const methods = way === "password" ? ["password", "totp"] : ["totp"];
      const expected = DANGEROUS.map(([_, path]) => [path, 403, "REAUTHENTICATION_REQUIRED", methods]);
      deepStrictEqual(await refusalsIn(browser), expected);
      strictEqual(await openTokenForm(), "/reauthenticate?next=%2Fsettings%2Ftokens%2Fnew");
      strictEqual(await locationFor(browser, "phone", "openid profile:read"), "/reauthenticate");
      const { data } = await (await browser.get("/api/account")).json();
      strictEqual(data.session.authenticatedAt, Math.floor(app.services.now().getTime() / 1000), "it is a login");
      await okay(browser.send("POST", "/auth/reauthenticate", { code: totp.code() }));
      strictEqual(await openTokenForm(), null);
      strictEqual(await locationFor(browser, "phone", "openid profile:read"), undefined, "it asks for consent");
      await okay(browser.request("/api/totp", { method: "DELETE" }));
    });
  }
}

Deno.test("a login that skipped the second step is not one of the two ways that a demanded factor needs", async () => {
  const { email, id, browser } = await registerTrusting("two-ways@example.com");
  const optionsStatus = async () => (await browser.request("/api/passkeys/options", { method: "POST" })).status;
  await okay(SKIPS["emailed code"](browser, email));
  await db.deleteFrom("totp_secrets").where("user_id", "=", id).execute();
  await demandSecondFactor(app, id);
  strictEqual(await isAsked(browser, email), false);
  strictEqual(await optionsStatus(), 403, "the password alone");
  await okay(SKIPS["emailed code"](browser, email));
  strictEqual(await optionsStatus(), 200, "and then a code");
});

Deno.test("links that log in once ask for the second step on a trusted device, and the trust stays", async () => {
  const { email, browser } = await registerTrusting("links@example.com");
  const { link } = await createLoginLink(app.services, { who: email, by: COMMAND_LINE });
  const token = new URL(link).searchParams.get("token")!;
  strictEqual((await browser.send("POST", "/auth/link", { email, token })).status, 403);
  strictEqual(await isAsked(browser, email), false);
});

Deno.test("an emailed code skips the second step too", async () => {
  const { email, browser } = await registerTrusting("code@example.com");
  await okay(browser.send("POST", "/auth/code", { email }));
  const code = await mailedCode(app, email);
  strictEqual((await browser.send("POST", "/auth/code/verify", { email, code })).status, 200);
});

Deno.test("a browser trusts for each of its people alone", async () => {
  const { browser, email } = await registerTrusting("first-person@example.com");
  const other = await registerWithTotp(app, "second-person@example.com");
  strictEqual(await isAsked(browser, other.email), true);
  await okay(browser.send("POST", "/auth/second-factor", { code: other.totp.code(), trustDevice: true }));
  strictEqual(await isAsked(browser, other.email), false);
  strictEqual(await isAsked(browser, email), false);
});

/** What ends the trust. Each acts in another browser, or without one. Returns the password, if there is a new one. */
const ENDS: Record<string, (person: Trusting) => Promise<string | void>> = {
  async "a changed password, also if other devices stay logged in"({ client }) {
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, keepOthers: true };
    await okay(client.send("PUT", "/api/account/password", body));
    return NEW_PASSWORD;
  },
  async "a reset password"({ email }) {
    await okay(app.client().send("POST", "/auth/forgot-password", { email }));
    const token = await mailedToken(app, email);
    await okay(app.client().send("POST", "/auth/reset-password", { email, token, password: NEW_PASSWORD }));
    return NEW_PASSWORD;
  },
  async "“not me”"({ client, email }) {
    await okay(client.send("POST", "/api/tokens", { name: "Strange", scopes: ["profile:read"], expiresInDays: 1 }));
    await okay(app.client().send("POST", "/auth/not-me", { token: await mailedToken(app, email) }));
    const token = await mailedToken(app, email);
    await okay(app.client().send("POST", "/auth/reset-password", { email, token, password: NEW_PASSWORD }));
    return NEW_PASSWORD;
  },
  "the removal of the authenticator app": ({ client }) => okay(client.request("/api/totp", { method: "DELETE" })),
  async "another authenticator app"({ client }) {
    await enableTotp(app, client);
  },
  "new recovery codes": ({ client }) => okay(client.request("/api/totp/recovery-codes", { method: "POST" })),
  async "a lost second factor"({ email }) {
    const guest = await startLogin(app, email);
    await okay(guest.submit("/second-factor", { action: "lost" }));
    await okay(app.client().submit("/factor-reset", { token: await mailedToken(app, email) }));
    // Time alone must not end the trust.
    app.advance(72 * HOUR_SECONDS);
    await runDueFactorResets(app.services);
    await runDueFactorResets(app.services);
  },
  "the removal of a passkey": async ({ client }) => {
    const { id } = await addPasskey(client);
    await okay(client.request(`/api/passkeys/${id}`, { method: "DELETE" }));
  },
  async "an admin who removes the second factor"({ id }) {
    const { client } = await registerAdmin(app);
    await okay(client.send("POST", `/api/admin/users/${id}/reset-factors`, { reason: "ticket 7" }));
  },
  async "a suspension"({ id }) {
    const { client } = await registerAdmin(app);
    await okay(client.send("POST", `/api/admin/users/${id}/suspend`, { reason: "ticket 7" }));
    await okay(client.send("POST", `/api/admin/users/${id}/unsuspend`, {}));
  },
  async "the closing of the account"({ client, id }) {
    await okay(client.request("/api/account", { method: "DELETE" }));
    const { client: admin } = await registerAdmin(app);
    await okay(admin.send("POST", `/api/admin/users/${id}/restore`, { reason: "ticket 7" }));
  },
  async "forgetting it"({ client }) {
    const [{ id }] = await devicesOf(client);
    await okay(client.request(`/api/account/devices/${id}`, { method: "DELETE" }));
  },
  async "the end of all access"() {
    await endAllAccess(app.services, { reason: "secrets_revoked", by: COMMAND_LINE });
  },
};

for (const [name, end] of Object.entries(ENDS)) {
  Deno.test(`the trust ends with ${name}`, async () => {
    const person = await registerTrusting(`${name.replaceAll(/\W+/g, "-").toLowerCase()}@example.com`);
    const { email, id, browser, totp } = person;
    strictEqual(await isAsked(browser, email), false, "before");
    // The others are logged in with a recent proof.
    await okay(person.client.send("POST", "/auth/reauthenticate", { code: totp.code() }));
    app.advance(STEP_SECONDS);
    await app.deliverMails();
    const password = await end(person) ?? PASSWORD;
    await protect(app, id);
    strictEqual(await isAsked(withDeviceOf(browser), email, password), true);
    const marks = await db.selectFrom("devices").select("trust_id").where("user_id", "=", id)
      .where("trust_id", "is not", null).execute();
    deepStrictEqual(marks, []);
  });
}

Deno.test("what is no reason to doubt a device leaves the trust", async () => {
  const { client, email, browser, totp } = await registerTrusting("stays@example.com");
  await okay(client.send("POST", "/auth/reauthenticate", { code: totp.code() }));
  await okay(client.send("PUT", "/api/profile", { bio: "First programmer." }));
  await addPasskey(client);
  await okay(client.send("POST", "/api/account/sessions/end-others", {}));
  strictEqual(await isAsked(browser, email), false);
});

Deno.test("a copied cookie and the original do not both keep the trust", async () => {
  const { email, browser } = await registerTrusting("copied@example.com");
  const copy = withDeviceOf(browser);
  strictEqual(await isAsked(browser, email), false);
  strictEqual(await isAsked(copy, email), true, "the owner has logged in since");
  const earlier = withDeviceOf(browser);
  strictEqual(await isAsked(earlier, email), false, "before the owner does");
  strictEqual(await isAsked(browser, email), true, "the owner is asked");
  strictEqual(await isAsked(earlier, email), false);
});

Deno.test("a cookie that was copied before the device was trusted is not trusted", async () => {
  const person = await registerWithTotp(app, "planted@example.com");
  const planted = withDeviceOf(person.client);
  const browser = await trustDevice(app, person, withDeviceOf(person.client));
  strictEqual(await isAsked(planted, person.email), true);
  strictEqual(await isAsked(browser, person.email), false);
});

Deno.test("the cookie of a trusted device is refused in another kind of browser, and stays trusted in its own", async () => {
  const person = await registerWithTotp(app, "other-kind@example.com");
  const agent = (browser: string, system: string) => ({
    "User-Agent": `Mozilla/5.0 (${system}; rv:130.0) Gecko/20100101 ${browser}/130.0`,
  });
  const browser = app.client();
  const logInAs = (headers: Record<string, string>) =>
    browser.send("POST", "/auth/login", { email: person.email, password: PASSWORD }, headers);
  const here = agent("Firefox", "X11; Linux x86_64");
  await logInAs(here);
  await okay(browser.send("POST", "/auth/second-factor", { code: person.totp.code(), trustDevice: true }, here));
  strictEqual((await logInAs(agent("Chrome", "Windows NT 10.0"))).status, 403);
  strictEqual((await logInAs(agent("Firefox", "Windows NT 10.0"))).status, 403);
  strictEqual((await logInAs({ ...here, "User-Agent": here["User-Agent"].replaceAll("130", "141") })).status, 200);
});

Deno.test("people see their trusted devices and forget them, in the API", async () => {
  const { client, browser, id, totp, email } = await registerTrusting("list@example.com");
  const second = await trustDevice(app, { email, totp });
  const devices = await devicesOf(browser);
  deepStrictEqual(devices.map(({ current, device }: Record<string, unknown>) => [current, device]), [
    [false, "Unknown app"],
    [true, "Unknown app"],
  ]);
  const { trustedUntil, id: deviceId } = devices[1];
  const trustedAt = Math.floor(app.services.now().getTime() / 1000) - 2 * STEP_SECONDS;
  strictEqual(trustedUntil, trustedAt + DAYS * DAY_SECONDS);
  const stranger = await registerWithTotp(app, "stranger@example.com");
  const forget = (by: TestClient, device: string) => by.request(`/api/account/devices/${device}`, { method: "DELETE" });
  for (const [by, device] of [[stranger.client, deviceId], [client, crypto.randomUUID()], [client, "x"]] as const) {
    strictEqual((await forget(by, device)).status, 404);
  }
  strictEqual((await forget(app.client(), deviceId)).status, 401);
  strictEqual((await forget(client, deviceId)).status, 204);
  strictEqual((await forget(client, deviceId)).status, 404);
  strictEqual(await isAsked(browser, email), true);
  strictEqual(await isAsked(second, email), false, "the other one is still trusted");
  const events = await db.selectFrom("events").select(["kind", "details"]).where("user_id", "=", id)
    .where("kind", "in", ["device.trusted", "device.forgotten"]).orderBy("id").execute();
  deepStrictEqual(events.map(({ kind }) => kind), ["device.trusted", "device.trusted", "device.forgotten"]);
  const until = new Date(trustedUntil * 1000 + 500).toISOString();
  deepStrictEqual(events[0].details, { device: deviceId, until });
  deepStrictEqual(events[2].details, { device: deviceId });
});

Deno.test("people see their trusted devices and forget them, on the page of sessions", async () => {
  const { client, browser, email } = await registerTrusting("page@example.com");
  const path = "/settings/sessions";
  const page = await readPage(browser.get(path));
  match(page.html, /Trusted devices/);
  page.button("Forget Unknown app");
  const [{ id }] = await devicesOf(browser);
  const response = await client.submit(path, { action: "forget", id });
  strictEqual(response.headers.get("Location"), path);
  match(await (await client.get(path)).text(), /Device forgotten\. The next login there asks for the second step\./);
  const again = await client.submit(path, { action: "forget", id });
  match(await again.text(), /That device is no longer trusted\./);
  strictEqual(await isAsked(browser, email), true);
  ok(!(await (await client.get(path)).text()).includes("Trusted devices"));
});

Deno.test("a forgotten device is a new one, and the alert says that it is trusted again", async () => {
  const { client, browser, email, totp } = await registerTrusting("alerted@example.com");
  await app.deliverMails();
  app.mails.length = 0;
  const [{ id }] = await devicesOf(browser);
  await okay(client.request(`/api/account/devices/${id}`, { method: "DELETE" }));
  const there = withDeviceOf(browser);
  await startLogin(app, email, there);
  await okay(there.send("POST", "/auth/second-factor", { code: totp.code(), trustDevice: true }));
  const [alert, ...others] = await mailsTo(app, email);
  strictEqual(others.length, 0);
  match(alert.subject, /New login to your/);
  match(alert.text, /Trusted until: .* UTC/);
  app.mails.length = 0;
  app.advance(STEP_SECONDS);
  const plain = await startLogin(app, email);
  await okay(plain.send("POST", "/auth/second-factor", { code: totp.code() }));
  const [other] = await mailsTo(app, email);
  ok(!other.text.includes("Trusted until"));
});

Deno.test("of forgetting a device and a login there at once, nothing stays trusted", async () => {
  const { client, browser, email, totp, id } = await registerTrusting("race@example.com");
  for (let round = 0; round < 8; round++) {
    const devices: { id: string }[] = await devicesOf(client);
    const forgets = devices.map((device) => client.request(`/api/account/devices/${device.id}`, { method: "DELETE" }));
    const [login, ...forgotten] = await Promise.all([logIn(browser, email), ...forgets]);
    ok([200, 403].includes(login.status), String(login.status));
    deepStrictEqual(forgotten.map(({ status }) => status), [204]);
    strictEqual(await isAsked(browser, email), true, `round ${round}`);
    await trustDevice(app, { email, totp }, browser);
  }
  const rows = await db.selectFrom("devices").select("trust_id").where("user_id", "=", id)
    .where("trust_id", "is not", null).execute();
  strictEqual(rows.length, 1);
});

Deno.test("of ten logins of one trusted device at once, exactly one skips the second step", async () => {
  const { browser, email } = await registerTrusting("at-once@example.com");
  const copies = Array.from({ length: 10 }, () => withDeviceOf(browser));
  const statuses = await Promise.all(copies.map(async (copy) => (await logIn(copy, email)).status));
  deepStrictEqual(statuses.sort(), [200, ...Array(9).fill(403)]);
});

Deno.test("the export of an account has its trusted devices", async () => {
  const { browser } = await registerTrusting("export@example.com");
  const { devices } = await (await browser.get("/api/account/export")).json();
  const marked = devices.filter(({ trustedUntil }: { trustedUntil: number | null }) => trustedUntil !== null);
  strictEqual(marked.length, 1);
  strictEqual(marked[0].trustedUntil - marked[0].trustedAt, DAYS * DAY_SECONDS);
  strictEqual(typeof marked[0].device, "string");
});
