import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import {
  logIn,
  mailedPath,
  mailedToken,
  PASSWORD,
  registerUser,
  registerVerifiedUser,
  subjectsTo,
} from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp, openTestApp, openTestInstance } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const other = await openTestInstance(app);
Deno.test.afterAll(() => other[Symbol.asyncDispose]());
/** Returns a new client of one of two instances, in turns. */
const either = (turn: number) => [app, other][turn % 2].client();
const CONFIRM = "/auth/confirm-email";

async function requestChange(client: TestClient, email: string): Promise<Response> {
  return await client.send("POST", "/api/account/email", { email });
}

/** Requests a change and returns the token that is emailed to the new address. */
async function changeToken(client: TestClient, email: string): Promise<string> {
  strictEqual((await requestChange(client, email)).status, 200);
  return await mailedToken(app, email);
}

async function confirm(token: string, client = app.client()): Promise<[number, string | undefined]> {
  const response = await client.send("POST", CONFIRM, { token });
  return [response.status, (await response.json()).code];
}

async function addressOf(client: TestClient): Promise<string> {
  return (await (await client.get("/api/profile")).json()).user.email;
}

Deno.test("a confirmed change replaces the address, alerts the old one and keeps the session", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "old@example.com");
  const response = await requestChange(client, " New@example.com");
  deepStrictEqual([response.status, await response.json()], [200, {
    success: true,
    message: "An email with a link to confirm the new address is on its way.",
  }]);
  match(await mailedPath(app, "new@example.com"), /^\/confirm-email\?token=[\w-]{43}$/);
  match(await mailedPath(app, email), /^\/not-me\?token=[\w-]{43}$/);
  strictEqual(await addressOf(client), email, "only the link changes the address");

  const token = await mailedToken(app, "new@example.com");
  const confirmed = await app.client().send("POST", CONFIRM, { token });
  deepStrictEqual([confirmed.status, await confirmed.json()], [200, {
    success: true,
    message: "Email address changed",
  }]);
  strictEqual(await addressOf(client), "new@example.com");
  deepStrictEqual((await subjectsTo(app, email)).slice(1), [
    "Request to change your Foyer email address",
    "Your Foyer email address was changed",
  ]);
  const reports = app.mails.filter(({ to, text }) => to === email && text.includes("New address: new@example.com\n"));
  strictEqual(reports.length, 2, "both alerts name the new address");
  for (const [address, status] of [[email, 401], ["new@example.com", 200]] as const) {
    const login = await logIn(app.client(), address);
    strictEqual(login.status, status, address);
  }
  const { details } = await app.services.db.selectFrom("events").select("details")
    .where("user_id", "=", id).where("kind", "=", "email.changed").executeTakeFirstOrThrow();
  deepStrictEqual(details, { from: email, to: "new@example.com" });
});

Deno.test("a change requires a session and a recent proof", async () => {
  strictEqual((await requestChange(app.client(), "x@example.com")).status, 401);
  const { client } = await registerVerifiedUser(app, "unproved@example.com");
  app.advance(15 * MINUTE_SECONDS + 1);
  const response = await requestChange(client, "unproved-new@example.com");
  const { code, details } = await response.json();
  deepStrictEqual([response.status, code, details], [403, "REAUTHENTICATION_REQUIRED", { methods: ["password"] }]);
  deepStrictEqual(await subjectsTo(app, "unproved-new@example.com"), []);
  strictEqual((await client.send("POST", "/auth/reauthenticate", { password: PASSWORD })).status, 200);
  strictEqual((await requestChange(client, "unproved-new@example.com")).status, 200);
  for (const body of [{}, { email: "nonsense" }]) {
    strictEqual((await client.send("POST", "/api/account/email", body)).status, 400);
  }
});

Deno.test("a taken address gets at most three emails an hour that say so, and nothing else happens", async () => {
  const taken = await registerVerifiedUser(app, "taken@example.com");
  const { client, email } = await registerVerifiedUser(app, "asking@example.com");
  const free = await requestChange(client, "asking-free@example.com");
  const before = (await subjectsTo(app, email)).length;
  for (let count = 0; count < 4; count++) {
    const response = await requestChange(client, taken.email);
    strictEqual(response.status, 200);
    if (count === 0) deepStrictEqual(await response.json(), await free.json());
  }
  deepStrictEqual((await subjectsTo(app, taken.email)).slice(1), Array(3).fill("You already have a Foyer account"));
  strictEqual((await subjectsTo(app, email)).length, before);
  for (const [seconds, mails] of [[HOUR_SECONDS - 1, 3], [1, 4]]) {
    app.advance(seconds);
    strictEqual((await client.send("POST", "/auth/reauthenticate", { password: PASSWORD })).status, 200);
    strictEqual((await requestChange(client, taken.email)).status, 200);
    strictEqual((await subjectsTo(app, taken.email)).length - 1, mails);
  }
  strictEqual(
    (await confirm(await mailedToken(app, "asking-free@example.com")))[0],
    200,
    "the earlier link still works",
  );
});

