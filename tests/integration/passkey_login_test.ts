import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { sweepExpiredRows } from "../../lib/jobs/expired_rows.ts";
import type { Credential } from "../../lib/sign_in/passkeys/schema.ts";
import { issueCode } from "../../lib/mail/links/emailed_code.ts";
import { CHALLENGE_SECONDS } from "../../lib/sign_in/passkeys/challenge.ts";
import { registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { withFailingDatabase } from "../support/database/failing_database.ts";
import { addPasskey, creationOptions, requestOptions, sendCredential } from "../support/app/passkeys.ts";
import { type Deviation, SoftwareAuthenticator } from "../support/app/software_authenticator.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp();
const { db } = app.services;
let people = 0;

async function owner(options: { countsUses?: boolean } = {}) {
  const person = await registerVerifiedUser(app, `uses-${++people}@example.com`);
  return { ...person, ...await addPasskey(person.client, options), userId: person.id };
}

async function logIn(authenticator: SoftwareAuthenticator, deviation: Deviation = {}, client = app.client()) {
  return await sendCredential(client, await authenticator.get(await requestOptions(client), deviation));
}

async function failuresOf(userId: string): Promise<unknown[]> {
  const rows = await db.selectFrom("events").select("details").where("user_id", "=", userId)
    .where("kind", "=", "login.failed").orderBy("id").execute();
  return rows.map(({ details }) => details.reason);
}

Deno.test("the options for logging in name no account, and asking for them stores nothing", async () => {
  const client = app.client();
  const response = await withFailingDatabase(
    app,
    new Error("the database was used"),
    () => client.request("/auth/passkey/options", { method: "POST" }),
  );
  const { options: { challenge, ...options } } = await response.json();
  deepStrictEqual(options, { rpId: "foyer.test", timeout: 600_000, userVerification: "required" });
  strictEqual(challenge.length, 75);
  strictEqual(response.headers.get("cache-control"), "no-store");
  deepStrictEqual([response.headers.has("ratelimit"), response.headers.getSetCookie()], [false, []]);
});

Deno.test("a passkey opens a session like a password does", async () => {
  const { authenticator, email, userId } = await owner();
  const client = app.client();
  app.advance(5);
  const response = await logIn(authenticator, {}, client);
  deepStrictEqual(await response.json(), {
    success: true,
    message: "Login successful",
    user: { id: userId, email, name: "Ada Lovelace", provider: "email" },
  });
  strictEqual(response.headers.get("ratelimit-policy"), '"login";q=5;w=900');
  const { data } = await (await client.get("/api/account")).json();
  const now = Math.floor(app.services.now().getTime() / 1000);
  deepStrictEqual([data.session.method, data.session.authenticatedAt], ["passkey", now]);
  const { data: [passkey] } = await (await client.get("/api/passkeys")).json();
  strictEqual(passkey.lastUsedAt, now);
});

Deno.test("the session that the browser held is opened again, and a new device is reported", async () => {
  const { authenticator, client, email } = await owner();
  const { data: { session } } = await (await client.get("/api/account")).json();
  const token = client.cookies.get("auth_session");
  strictEqual((await logIn(authenticator, {}, client)).status, 200);
  const { data: sessions } = await (await client.get("/api/account/sessions")).json();
  deepStrictEqual(sessions.map(({ id }: { id: string }) => id), [session.id]);
  strictEqual((await app.client().get("/api/account", { Cookie: `auth_session=${token}` })).status, 401);
  await logIn(authenticator);
  await app.deliverMails();
  const reports = app.mails.filter(({ to, subject }) => to === email && subject.startsWith("New login"));
  strictEqual(reports.length, 1);
});

Deno.test("a credential that is wrong in any way gets one and the same response, and no session", async () => {
  const { authenticator, client, userId } = await owner();
  const unknown = new SoftwareAuthenticator("http://foyer.test");
  await unknown.create(await creationOptions(client));
  const cases: [name: string, credential: (client: TestClient) => Promise<Credential>, reasons?: string[]][] = [
    ...Object.entries(DEVIATIONS).map(([name, deviation]): typeof cases[number] => [
      name,
      async (guest) => await authenticator.get(await requestOptions(guest), deviation),
      ["passkey"],
    ]),
    ["an unknown passkey", async (guest) => await unknown.get(await requestOptions(guest))],
    ["a challenge for adding a passkey", async () => {
      const { challenge, rp } = await creationOptions(client);
      return await authenticator.get({ challenge, rpId: rp.id });
    }, ["passkey"]],
    ["a challenge of its own making", () => authenticator.get({ challenge: "x".repeat(75), rpId: "foyer.test" }), [
      "passkey",
    ]],
    ["the response of another passkey", async (guest) => ({
      ...await authenticator.get(await requestOptions(guest)),
      id: unknown.id,
      rawId: unknown.id,
    })],
  ];
  for (const [name, credential, reasons = []] of cases) {
    const guest = app.client();
    const before = (await failuresOf(userId)).length;
    const response = await sendCredential(guest, await credential(guest));
    deepStrictEqual([response.status, await response.json()], [401, REFUSED], name);
    strictEqual(guest.cookies.size, 0, name);
    deepStrictEqual((await failuresOf(userId)).slice(before), reasons, name);
  }
  strictEqual((await logIn(authenticator)).status, 200, "the right one still works");
});

const REFUSED = {
  message: "This passkey can't be used to log in",
  code: "INVALID_CREDENTIALS",
  error: "This passkey can't be used to log in",
  details: {},
};

const DEVIATIONS: Record<string, Deviation> = {
  "another origin": { origin: "https://evil.example" },
  "inside a page of another site": { crossOrigin: true },
  "another RP id": { rpId: "evil.example" },
  "a user who was not verified": { isUserVerified: false },
  "a forged signature": { forgesSignature: true },
  "a forged signature with a high counter": { forgesSignature: true, counter: 4_000_000_000 },
  "an empty user handle": { userHandle: "" },
  "another user": { userHandle: btoa("someone else").replaceAll("=", "") },
};

Deno.test("a body that is no credential gets 400", async () => {
  const { authenticator } = await owner();
  const credential = await authenticator.get(await requestOptions(app.client()));
  const { signature: _, ...unsigned } = credential.response;
  const bodies = [
    null,
    "x",
    { ...credential, id: "not base64url!" },
    { ...credential, id: "x".repeat(1365) },
    { ...credential, type: "password" },
    { ...credential, response: unsigned },
  ];
  for (const body of bodies) {
    const response = await app.client().send("POST", "/auth/passkey", { credential: body });
    const { code, details } = await response.json();
    deepStrictEqual([response.status, code, Object.keys(details)], [400, "VALIDATION_FAILED", ["credential"]]);
  }
});

Deno.test("a challenge is answered once, also by two ceremonies at once", async () => {
  const { authenticator, userId } = await owner();
  const options = await requestOptions(app.client());
  const credentials = await Promise.all([authenticator.get(options), authenticator.get(options)]);
  const responses = await Promise.all(credentials.map((credential) => sendCredential(app.client(), credential)));
  deepStrictEqual(responses.map(({ status }) => status).sort(), [200, 401]);
  const replay = await sendCredential(app.client(), credentials[0]);
  deepStrictEqual([replay.status, await replay.json()], [401, REFUSED]);
  deepStrictEqual(await failuresOf(userId), ["passkey", "passkey"]);
});

Deno.test("a challenge expires after ten minutes, and its row is swept an hour later", async () => {
  const { authenticator } = await owner();
  const options = [await requestOptions(app.client()), await requestOptions(app.client())];
  const [inTime, late] = await Promise.all(options.map((each) => authenticator.get(each)));
  await db.deleteFrom("spent_challenges").execute();
  app.advance(CHALLENGE_SECONDS);
  strictEqual((await sendCredential(app.client(), inTime)).status, 200);
  app.advance(0.001);
  strictEqual((await sendCredential(app.client(), late)).status, 401);
  const spent = async () => (await db.selectFrom("spent_challenges").select("id").execute()).length;
  strictEqual(await spent(), 1);
  app.advance(3599);
  await sweepExpiredRows(app.services);
  strictEqual(await spent(), 1);
  app.advance(1);
  await sweepExpiredRows(app.services);
  strictEqual(await spent(), 0);
  app.advance(DAY_SECONDS);
});

Deno.test("a counter that does not increase is refused and recorded, except 0 after 0", async () => {
  const { authenticator, userId, client } = await owner({ countsUses: true });
  strictEqual((await logIn(authenticator, { counter: 7 })).status, 200);
  for (const counter of [7, 6, 0]) strictEqual((await logIn(authenticator, { counter })).status, 401, String(counter));
  deepStrictEqual(await failuresOf(userId), ["passkey_counter", "passkey_counter", "passkey_counter"]);
  strictEqual((await logIn(authenticator, { counter: 4_294_967_295 })).status, 200);
  const activity = await client.get("/settings/activity");
  strictEqual((await activity.text()).includes("the passkey may have been copied"), true);

  const synced = await owner();
  for (let use = 0; use < 2; use++) strictEqual((await logIn(synced.authenticator)).status, 200);
  strictEqual((await logIn(synced.authenticator, { counter: 1 })).status, 200);
  strictEqual((await logIn(synced.authenticator, { counter: 0 })).status, 401);
});

Deno.test("of two copies that count alike, one logs in", async () => {
  const { authenticator, userId } = await owner({ countsUses: true });
  const credentials = await Promise.all(
    [1, 2].map(async () => await authenticator.get(await requestOptions(app.client()), { counter: 9 })),
  );
  const responses = await Promise.all(credentials.map((credential) => sendCredential(app.client(), credential)));
  deepStrictEqual(responses.map(({ status }) => status).sort(), [200, 401]);
  deepStrictEqual(await failuresOf(userId), ["passkey_counter"]);
});

Deno.test("a removed passkey no longer works, whenever its challenge was issued", async () => {
  const { authenticator, client, id } = await owner();
  const credential = await authenticator.get(await requestOptions(client));
  strictEqual((await client.request(`/api/passkeys/${id}`, { method: "DELETE" })).status, 204);
  deepStrictEqual(await (await sendCredential(app.client(), credential)).json(), REFUSED);
});

Deno.test("a passkey says nothing about the address, and only the right one reveals that it is not confirmed", async () => {
  const { client, id: userId } = await registerUser(app, "unconfirmed@example.com");
  const { authenticator } = await addPasskey(client);
  const guest = app.client();
  const response = await logIn(authenticator, {}, guest);
  deepStrictEqual([response.status, (await response.json()).code], [403, "EMAIL_NOT_VERIFIED"]);
  strictEqual(guest.cookies.size, 0);
  strictEqual((await logIn(authenticator, { forgesSignature: true })).status, 401);
  const { email_verified } = await db.selectFrom("users").select("email_verified").where("id", "=", userId)
    .executeTakeFirstOrThrow();
  strictEqual(email_verified, false);
});

Deno.test("the owner of a closing account logs in with a passkey and can keep it", async () => {
  const { authenticator, client } = await owner();
  strictEqual((await client.request("/api/account", { method: "DELETE" })).status, 202);
  const again = app.client();
  strictEqual((await logIn(authenticator, {}, again)).status, 200);
  strictEqual((await again.get("/api/passkeys")).status, 403);
  strictEqual((await again.request("/auth/passkey/options", { method: "POST" })).status, 200);
  strictEqual((await again.request("/api/account/restore", { method: "POST" })).status, 200);
});

Deno.test("logins by passkey count as logins", async () => {
  const { authenticator } = await owner();
  const client = app.client();
  const statuses = [];
  for (let count = 0; count < 6; count++) statuses.push((await logIn(authenticator, {}, client)).status);
  deepStrictEqual(statuses, [200, 200, 200, 200, 200, 429]);
});

Deno.test("a passkey proves again who someone is", async () => {
  const { authenticator, client, userId } = await owner({ countsUses: true });
  const stranger = await owner();
  const reauthenticate = (credential: Credential) => client.send("POST", "/auth/reauthenticate", { credential });
  app.advance(app.services.config.sudoSeconds + 1);
  const refused = await client.request("/api/passkeys/options", { method: "POST" });
  deepStrictEqual((await refused.json()).details.methods, ["password", "passkey"]);
  const { authenticator: other } = stranger;
  for (
    const wrong of [
      other.get(await requestOptions(client)),
      authenticator.get(await requestOptions(client), { forgesSignature: true }),
    ]
  ) {
    const response = await reauthenticate(await wrong);
    const { code, details } = await response.json();
    deepStrictEqual([response.status, code, details], [403, "PROOF_WRONG", { credential: ["Wrong passkey"] }]);
  }
  const before = client.cookies.get("auth_session");
  const right = await authenticator.get(await requestOptions(client));
  const response = await reauthenticate(right);
  strictEqual(response.status, 200, await response.text());
  strictEqual(client.cookies.get("auth_session") === before, false, "the session has a new token");
  strictEqual((await client.request("/api/passkeys/options", { method: "POST" })).status, 200);
  strictEqual((await reauthenticate(right)).status, 403, "a replay");
  strictEqual(
    (await reauthenticate(await authenticator.get(await requestOptions(client), { counter: 1 }))).status,
    403,
  );
  deepStrictEqual(await failuresOf(userId), ["passkey_counter"]);
  const { credential } = { credential: right };
  strictEqual((await client.send("POST", "/auth/reauthenticate", { credential, password: "x" })).status, 400);
});

Deno.test("an account with a passkey and no password is proved by the passkey, not by an emailed code", async () => {
  const { client, userId, authenticator } = await owner();
  await db.updateTable("users").set({ password_hash: null }).where("id", "=", userId).execute();
  app.advance(app.services.config.sudoSeconds + 1);
  const refused = await client.request("/auth/reauthenticate/code", { method: "POST" });
  deepStrictEqual([refused.status, (await refused.json()).details.methods], [403, ["passkey"]]);
  const code = await issueCode(db, { userId, purpose: "reauthentication" }, app.services);
  strictEqual((await client.send("POST", "/auth/reauthenticate", { code })).status, 403);
  const credential = await authenticator.get(await requestOptions(client));
  strictEqual((await client.send("POST", "/auth/reauthenticate", { credential })).status, 200);
});
