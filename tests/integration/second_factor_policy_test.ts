import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { isSessionWaiting } from "../../lib/access/second_factor_duty.ts";
import { resetFactors } from "../../lib/admin/factors.ts";
import { DAY_SECONDS, secondsAfter } from "../../lib/duration.ts";
import { runDueFactorResets } from "../../lib/sign_in/second_factor/factor_reset.ts";
import {
  logIn,
  mailedCode,
  mailedToken,
  PASSWORD,
  type Registered,
  registerVerifiedUser,
  registerWithoutPassword,
} from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import {
  client,
  connect,
  errorOf,
  exchange,
  giveCode,
  NOTES,
  openAuthorizationApp,
  refresh,
  tokensIn,
} from "../support/app/authorization.ts";
import { html } from "../support/app/page_forms.ts";
import { readPage } from "../support/app/page_reader.ts";
import { addPasskey, requestOptions } from "../support/app/passkeys.ts";
import {
  DEMANDED,
  demandSecondFactor,
  enableTotp,
  joinGroup,
  makeOverdue,
  startLogin,
} from "../support/app/second_factor.ts";
import { openTestApp, openTestInstanceWith } from "../support/app/test_app.ts";
import { problemOf, statusAndCode, type TestClient } from "../support/app/test_client.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { signIn } from "../support/providers/idp.ts";

const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const app = await openAuthorizationApp({
  ...provider.env,
  ...DEMANDED,
  SIGN_IN_CODES: "true",
  LOGIN_MAX_ATTEMPTS: "0",
  TOKEN_AUDIENCES: NOTES,
}, [client("vault", { require_second_factor: true, first_party: true, groups: ["keepers"] })]);
const { db } = app.services;
const REQUIRED = "/settings/sign-in-methods/required";
const WAITS = [403, "SECOND_FACTOR_SETUP_REQUIRED"];
const AUTHORIZE = "/oauth/authorize?client_id=portal&response_type=code&scope=openid" +
  "&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&code_challenge_method=S256&code_challenge=" + "c".repeat(43);