Deno.test("a link works once, for 24 hours, until a newer one replaces it", async () => {
  const { client } = await registerVerifiedUser(app, "links@example.com");
  const replaced = await changeToken(client, "links-1@example.com");
  const token = await changeToken(client, "links-2@example.com");
  deepStrictEqual(await confirm(replaced), [400, "INVALID_TOKEN"]);
  strictEqual((await confirm(token))[0], 200);
  deepStrictEqual(await confirm(token), [400, "INVALID_TOKEN"]);
  deepStrictEqual(await confirm("wrong"), [400, "INVALID_TOKEN"]);

  for (const [seconds, status] of [[DAY_SECONDS - 1, 200], [DAY_SECONDS, 400]]) {
    const other = await registerVerifiedUser(app, `late-${status}@example.com`);
    const late = await changeToken(other.client, `late-new-${status}@example.com`);
    app.advance(seconds);
    strictEqual((await confirm(late))[0], status);
  }
});

/** How an owner keeps out an intruder who is logged in. */
const RECOVERIES: Record<string, (owner: TestClient, email: string) => Promise<number>> = {
  async "resetting the password"(_, email) {
    await app.client().send("POST", "/auth/forgot-password", { email });
    const body = { email, token: await mailedToken(app, email), password: "Another-horse-8" };
    return (await app.client().send("POST", "/auth/reset-password", body)).status;
  },
  async "changing the password"(owner) {
    const body = { currentPassword: PASSWORD, newPassword: "Another-horse-8" };
    return (await owner.send("PUT", "/api/account/password", body)).status;
  },
  "closing the account": async (owner) => (await owner.request("/api/account", { method: "DELETE" })).status,
};

for (const [recovery, recover] of Object.entries(RECOVERIES)) {
  for (const register of [registerUser, registerVerifiedUser]) {
    Deno.test(`${recovery} voids a pending change of the address (${register.name})`, async () => {
      const name = `${recovery.replaceAll(" ", "-")}-${register.name.toLowerCase()}`;
      const { client, email } = await register(app, `${name}@example.com`);
      const token = await changeToken(client, `thief-${name}@example.com`);
      strictEqual(await recover(client, email) < 300, true);
      deepStrictEqual(await confirm(token), [400, "INVALID_TOKEN"]);
    });
  }
}

Deno.test("confirming the current address voids a pending change, which an intruder may have requested", async () => {
  const { client, email } = await registerUser(app, "hijacked@example.com");
  const verification = await mailedToken(app, email);
  const token = await changeToken(client, "hijacker@example.com");
  const verified = await app.client().send("POST", "/auth/verify-email", { email, token: verification });
  strictEqual(verified.status, 200);
  deepStrictEqual(await confirm(token), [400, "INVALID_TOKEN"]);
});

Deno.test("an address that is taken in the meantime is refused", async () => {
  const { client, email } = await registerVerifiedUser(app, "slow@example.com");
  const token = await changeToken(client, "contested@example.com");
  await registerUser(app, "contested@example.com");
  deepStrictEqual(await confirm(token), [409, "EMAIL_TAKEN"]);
  strictEqual(await addressOf(client), email);
  const page = await app.client().submit("/confirm-email", { token });
  strictEqual(page.status, 409);
  match((await readPage(page)).message!, /^Another account uses this address now/);
});

Deno.test("a change voids reset links and queued emails for the old address", async () => {
  const { client, email } = await registerVerifiedUser(app, "reset-old@example.com");
  const forgot = () => app.client().send("POST", "/auth/forgot-password", { email });
  await forgot();
  const reset = await mailedToken(app, email);
  const token = await changeToken(client, "reset-new@example.com");
  await forgot();
  strictEqual((await confirm(token))[0], 200);
  const subjects = await subjectsTo(app, email);
  strictEqual(
    subjects.filter((subject) => subject === "Reset your Foyer password").length,
    1,
    "only the one sent before",
  );
  strictEqual(subjects.at(-1), "Your Foyer email address was changed");
  for (const address of [email, "reset-new@example.com"]) {
    const body = { email: address, token: reset, password: "Another-horse-8" };
    strictEqual((await app.client().send("POST", "/auth/reset-password", body)).status, 400);
  }
});

