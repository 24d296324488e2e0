import { deepStrictEqual, match, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { logOut } from "../../lib/access/session.ts";
import { HOUR_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { changePassword } from "../../lib/sign_in/password_change.ts";
import {
  isLoggedIn,
  logIn,
  mailedCode,
  mailedToken,
  PASSWORD,
  principalOf,
  registerVerifiedUser,
  registerWithoutPassword,
} from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { openSharedTestApp, openTestApp, openTestInstance } from "../support/app/test_app.ts";
import { problemOf, type TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;
const other = await openTestInstance(app);
Deno.test.afterAll(() => other[Symbol.asyncDispose]());
/** A new client of one of two instances, in turns. */
const either = (turn: number) => [app, other][turn % 2].client();
const PATH = "/api/account/password";
const PAGE = "/settings/password";
const NEW_PASSWORD = "Battery-staple-8";
const CHANGE = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };

const change = (client: TestClient, body: object = CHANGE) => client.send("PUT", PATH, body);

/** Registers a user who is logged in with two clients. */
async function registerTwice(email: string) {
  const registered = await registerVerifiedUser(app, email);
  const other = app.client();
  strictEqual((await logIn(other, email)).status, 200);
  return { ...registered, other };
}

async function eventsOf(userId: string): Promise<unknown[]> {
  const rows = await db.selectFrom("events").select(["kind", "details", "session_public_id"])
    .where("user_id", "=", userId).orderBy("id").execute();
  return rows.map(({ kind, details: { reason }, session_public_id: session }) => ({ kind, reason, session }));
}

Deno.test("a change replaces the password, ends the other sessions and is recorded", async () => {
  const { client, id, email, other } = await registerTwice("changing@example.com");
  const own = (await principalOf(app, client)).session.id;
  const ended = (await principalOf(app, other)).session.id;
  const response = await change(client);
  deepStrictEqual([response.status, await response.json()], [200, { success: true, message: "Password changed" }]);
  ok(await isLoggedIn(client));
  ok(!await isLoggedIn(other));
  strictEqual((await logIn(app.client(), email)).status, 401);
  deepStrictEqual((await eventsOf(id)).slice(-3, -1), [
    { kind: "password.changed", reason: undefined, session: own },
    { kind: "session.ended", reason: "password_changed", session: ended },
  ]);
  strictEqual((await logIn(app.client(), email, NEW_PASSWORD)).status, 200);
});

Deno.test("with keepOthers the other sessions stay", async () => {
  const { client, other } = await registerTwice("keeping@example.com");
  strictEqual((await change(client, { ...CHANGE, keepOthers: true })).status, 200);
  ok(await isLoggedIn(client) && await isLoggedIn(other));
});

Deno.test("a change voids reset links and cancels queued emails with one", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "voiding@example.com");
  const forgot = () => app.client().send("POST", "/auth/forgot-password", { email });
  await forgot();
  const token = await mailedToken(app, email);
  strictEqual((await change(client)).status, 200);
  const reset = { email, token, password: "Third-horse-99" };
  strictEqual((await app.client().send("POST", "/auth/reset-password", reset)).status, 400);

  await forgot();
  strictEqual((await change(client, { currentPassword: NEW_PASSWORD, newPassword: PASSWORD })).status, 200);
  const mails = await db.selectFrom("outbox").select(["status", "payload"])
    .where("user_id", "=", id).where("kind", "=", "reset").execute();
  deepStrictEqual(mails.map(({ status, payload }) => [status, payload]).sort(), [["failed", null], ["sent", null]]);
});

Deno.test("a wrong current password is recorded and changes nothing", async () => {
  const { client, id, email, other } = await registerTwice("mistaken@example.com");
  const before = await eventsOf(id);
  const response = await change(client, { ...CHANGE, currentPassword: "Wrong-horse-77" });
  deepStrictEqual(await problemOf(response), [403, "PROOF_WRONG", { currentPassword: ["Wrong password"] }]);
  ok(await isLoggedIn(other));
  const { session } = await principalOf(app, client);
  deepStrictEqual(await eventsOf(id), [...before, { kind: "proof.failed", reason: "password", session: session.id }]);
  strictEqual((await logIn(app.client(), email)).status, 200);
});

Deno.test("wrong current passwords count as wrong proofs, and right ones do not", async () => {
  await using limited = await openTestApp({ LIMIT_PROOF: "2/900" });
  const { client } = await registerVerifiedUser(limited, "counted@example.com");
  const wrong = { ...CHANGE, currentPassword: "Wrong-horse-77" };
  const statuses: number[] = [];
  for (const body of [wrong, CHANGE, wrong]) statuses.push((await change(client, body)).status);
  deepStrictEqual(statuses, [403, 200, 403]);
  const refused = await change(client, { ...CHANGE, currentPassword: NEW_PASSWORD });
  deepStrictEqual([refused.status, refused.headers.get("Retry-After")], [429, "900"]);
  const proof = await client.send("POST", "/auth/reauthenticate", { password: NEW_PASSWORD });
  deepStrictEqual([proof.status, proof.headers.get("RateLimit")], [429, '"proof";r=0;t=900'], "both share the limit");
});