/** What a browser sends for an address that someone has typed. */
const NAVIGATION = { "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };

/** Registers someone who must have a second factor, and has had time to set it up. */
async function overdue(email: string): Promise<Registered> {
  const registered = await registerVerifiedUser(app, email);
  await makeOverdue(app, registered.id);
  return registered;
}

async function dueAt(id: string): Promise<Date | null> {
  const row = await db.selectFrom("users").select("second_factor_due_at").where("id", "=", id)
    .executeTakeFirstOrThrow();
  return row.second_factor_due_at;
}

function profileOf(browser: TestClient): Promise<Response> {
  return browser.get("/api/profile");
}

/** Proves with an emailed code who the person is. */
async function proveWithCode({ client, email }: Registered): Promise<Response> {
  strictEqual((await client.request("/auth/reauthenticate/code", { method: "POST" })).status, 200);
  return await client.send("POST", "/auth/reauthenticate", { code: await mailedCode(app, email) });
}

async function logInWithCode(email: string, client = app.client()): Promise<TestClient> {
  await app.client().send("POST", "/auth/code", { email });
  const response = await client.send("POST", "/auth/code/verify", { email, code: await mailedCode(app, email) });
  strictEqual(response.status, 200, await response.text());
  return client;
}

function startTotp(client: TestClient): Promise<Response> {
  return client.request("/api/totp", { method: "POST" });
}

function locationOf(response: Response): string | null {
  ok(response.status === 302 || response.status === 303, String(response.status));
  return response.headers.get("Location");
}

Deno.test("the first request of a session starts the time that people have", async () => {
  const { client, id } = await registerVerifiedUser(app, "first@example.com");
  await demandSecondFactor(app, id);
  strictEqual(await dueAt(id), null);
  app.advance(DAY_SECONDS);
  strictEqual((await profileOf(client)).status, 200);
  const due = secondsAfter(app.services.now(), 7 * DAY_SECONDS);
  deepStrictEqual(await dueAt(id), due);
  app.advance(DAY_SECONDS);
  strictEqual((await profileOf(client)).status, 200);
  deepStrictEqual(await dueAt(id), due, "later requests do not move the date");
  app.advance(3 * DAY_SECONDS);
  strictEqual((await profileOf(client)).status, 200, "which extends the session");
  app.advance(3 * DAY_SECONDS - 1);
  strictEqual((await profileOf(client)).status, 200);
  app.advance(1);
  deepStrictEqual(await statusAndCode(await profileOf(client)), WAITS);
});

Deno.test("a shorter time brings the date nearer, and a longer one does not move it away", async () => {
  const { id } = await registerVerifiedUser(app, "shorter@example.com");
  await demandSecondFactor(app, id);
  const user = { id, role: "user" as const };
  const under = (days: number) => {
    const config = { ...app.services.config, secondFactorGraceSeconds: days * DAY_SECONDS };
    return isSessionWaiting({ ...app.services, config }, user);
  };
  const inDays = (days: number) => secondsAfter(app.services.now(), days * DAY_SECONDS);
  for (const [days, expected, isWaiting] of [[7, 7, false], [90, 7, false], [3, 3, false], [7, 3, false]] as const) {
    strictEqual(await under(days), isWaiting);
    deepStrictEqual(await dueAt(id), inDays(expected), `${days} days`);
  }
  strictEqual(await under(0), true);
  strictEqual(await under(90), true);
});

Deno.test("people whom the setting does not name have no date", async () => {
  const { client, id } = await registerVerifiedUser(app, "free@example.com");
  strictEqual((await profileOf(client)).status, 200);
  strictEqual(await dueAt(id), null);
});

for (
  const [setting, role, isReached] of [
    ["admins", "user", false],
    ["admins", "admin", true],
    ["everyone", "user", true],
    ["admins everyone", "user", true],
    ["optional", "admin", false],
  ] as const
) {
  Deno.test(`SECOND_FACTOR=${setting} ${isReached ? "reaches" : "does not reach"} someone with the role ${role}`, async () => {
    await using strict = await openTestApp({ SECOND_FACTOR: setting, SECOND_FACTOR_GRACE_DAYS: "0" });
    const { client, id } = await registerVerifiedUser(strict, "role@example.com");
    await strict.services.db.updateTable("users").set({ role }).where("id", "=", id).execute();
    strictEqual((await profileOf(client)).status, isReached ? 403 : 200);
  });
}

Deno.test("a session opened with the password needs an emailed code to set up a factor", async () => {
  const person = await overdue("thief@example.com");
  const { client, email } = person;
  strictEqual((await logIn(client, email)).status, 200, "which counts as a proof everywhere else");
  const asked = [403, "REAUTHENTICATION_REQUIRED", { methods: ["code"] }];
  deepStrictEqual(await problemOf(await startTotp(client)), asked);
  deepStrictEqual(await problemOf(await client.request("/api/passkeys/options", { method: "POST" })), asked);
  const again = await client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  deepStrictEqual(await problemOf(again), asked, "the password again is no other proof");
  strictEqual((await proveWithCode(person)).status, 200);
  deepStrictEqual(await statusAndCode(await profileOf(client)), WAITS, "a proof alone opens nothing");
  await enableTotp(app, client);
  strictEqual((await profileOf(client)).status, 200);
  strictEqual((await profileOf(await startLogin(app, email))).status, 401, "the next login asks for it");
});

Deno.test("the first factor ends the other sessions, which a thief of the password may hold", async () => {
  for (const isOverdue of [true, false]) {
    const person = await registerVerifiedUser(app, `owner-${isOverdue}@example.com`);
    await (isOverdue ? makeOverdue : demandSecondFactor)(app, person.id);
    const thief = app.client();
    strictEqual((await logIn(thief, person.email)).status, 200);
    await logIn(person.client, person.email);
    await proveWithCode(person);
    if (isOverdue) await enableTotp(app, person.client);
    else await addPasskey(person.client);
    strictEqual((await profileOf(thief)).status, 401);
    strictEqual((await profileOf(person.client)).status, 200);
  }
});

Deno.test("someone with a password can prove with it, or reset it, where no one gets a new one", async () => {
  const person = await overdue("keeps@example.com");
  await using existing = await openTestInstanceWith(app, { passwords: "existing" });
  const browser = await logInWithCode(person.email, existing.client());
  const page = await readPage(browser.get(REQUIRED));
  strictEqual(page.link("Set up an authenticator app").href, "/settings/sign-in-methods/authenticator");
  const proof = await readPage(browser.get("/reauthenticate?next=%2Fsettings%2Fsign-in-methods%2Fauthenticator"));
  match(proof.link("Forgot your password?").href ?? "", /^\/forgot-password\?email=keeps%40example\.com&/);
});

Deno.test("a proof that was another one counts no longer than any", async () => {
  const person = await overdue("slow@example.com");
  await logIn(person.client, person.email);
  await proveWithCode(person);
  app.advance(app.services.config.sudoSeconds + 1);
  deepStrictEqual(await statusAndCode(await startTotp(person.client)), [403, "REAUTHENTICATION_REQUIRED"]);
});

Deno.test("a passkey fulfils it", async () => {
  const person = await overdue("key@example.com");
  await logIn(person.client, person.email);
  await proveWithCode(person);
  await addPasskey(person.client);
  strictEqual((await profileOf(person.client)).status, 200);
});

Deno.test("a session opened with an emailed code needs the password", async () => {
  const { email } = await overdue("mailbox@example.com");
  const client = await logInWithCode(email);
  const asked = [403, "REAUTHENTICATION_REQUIRED", { methods: ["password"] }];
  deepStrictEqual(await problemOf(await startTotp(client)), asked);
  deepStrictEqual(await problemOf(await client.request("/auth/reauthenticate/code", { method: "POST" })), asked);
  strictEqual((await client.send("POST", "/auth/reauthenticate", { password: PASSWORD })).status, 200);
  await enableTotp(app, client);
  strictEqual((await profileOf(client)).status, 200);
});

Deno.test("someone without a password logs in with the provider too", async () => {
  const person = { sub: "grace", email: "grace@example.com", email_verified: true, name: "Grace" };
  await signIn(app, provider, person, app.client());
  const { id } = await db.selectFrom("users").select("id").where("email", "=", person.email).executeTakeFirstOrThrow();
  await makeOverdue(app, id);
  const client = await logInWithCode(person.email);
  deepStrictEqual(await problemOf(await startTotp(client)), [403, "REAUTHENTICATION_REQUIRED", { methods: [] }]);
  strictEqual(
    locationOf(await client.get("/settings/sign-in-methods/authenticator")),
    "/reauthenticate?" +
      new URLSearchParams({ next: "/settings/sign-in-methods/authenticator" }),
  );
  const asked = await client.get(`/reauthenticate?${new URLSearchParams({ next: "/profile" })}`);
  strictEqual(locationOf(asked), `${REQUIRED}?${new URLSearchParams({ next: "/profile" })}`);
  const { html, links } = await readPage(client.get(REQUIRED));
  for (const way of ["/auth/idp?next=", "/forgot-password?email=grace"]) {
    ok(links.some(({ href }) => href!.startsWith(way)), way);
  }
  ok(!html.includes("/authenticator"));
  await signIn(app, provider, person, client);
  await enableTotp(app, client);
  strictEqual((await profileOf(client)).status, 200);
});

Deno.test("where passwords are off, a code is enough only for those who have nothing but the mailbox", async () => {
  await using off = await openTestInstanceWith(app, { passwords: "off" });
  const linked = { sub: "off", email: "off@example.com", email_verified: true, name: "Grace" };
  await signIn(app, provider, linked, app.client());
  const mailbox = await registerWithoutPassword(app, "off-mailbox@example.com");
  for (const [email, status] of [[linked.email, 403], [mailbox.email, 200]] as const) {
    const { id } = await db.selectFrom("users").select("id").where("email", "=", email).executeTakeFirstOrThrow();
    await makeOverdue(app, id);
    const client = await logInWithCode(email, off.client());
    strictEqual((await startTotp(client)).status, status, email);
  }
});

Deno.test("someone with the mailbox alone chooses a password, and still needs a code after it", async () => {
  const { email, id } = await registerWithoutPassword(app, "only-mail@example.com");
  await makeOverdue(app, id);
  const client = await logInWithCode(email);
  await app.deliverMails(); // the alert of the new browser has a link too
  await client.send("POST", "/auth/forgot-password", { email });
  const token = await mailedToken(app, email);
  strictEqual((await client.send("POST", "/auth/reset-password", { email, token, password: PASSWORD })).status, 200);
  strictEqual((await logIn(client, email)).status, 200);
  deepStrictEqual(await statusAndCode(await startTotp(client)), [403, "REAUTHENTICATION_REQUIRED"]);
  strictEqual((await proveWithCode({ client, email, id })).status, 200);
  await enableTotp(app, client);
});

Deno.test("someone who has logged in with the password can use the provider instead of the code", async () => {
  const { client, email } = await overdue("lin@example.com");
  await logIn(client, email);
  ok(!(await html(client, REQUIRED)).includes("/auth/idp"), "which is not linked");
  const person = { sub: "lin", email, email_verified: true, name: "Lin" };
  await signIn(app, provider, person, client);
  await app.client().get("/login");
  const again = app.client();
  strictEqual((await logIn(again, email)).status, 200);
  const page = await readPage(again.get(`${REQUIRED}?next=%2Fprofile`));
  match(page.text, /You can also do that here:/);
  ok(page.leadsTo("/auth/idp?next=%2Fsettings%2Fsign-in-methods%2Frequired%3Fnext%3D%252Fprofile"));
  ok(page.leadsTo("/settings/sign-in-methods/authenticator?next=%2Fprofile"));
  await signIn(app, provider, person, again);
  ok(!(await html(again, REQUIRED)).includes("/auth/idp"), "they have proved it");
  await enableTotp(app, again);
});

Deno.test("before the date, and for an app, a stolen password sets up nothing and leads to no other way in", async () => {
  const vault = AUTHORIZE.replace("portal", "vault");
  for (const isPolicy of [true, false]) {
    const person = await registerVerifiedUser(app, `early-${isPolicy}@example.com`);
    const { client, email } = person;
    if (isPolicy) await demandSecondFactor(app, person.id);
    else {
      await joinGroup(app, person.id, "keepers");
      ok(locationOf(await client.get(vault, NAVIGATION))!.startsWith(REQUIRED));
    }
    strictEqual((await logIn(client, email)).status, 200);
    const asked = [403, "REAUTHENTICATION_REQUIRED", { methods: ["code"] }];
    for (
      const send of [
        () => startTotp(client),
        () => client.request("/api/passkeys/options", { method: "POST" }),
        () => client.send("POST", "/api/account/email", { email: "thief@example.org" }),
      ]
    ) deepStrictEqual(await problemOf(await send()), asked, `${isPolicy} ${send}`);
    strictEqual((await client.send("POST", "/auth/reauthenticate", { password: PASSWORD })).status, 200);
    deepStrictEqual(await problemOf(await startTotp(client)), asked, "the password again is no other proof");
    await createToken(client);
    const page = "/settings/sign-in-methods/authenticator";
    const ask = locationOf(await client.get(page))!;
    strictEqual(ask, `/reauthenticate?${new URLSearchParams({ next: page })}`);
    ok((await readPage(client.get(ask))).buttons.some(({ value }) => value === "send"));
    strictEqual((await client.submit(ask, { action: "prove", proof_password: PASSWORD })).status, 403);
    strictEqual(
      (await client.submit("/settings/email", { email: "thief@example.org", proof_password: PASSWORD })).status,
      403,
    );
    strictEqual((await profileOf(client)).status, 200, "everything else goes on");
    strictEqual((await proveWithCode(person)).status, 200);
    const thief = app.client();
    strictEqual((await logIn(thief, email)).status, 200);
    await enableTotp(app, client);
    strictEqual((await profileOf(thief)).status, 401, "the first factor ends other sessions");
    app.advance(app.services.config.sudoSeconds + 1);
    strictEqual((await client.send("POST", "/auth/reauthenticate", { password: PASSWORD })).status, 200, "as for all");
  }
});

Deno.test("before the date, someone with the mailbox alone acts as before, and with a password proves that", async () => {
  const { email, id } = await registerWithoutPassword(app, "mailbox-early@example.com");
  await demandSecondFactor(app, id);
  const client = await logInWithCode(email);
  strictEqual((await startTotp(client)).status, 200);
  const known = await registerVerifiedUser(app, "mailbox-known@example.com");
  await demandSecondFactor(app, known.id);
  const browser = await logInWithCode(known.email);
  deepStrictEqual(await problemOf(await startTotp(browser)), [403, "REAUTHENTICATION_REQUIRED", {
    methods: ["password"],
  }]);
});

Deno.test("someone whose address is not confirmed corrects it with the password", async () => {
  const client = app.client();
  const email = "mistyped@example.com";
  const registered = await client.send("POST", "/auth/register", { name: "Mia", email, password: PASSWORD });
  await demandSecondFactor(app, (await registered.json()).user.id);
  const response = await client.send("POST", "/api/account/email", { email: "typed@example.com" });
  strictEqual(response.status, 200, await response.text());
});

Deno.test("an app demands nothing of those who may not use it", async () => {
  const [closed, open] = [client("closed", { require_second_factor: true, groups: ["staff"] }), client("open")];
  await using strict = await openAuthorizationApp({}, [closed, open]);
  const person = await registerVerifiedUser(strict, "outside@example.com");
  strictEqual((await startTotp(person.client)).status, 200);
  await joinGroup(strict, person.id, "staff");
  deepStrictEqual(await statusAndCode(await startTotp(person.client)), [403, "REAUTHENTICATION_REQUIRED"]);
});

Deno.test("the first admin, to whom no email has come yet, does not wait and sets one up with the password", async () => {
  await using strict = await openTestApp({ SECOND_FACTOR: "admins", SECOND_FACTOR_GRACE_DAYS: "0" });
  const { services } = strict;
  const { client, id } = await registerVerifiedUser(strict, "first-admin@example.com");
  await services.db.updateTable("users").set({ role: "admin" }).where("id", "=", id).execute();
  const assume = (userId: string | null) =>
    services.db.updateTable("first_admin").set({ assumed_user_id: userId }).execute();
  await assume(id);
  for (let n = 0; n < 2; n++) strictEqual((await profileOf(client)).status, 200, "also when the date is stored");
  strictEqual((await startTotp(client)).status, 200);
  await assume(null);
  deepStrictEqual(await statusAndCode(await profileOf(client)), WAITS);
  deepStrictEqual(await statusAndCode(await startTotp(client)), [403, "REAUTHENTICATION_REQUIRED"]);
});

Deno.test("logging in twice with the password is one proof", async () => {
  const { client, email } = await overdue("twice@example.com");
  await logIn(client, email);
  await logIn(client, email);
  deepStrictEqual(await statusAndCode(await startTotp(client)), [403, "REAUTHENTICATION_REQUIRED"]);
});

Deno.test("a passkey is the second step of those who must have one, after a right password only", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "demanded@example.com");
  const { authenticator } = await addPasskey(client);
  const guest = app.client();
  strictEqual((await logIn(guest, email)).status, 200, "before the setting reaches them");
  await demandSecondFactor(app, id);
  const response = await logIn(guest, email);
  deepStrictEqual(await problemOf(response), [403, "SECOND_FACTOR_REQUIRED", { methods: ["passkey"] }]);
  const stranger = await registerVerifiedUser(app, "stranger@example.com");
  const { authenticator: another } = await addPasskey(stranger.client);
  const step = async (of: typeof authenticator) =>
    await guest.send("POST", "/auth/second-factor", { credential: await of.get(await requestOptions(guest)) });
  deepStrictEqual(await statusAndCode(await step(another)), [403, "PROOF_WRONG"], "the passkey of someone else");
  for (const body of [{}, { code: "123456", credential: await authenticator.get(await requestOptions(guest)) }]) {
    strictEqual((await guest.send("POST", "/auth/second-factor", body)).status, 400);
  }
  strictEqual((await step(authenticator)).status, 200);
  strictEqual((await profileOf(guest)).status, 200);
  const { second_factor, method } = await db.selectFrom("sessions").select(["second_factor", "method"])
    .where("user_id", "=", id).where("second_factor", "is not", null).executeTakeFirstOrThrow();
  deepStrictEqual([method, second_factor], ["password", "passkey"], "which makes it two factors for apps");
});