Deno.test("a change deletes emailed codes and cancels the emails with them", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "code-old@example.com");
  const token = await changeToken(client, "code-new@example.com");
  await app.services.db.updateTable("users").set({ password_hash: null }).where("id", "=", id).execute();
  strictEqual((await client.request("/auth/reauthenticate/code", { method: "POST" })).status, 200);
  strictEqual((await confirm(token))[0], 200);
  const codes = app.services.db.selectFrom("emailed_codes").select("user_id").where("user_id", "=", id);
  deepStrictEqual(await codes.execute(), []);
  deepStrictEqual((await subjectsTo(app, email)).filter((subject) => / code$/.test(subject)), []);
});

Deno.test("an unverified address is replaced without alerts, and is free again", async () => {
  const { client, email } = await registerUser(app, "typo@example.com");
  const verification = await mailedToken(app, email);
  const token = await changeToken(client, "right@example.com");
  strictEqual((await confirm(token))[0], 200);
  deepStrictEqual(await subjectsTo(app, email), ["Confirm your email address for Foyer"]);
  strictEqual((await client.get("/api/profile")).status, 200);
  const verify = await app.client().send("POST", "/auth/verify-email", { email, token: verification });
  strictEqual(verify.status, 400);
  const login = await logIn(app.client(), "right@example.com");
  strictEqual(login.status, 200, "the new address is verified");
  await registerUser(app, email);
});

Deno.test("an unconfirmed account may name three other addresses in all", async () => {
  const { client } = await registerUser(app, "corrected@example.com");
  const proven = async (email: string) => {
    strictEqual((await client.send("POST", "/auth/reauthenticate", { password: PASSWORD })).status, 200);
    return await requestChange(client, email);
  };
  for (const number of [1, 2, 3]) strictEqual((await proven(`corrected-${number}@example.com`)).status, 200);
  strictEqual((await proven("corrected-3@example.com")).status, 200, "the same link again");
  // Each time, an address that it has named before counts as another one.
  for (const [days, number] of [[0, 4], [2, 1]]) {
    app.advance(days * DAY_SECONDS);
    const email = `corrected-${number}@example.com`;
    const before = (await subjectsTo(app, email)).length;
    const refused = await proven(email);
    deepStrictEqual([refused.status, (await refused.json()).code], [403, "EMAIL_NOT_VERIFIED"]);
    const page = await client.submit("/settings/email", { email });
    match(await page.text(), /already entered three other addresses/);
    strictEqual((await subjectsTo(app, email)).length, before);
  }
});

Deno.test("who asks for a change does not learn that its email was not sent", async () => {
  const email = "flooded-by-changes@example.com";
  for (let count = 0; count < 5; count++) {
    const { client } = await registerUser(app, `flooding-${count}@example.com`);
    await requestChange(client, email);
    ok((await readPage(client.get("/settings/email"))).textsAt("h2").includes(`Waiting for ${email}`));
  }
  strictEqual((await subjectsTo(app, email)).length, 3);
});

Deno.test("a replaced address stays reserved for its account for seven days", async () => {
  const { client, email } = await registerVerifiedUser(app, "reserved@example.com");
  strictEqual((await confirm(await changeToken(client, "replacing@example.com")))[0], 200);
  const other = await registerVerifiedUser(app, "other@example.com");
  const register = () => app.client().send("POST", "/auth/register", { name: "Eve", email, password: PASSWORD });

  strictEqual((await register()).status, 409);
  strictEqual((await other.client.send("POST", "/api/users", { name: "Eve", email })).status, 409);
  strictEqual((await requestChange(other.client, email)).status, 200);
  strictEqual((await subjectsTo(app, email)).at(-1), "You already have a Foyer account");

  app.advance(7 * DAY_SECONDS - 1);
  strictEqual((await register()).status, 409);
  app.advance(1);
  strictEqual((await register()).status, 201);
});

Deno.test("a link to an address that another account has used and replaced in the meantime is refused", async () => {
  const contested = "passed-through@example.com";
  const late = await registerVerifiedUser(app, "late@example.com");
  const token = await changeToken(late.client, contested);
  const { client } = await registerVerifiedUser(app, "early@example.com");
  strictEqual((await confirm(await changeToken(client, contested)))[0], 200);
  strictEqual((await confirm(await changeToken(client, "moved-on@example.com")))[0], 200);
  deepStrictEqual(await confirm(token), [409, "EMAIL_TAKEN"]);
  strictEqual(await addressOf(late.client), late.email);
});

Deno.test("an account can take back its old address, even if another account has requested it", async () => {
  const { client, email } = await registerVerifiedUser(app, "there@example.com");
  const other = await registerVerifiedUser(app, "waiting@example.com");
  const token = await changeToken(client, "and-back@example.com");
  strictEqual((await confirm(token))[0], 200);
  strictEqual((await requestChange(other.client, email)).status, 200);
  await subjectsTo(app, email);
  strictEqual((await confirm(await changeToken(client, email)))[0], 200);
  strictEqual(await addressOf(client), email);
});