Deno.test("a change needs a session and valid fields", async () => {
  const { client } = await registerVerifiedUser(app, "invalid-change@example.com");
  strictEqual((await change(app.client())).status, 401);
  const cases: [body: object, field: string][] = [
    [{ newPassword: NEW_PASSWORD }, "currentPassword"],
    [{ ...CHANGE, currentPassword: 1 }, "currentPassword"],
    [{ currentPassword: PASSWORD }, "newPassword"],
    [{ ...CHANGE, newPassword: "short" }, "newPassword"],
    [{ ...CHANGE, keepOthers: "on" }, "keepOthers"],
  ];
  for (const [body, field] of cases) {
    const { code, details } = await (await change(client, body)).json();
    deepStrictEqual([code, Object.keys(details)], ["VALIDATION_FAILED", [field]], JSON.stringify(body));
  }
});

Deno.test("an account without a password omits it, and needs a recent proof", async () => {
  const { client, email } = await registerWithoutPassword(app, "adding@example.com");
  const { newPassword } = CHANGE;
  deepStrictEqual((await problemOf(await change(client)))[1], "PROOF_WRONG", "no password is right");
  app.advance(15 * MINUTE_SECONDS + 1);
  deepStrictEqual(await problemOf(await change(client, { newPassword })), [
    403,
    "REAUTHENTICATION_REQUIRED",
    { methods: ["code"] },
  ]);
  strictEqual((await client.request("/auth/reauthenticate/code", { method: "POST" })).status, 200);
  const code = await mailedCode(app, email);
  strictEqual((await client.send("POST", "/auth/reauthenticate", { code })).status, 200);
  strictEqual((await change(client, { newPassword })).status, 200);
  strictEqual((await logIn(app.client(), email, newPassword)).status, 200);
});

Deno.test("of as many concurrent changes as one user may queue, exactly one succeeds", async () => {
  using _costs = app.useRealCosts();
  const { client, email } = await registerVerifiedUser(app, "raced-change@example.com");
  const changes = Array.from(
    { length: 25 },
    (_, index) => change(client, { ...CHANGE, newPassword: `Racing-horse-${index}` }),
  );
  const statuses = (await Promise.all(changes)).map(({ status }) => status);
  deepStrictEqual(statuses.toSorted(), [200, ...Array(24).fill(403)]);
  strictEqual((await logIn(app.client(), email, `Racing-horse-${statuses.indexOf(200)}`)).status, 200);
});

Deno.test("no concurrent login with the old password on two instances outlives the change", async () => {
  using _costs = app.useRealCosts();
  const { client, email } = await registerVerifiedUser(app, "raced-login@example.com");
  const thieves = Array.from({ length: 25 }, (_, turn) => either(turn));
  const [changed, ...logins] = await Promise.all([
    change(client),
    ...thieves.map((each) => logIn(each, email)),
  ]);
  strictEqual(changed.status, 200);
  ok(logins.every(({ status }) => status === 200 || status === 401));
  for (const thief of thieves) ok(!await isLoggedIn(thief));
  ok(await isLoggedIn(client));
});

Deno.test("of a concurrent change and reset, exactly one succeeds", async () => {
  using _costs = app.useRealCosts();
  for (let round = 0; round < 5; round++) {
    app.advance(HOUR_SECONDS);
    const { client, email } = await registerVerifiedUser(app, `raced-reset-${round}@example.com`);
    await app.client().send("POST", "/auth/forgot-password", { email });
    const token = await mailedToken(app, email);
    const [changed, reset] = await Promise.all([
      change(client),
      app.client().send("POST", "/auth/reset-password", { email, token, password: "Third-horse-99" }),
    ]);
    const isChanged = changed.status === 200;
    strictEqual(reset.status, isChanged ? 400 : 200);
    strictEqual(await isLoggedIn(client), isChanged);
    strictEqual((await logIn(app.client(), email, isChanged ? NEW_PASSWORD : "Third-horse-99")).status, 200);
  }
});

Deno.test("a session that ends during the change sets no password", async () => {
  const { client, id } = await registerWithoutPassword(app, "kept-out@example.com");
  const principal = await principalOf(app, client);
  await logOut(app.services, [principal.session.id], SOME_CLIENT);
  await rejects(changePassword(app.services, principal, { newPassword: NEW_PASSWORD, keepOthers: true }), {
    code: "UNAUTHENTICATED",
  });
  const row = await db.selectFrom("users").select("password_hash").where("id", "=", id).executeTakeFirstOrThrow();
  strictEqual(row.password_hash, null);
});