Deno.test("the page of the second step takes a passkey", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "page-step@example.com");
  const { authenticator } = await addPasskey(client);
  await demandSecondFactor(app, id);
  const guest = app.client();
  const step = locationOf(await guest.submit("/login?next=%2Fprofile", { email, password: PASSWORD }))!;
  strictEqual(step, "/second-factor?next=%2Fprofile");
  const page = await readPage(guest.get(step));
  strictEqual(page.heading, "Use your passkey");
  deepStrictEqual(page.fieldNames, []);
  const credential = JSON.stringify(await authenticator.get(await requestOptions(guest)));
  strictEqual(locationOf(await guest.submit(step, { action: "passkey", credential })), "/profile");
});

Deno.test("with an app and a passkey, either is the second step", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "either@example.com");
  const { authenticator } = await addPasskey(client);
  const totp = await enableTotp(app, client);
  const guest = await startLogin(app, email);
  const credential = await authenticator.get(await requestOptions(guest));
  const early = await guest.send("POST", "/auth/second-factor", { credential });
  deepStrictEqual(await statusAndCode(early), [403, "PROOF_WRONG"], "not before it is demanded");
  await demandSecondFactor(app, id);
  const { details } = await (await logIn(guest, email)).json();
  deepStrictEqual(details, { methods: ["totp", "recovery_code", "passkey"] });
  const page = await readPage(guest.get("/second-factor"));
  ok(page.formWith(["credential"]));
  ok(page.formWith(["code"]));
  strictEqual((await guest.send("POST", "/auth/second-factor", { code: totp.code() })).status, 200);
});