Deno.test("of 50 concurrent confirmations of one link on two instances, exactly one succeeds", async () => {
  const { client } = await registerVerifiedUser(app, "twice@example.com");
  const token = await changeToken(client, "twice-new@example.com");
  const statuses = await Promise.all(
    Array.from({ length: 50 }, async (_, turn) => (await confirm(token, either(turn)))[0]),
  );
  deepStrictEqual(statuses.sort(), [200, ...Array(49).fill(400)]);
});

Deno.test("of two accounts that confirm one address at once on two instances, exactly one gets it", async () => {
  const email = "popular@example.com";
  const tokens: string[] = [];
  for (const fan of ["fan-0@example.com", "fan-1@example.com"]) {
    tokens.push(await changeToken((await registerVerifiedUser(app, fan)).client, email));
  }
  const statuses = await Promise.all(
    Array.from({ length: 50 }, async (_, turn) => (await confirm(tokens[turn % 2], either(turn >> 1)))[0]),
  );
  deepStrictEqual(statuses.sort(), [200, ...Array(24).fill(400), ...Array(25).fill(409)]);
});

Deno.test("an address that is given up while others register it stays reserved", async () => {
  using _costs = app.useRealCosts();
  const { client, email } = await registerVerifiedUser(app, "leaving@example.com");
  const token = await changeToken(client, "leaving-new@example.com");
  const register = async () => {
    const body = { name: "Eve", email, password: PASSWORD };
    return (await app.client().send("POST", "/auth/register", body)).status;
  };
  const [[status], ...registrations] = await Promise.all([confirm(token), ...Array.from({ length: 20 }, register)]);
  strictEqual(status, 200);
  deepStrictEqual(registrations, Array(20).fill(409));
});

Deno.test("requests for a change count under the rate limit `mail`", async () => {
  await using limited = await openTestApp({ LIMIT_MAIL: "2/3600" });
  const { client } = await registerVerifiedUser(limited, "counted@example.com");
  const statuses: number[] = [];
  for (let count = 0; count < 3; count++) statuses.push((await requestChange(client, `n${count}@example.com`)).status);
  deepStrictEqual(statuses, [200, 200, 429]);
  const response = await requestChange(client, "n3@example.com");
  strictEqual(response.headers.get("RateLimit-Policy"), '"mail";q=2;w=3600');
  deepStrictEqual(await subjectsTo(limited, "n2@example.com"), []);
  limited.advance(HOUR_SECONDS);
  strictEqual((await client.send("POST", "/auth/reauthenticate", { password: PASSWORD })).status, 200);
  strictEqual((await requestChange(client, "n4@example.com")).status, 200);
});

Deno.test("the pages change the address, even if the proof expires before the form is sent", async () => {
  const { client, email } = await registerVerifiedUser(app, "paged@example.com");
  match(await (await client.get("/settings/email")).text(), /Your email address is paged@example\.com\./);
  app.advance(15 * MINUTE_SECONDS + 1);
  strictEqual(
    (await client.get("/settings/email")).headers.get("Location"),
    "/reauthenticate?next=%2Fsettings%2Femail",
  );
  const expired = await client.submit("/settings/email", { email: "paged-new@example.com" });
  strictEqual(expired.status, 403);
  const form = await readPage(expired);
  ok(form.field("proof_password"));
  strictEqual(form.field("email").value, "paged-new@example.com");
  const fields = { email: "paged-new@example.com", proof_password: PASSWORD };
  const sent = await client.submit("/settings/email", fields);
  deepStrictEqual([sent.status, sent.headers.get("Location")], [
    303,
    "/settings/email",
  ]);
  const named = await readPage(client.get("/settings/email"));
  ok(named.textsAt("h2").includes("Waiting for paged-new@example.com"));
  match(named.text, /Until you confirm it, log in with paged@example\.com\./);
  strictEqual(named.field("email").attribute("autocomplete"), "email");
  const forged = await (await client.get("/settings/email?email=forged%40example.com")).text();
  ok(!forged.includes("forged@example.com"), "a link does not choose what the page shows");

  const path = await mailedPath(app, "paged-new@example.com");
  const page = await (await client.get(path)).text();
  match(page, /Do you want to use paged-new@example\.com for your Foyer account\?/);
  strictEqual(await addressOf(client), email);
  const token = await mailedToken(app, "paged-new@example.com");
  const done = await client.submit("/confirm-email", { token });
  deepStrictEqual([done.status, done.headers.get("Location")], [303, "/settings/email"]);
  match(await (await client.get("/settings/email")).text(), /Your email address is paged-new@example\.com\./);
  const used = await readPage(app.client().get(path));
  match(used.text, /This link has expired or has already been used\./);
  ok(used.forms.every(({ action }) => !action.startsWith("/confirm-email")));
});