Deno.test("the page changes the password, and says what happened to the other sessions", async () => {
  const { client, other } = await registerTwice("page@example.com");
  match(await (await client.get(PAGE)).text(), /You’ll be logged out on your other devices, unless/);
  const kept = await client.submit(PAGE, { currentPassword: PASSWORD, password: NEW_PASSWORD, keepOthers: "on" });
  deepStrictEqual([kept.status, kept.headers.get("Location")], [303, PAGE]);
  match(await (await client.get(PAGE)).text(), /still logged in on your other devices/);
  ok(await isLoggedIn(other));
  await client.submit(PAGE, { currentPassword: NEW_PASSWORD, password: PASSWORD });
  match(await (await client.get(PAGE)).text(), /been logged out on your other devices/);
  ok(!await isLoggedIn(other));
});

Deno.test("a refused form keeps the choice, marks the field and shows no password", async () => {
  const { client } = await registerVerifiedUser(app, "refused-change@example.com");
  const fields = { currentPassword: "Wrong-horse-77", password: NEW_PASSWORD, keepOthers: "on" };
  const response = await client.submit(PAGE, fields);
  strictEqual(response.status, 403);
  const page = await readPage(response);
  strictEqual(page.field("currentPassword").error, "That’s not your current password.");
  ok(page.field("keepOthers").isChecked);
  ok(!page.html.includes(NEW_PASSWORD) && !page.html.includes("Wrong-horse-77"));
  const empty = await client.submit(PAGE, { currentPassword: "", password: "" });
  match(await empty.text(), /Enter your current password/);
});

Deno.test("the page asks an account without a password for a proof before it shows the form", async () => {
  const { client, email } = await registerWithoutPassword(app, "page-adding@example.com");
  match(await (await client.get(PAGE)).text(), /Add a password/);
  app.advance(15 * MINUTE_SECONDS + 1);
  strictEqual((await client.get(PAGE)).headers.get("Location"), "/reauthenticate?next=%2Fsettings%2Fpassword");
  const expired = await client.submit(PAGE, { password: NEW_PASSWORD });
  ok((await readPage(expired)).field("proof_code"));
  const proof_code = await mailedCode(app, email);
  const done = await client.submit(PAGE, { password: NEW_PASSWORD, proof_code });
  strictEqual(done.headers.get("Location"), PAGE);
  strictEqual((await logIn(app.client(), email, NEW_PASSWORD)).status, 200);
});

Deno.test("the second click of a form with a proof gets the response of the first, although the session has a new token", async () => {
  const { client, email, id } = await registerWithoutPassword(app, "double-proof@example.com");
  app.advance(15 * MINUTE_SECONDS + 1);
  await client.submit(PAGE, { password: NEW_PASSWORD });
  const proof_code = await mailedCode(app, email);
  const form = { password: NEW_PASSWORD, proof_code, userId: id, form_id: crypto.randomUUID() };
  const clicking = () => {
    const second = either(1);
    second.cookies.set("auth_session", before);
    return second;
  };
  const before = client.cookies.get("auth_session")!;
  const first = await client.submit(PAGE, form);
  notStrictEqual(client.cookies.get("auth_session"), before);
  const clicks = await Promise.all(Array.from({ length: 5 }, () => clicking().submit(PAGE, form)));
  for (const second of clicks) {
    deepStrictEqual([second.status, second.headers.get("Location")], [303, PAGE]);
    deepStrictEqual(second.headers.getSetCookie(), first.headers.getSetCookie());
  }
  strictEqual((await clicking().submit(PAGE, { ...form, keepOthers: "on" })).status, 401, "other content");
  strictEqual((await clicking().submit("/settings/email", form)).status, 401, "another page");
  strictEqual(await isLoggedIn(clicking()), false);
  app.advance(11);
  strictEqual((await clicking().submit(PAGE, form)).status, 401);
});

Deno.test("the forms change the password only of the person they were shown to", async () => {
  const { client } = await registerVerifiedUser(app, "same-person@example.com");
  const added = await registerWithoutPassword(app, "same-added@example.com");
  const other = await registerVerifiedUser(app, "other-person@example.com");
  const cases: [TestClient, Record<string, string>][] = [[client, { currentPassword: PASSWORD }], [added.client, {}]];
  for (const [each, proof] of cases) {
    const form = { ...proof, password: NEW_PASSWORD, userId: other.id };
    strictEqual((await each.submit(PAGE, form)).status, 403);
    const { id } = (await (await each.get("/api/profile")).json()).user;
    strictEqual((await readPage(each.get(PAGE))).form().hidden.userId, id);
    strictEqual((await each.submit(PAGE, { ...form, userId: id })).status, 303);
  }
});

Deno.test("an empty field for a new password asks to choose one", async () => {
  const { client } = await registerWithoutPassword(app, "empty-new@example.com");
  const { error } = (await readPage(client.submit(PAGE, { password: "" }))).field("password");
  strictEqual(error, "Choose a password");
});

Deno.test("the second click of the form that adds a password gets the response of the first", async () => {
  using _costs = app.useRealCosts();
  const { client } = await registerWithoutPassword(app, "double-adding@example.com");
  const form_id = crypto.randomUUID();
  const clicks = [1, 2].map(() => client.submit(PAGE, { password: NEW_PASSWORD, form_id }));
  deepStrictEqual((await Promise.all(clicks)).map(({ status }) => status), [303, 303]);
});