Deno.test("the last second factor cannot be removed while one is required", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "last@example.com");
  const { id: passkey } = await addPasskey(client);
  await enableTotp(app, client);
  await demandSecondFactor(app, id);
  const remove = (path: string) => client.request(path, { method: "DELETE" });
  strictEqual((await remove(`/api/passkeys/${passkey}`)).status, 204);
  deepStrictEqual(await statusAndCode(await remove("/api/totp")), [409, "LAST_SECOND_FACTOR"]);
  deepStrictEqual(
    await statusAndCode(await logIn(app.client(), email)),
    [403, "SECOND_FACTOR_REQUIRED"],
    "it is there",
  );
  const { id: other } = await addPasskey(client);
  strictEqual((await remove("/api/totp")).status, 204);
  deepStrictEqual(await statusAndCode(await remove(`/api/passkeys/${other}`)), [409, "LAST_SECOND_FACTOR"]);
  const page = await client.submit(`/settings/sign-in-methods/passkeys/${other}/remove`, {});
  deepStrictEqual([page.status, (await page.text()).includes("must have a second factor")], [409, true]);
});

Deno.test("a passkey that is demanded and lost is removed after the wait", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "lost-key@example.com");
  await addPasskey(client);
  await app.deliverMails(); // the alert has a link too
  await demandSecondFactor(app, id);
  const guest = await startLogin(app, email);
  match(await html(guest, "/second-factor"), /Lost your passkey\?/);
  strictEqual(locationOf(await guest.submit("/second-factor", { action: "lost" })), "/second-factor");
  const token = await mailedToken(app, email);
  strictEqual(locationOf(await app.client().submit("/factor-reset", { token })), "/login");
  for (let days = 0; days < 3; days++) {
    await startLogin(app, email);
    app.advance(DAY_SECONDS);
    await runDueFactorResets(app.services);
  }
  const { details } = await db.selectFrom("events").select("details").where("user_id", "=", id)
    .where("kind", "=", "passkey.removed").executeTakeFirstOrThrow();
  deepStrictEqual(details, { name: "My phone", reason: "factor_reset" });
  strictEqual((await logIn(app.client(), email)).status, 200);
});

Deno.test("an admin removes passkeys only where they are demanded", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "helped@example.com");
  await addPasskey(client);
  const reset = () =>
    resetFactors(app.services, { who: id, reason: "lost the phone", by: { actorId: null, client: null } });
  strictEqual(await reset(), false);
  await demandSecondFactor(app, id);
  await startLogin(app, email);
  strictEqual(await reset(), true);
  strictEqual((await logIn(client, email)).status, 200);
  const { data } = await (await client.get("/api/account/events")).json();
  const event = data.find(({ kind }: { kind: string }) => kind === "passkey.removed");
  deepStrictEqual(event.details, { name: "My phone", reason: "admin" });
});

Deno.test("programs of someone who must set up a factor are refused, and go on afterward", async () => {
  const person = await registerVerifiedUser(app, "programs@example.com");
  const { client, id } = person;
  const { headers } = await createToken(client);
  const phone = await connect(app, client, "phone", { scopes: ["openid", "profile:read", "offline_access"] });
  const given = await giveCode(app, client, "wiki");
  const asApp = { Authorization: `Bearer ${phone.access_token}` };
  const guest = app.client();
  strictEqual((await guest.get("/oauth/userinfo", asApp)).status, 200);
  await makeOverdue(app, id);
  deepStrictEqual(await statusAndCode(await guest.get("/api/profile", headers)), WAITS);
  deepStrictEqual(await errorOf(await refresh(app, "phone", phone.refresh_token)), [400, "invalid_grant"]);
  deepStrictEqual(await errorOf(await exchange(app, given)), [400, "invalid_grant"]);
  strictEqual((await guest.get("/oauth/userinfo", asApp)).status, 401);
  strictEqual((await guest.get("/api/profile", asApp)).status, 401);
  strictEqual((await client.send("POST", "/auth/token", { audience: NOTES })).status, 403);
  await logIn(client, person.email);
  await proveWithCode(person);
  await enableTotp(app, client);
  strictEqual((await guest.get("/api/profile", headers)).status, 200);
  strictEqual((await guest.get("/oauth/userinfo", asApp)).status, 200);
  await tokensIn(refresh(app, "phone", phone.refresh_token));
});

Deno.test("an API token of an admin without the scope of admins is refused as well", async () => {
  await using strict = await openTestApp({ SECOND_FACTOR: "admins", SECOND_FACTOR_GRACE_DAYS: "0" });
  const { client, id } = await registerVerifiedUser(strict, "admin@example.com");
  const { headers } = await createToken(client);
  await strict.services.db.updateTable("users").set({ role: "admin" }).where("id", "=", id).execute();
  deepStrictEqual(await statusAndCode(await client.get("/api/profile")), WAITS, "which stores the date");
  deepStrictEqual(await statusAndCode(await strict.client().get("/api/profile", headers)), WAITS);
});

Deno.test("an app leads to the page, and learns without a page that one is needed", async () => {
  const { client } = await overdue("authorizes@example.com");
  const to = locationOf(await client.get(AUTHORIZE, NAVIGATION))!;
  ok(to.startsWith(`${REQUIRED}?next=%2Foauth%2Fauthorize%3F`), to);
  const silent = locationOf(await client.get(`${AUTHORIZE}&prompt=none`, NAVIGATION))!;
  strictEqual(new URL(silent).searchParams.get("error"), "interaction_required");
});

Deno.test("an app that requires a second factor gets no code without one, whatever SECOND_FACTOR says", async () => {
  const { client: person, email, id } = await registerVerifiedUser(app, "vault@example.com");
  await joinGroup(app, id, "keepers");
  const vault = AUTHORIZE.replace("portal", "vault");
  const silent = async (guest: TestClient) =>
    new URL(locationOf(await guest.get(`${vault}&prompt=none`, NAVIGATION))!).searchParams.get("error");
  const setUp = locationOf(await person.get(vault, NAVIGATION))!;
  ok(setUp.startsWith(`${REQUIRED}?next=%2Foauth%2Fauthorize%3F`), setUp);
  strictEqual(await silent(person), "interaction_required");
  const page = await html(person, setUp);
  match(page, /\/settings\/sign-in-methods\/authenticator\?next=%2Foauth/);
  ok(!page.includes("Later"));
  strictEqual((await profileOf(person)).status, 200, "everything else goes on");
  const early = await connect(app, person, "portal");
  await proveWithCode({ client: person, email, id });
  const totp = await enableTotp(app, person);
  ok(locationOf(await person.get(setUp))!.startsWith("/oauth/authorize"));
  ok(locationOf(await person.get(vault, NAVIGATION))!.startsWith("/reauthenticate?second=true&next="));
  strictEqual(await silent(person), "login_required");
  const guest = await startLogin(app, email);
  strictEqual((await guest.send("POST", "/auth/second-factor", { code: totp.code() })).status, 200);
  const answer = new URL(locationOf(await guest.get(vault, NAVIGATION))!);
  deepStrictEqual([answer.origin, answer.searchParams.has("code")], ["https://app.example", true]);
  const { refresh_token } = await connect(app, guest, "vault");
  const portal = app.services.config.registrations!.clients.get("portal")!;
  portal.requiresSecondFactor = true; // as a later start may read it
  deepStrictEqual(await errorOf(await refresh(app, "portal", early.refresh_token)), [400, "invalid_grant"]);
  portal.requiresSecondFactor = false;
  await tokensIn(refresh(app, "vault", refresh_token));
});

Deno.test("a proxy learns nothing, and leads navigations to the page", async () => {
  const { client } = await overdue("proxied@example.com");
  const refused = await client.get("/auth/check");
  deepStrictEqual([refused.status, refused.headers.get("x-foyer-user-id")], [401, null]);
  const led = locationOf(await client.get("/auth/check?login=redirect"))!;
  strictEqual(led, `${app.services.config.baseUrl}${REQUIRED}`);
});

Deno.test("a login leads once to the page, which can be left until the date", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "later@example.com");
  await demandSecondFactor(app, id);
  const guest = app.client();
  const page = locationOf(await guest.submit("/login?next=%2Fprofile", { email, password: PASSWORD }))!;
  strictEqual(page, `${REQUIRED}?next=%2Fprofile`);
  const led = await readPage(guest.get(page));
  strictEqual(led.link("Later").href, "/profile");
  match(led.text, /Set one up by .*UTC/);
  ok(led.leadsTo("/settings/sign-in-methods/authenticator?next=%2Fprofile"));
  strictEqual((await guest.get("/profile")).status, 200);
  strictEqual((await client.get("/profile")).status, 200);
});

Deno.test("after the date, pages lead there, and neither a link nor a form is lost", async () => {
  const person = await overdue("led@example.com");
  const { client, email } = person;
  strictEqual(locationOf(await client.get("/settings/email?x=1")), `${REQUIRED}?next=%2Fsettings%2Femail%3Fx%3D1`);
  strictEqual(locationOf(await client.submit("/settings/language", { language: "en" })), REQUIRED);
  strictEqual(locationOf(await client.submit("/close-account", { userId: person.id })), REQUIRED);
  strictEqual(locationOf(await client.get("/login")), `${REQUIRED}?next=%2Flogin`);
  const led = await readPage(client.get(`${REQUIRED}?next=%2Fprofile`));
  ok(!led.text.includes("Later"));
  ok(led.find('main form[action="/logout"]'));
  await logIn(client, email);
  const page = "/settings/sign-in-methods/authenticator?next=%2Fprofile";
  strictEqual(locationOf(await client.get(page)), `/reauthenticate?${new URLSearchParams({ next: page })}`);
  await client.submit("/reauthenticate", { action: "send" });
  const proved = await client.submit(`/reauthenticate?${new URLSearchParams({ next: page })}`, {
    proof_code: await mailedCode(app, email),
  });
  strictEqual(locationOf(proved), page);
  const confirm = locationOf(await client.submit(page, {}))!;
  strictEqual(confirm, "/settings/sign-in-methods/authenticator/confirm?next=%2Fprofile");
  strictEqual((await client.get(confirm)).status, 200);
  await enableTotp(app, client);
  strictEqual(locationOf(await client.get(`${REQUIRED}?next=%2Fprofile`)), "/profile");
});

Deno.test("someone whose account is closing keeps it first", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "closing@example.com");
  strictEqual((await client.request("/api/account", { method: "DELETE" })).status, 202);
  await makeOverdue(app, id);
  await logIn(client, email);
  deepStrictEqual(await statusAndCode(await client.get("/api/account/export")), WAITS, "the export needs the factor");
  strictEqual(locationOf(await client.get("/dashboard")), `${REQUIRED}?next=%2Fdashboard`);
  ok(locationOf(await client.get(REQUIRED))!.startsWith("/keep-account"));
  strictEqual((await client.get("/keep-account")).status, 200);
  strictEqual((await client.request("/api/account/restore", { method: "POST" })).status, 200);
  deepStrictEqual(await statusAndCode(await profileOf(client)), WAITS);
});
