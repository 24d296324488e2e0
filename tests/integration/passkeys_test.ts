import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CHALLENGE_SECONDS } from "../../lib/sign_in/passkeys/challenge.ts";
import { MAX_PASSKEYS } from "../../lib/sign_in/passkeys/passkey_addition.ts";
import { logIn, mailedToken, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { addPasskey, creationOptions, requestOptions } from "../support/app/passkeys.ts";
import { certificateStatement, type Deviation, SoftwareAuthenticator } from "../support/app/software_authenticator.ts";
import { BASE_URL, openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { statusAndCode } from "../support/app/test_client.ts";

const app = await openSharedTestApp();
const { db, config } = app.services;
const SUDO = config.sudoSeconds;
let people = 0;
const person = () => registerVerifiedUser(app, `adds-${++people}@example.com`);

function add(client: TestClient, credential: unknown, name = "Key"): Promise<Response> {
  return client.send("POST", "/api/passkeys", { name, credential });
}

Deno.test("the options ask for a passkey that verifies its user, and name the account's other passkeys", async () => {
  const { client, id, email } = await person();
  const { authenticator } = await addPasskey(client);
  const response = await client.request("/api/passkeys/options", { method: "POST" });
  const { options: { challenge, user, ...options } } = await response.json();
  deepStrictEqual(options, {
    rp: { id: "foyer.test", name: "Foyer" },
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: "public-key", alg })),
    timeout: 600_000,
    excludeCredentials: [{ type: "public-key", id: authenticator.id, transports: ["internal"] }],
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  });
  deepStrictEqual([user.name, user.displayName, atob(user.id)], [email, "Ada Lovelace", id]);
  ok(challenge.length > 40);
  notStrictEqual((await creationOptions(client)).challenge, challenge);
});

Deno.test("a passkey is added, listed, renamed and removed, and its owner is told", async () => {
  const { client, id: userId, email } = await person();
  const { id } = await addPasskey(client, { name: "  My phone " });
  const now = Math.floor(app.services.now().getTime() / 1000);
  const passkey = { id, name: "My phone", createdAt: now, lastUsedAt: null, backedUp: true };
  deepStrictEqual(await (await client.get("/api/passkeys")).json(), { data: [passkey], nextCursor: null });
  strictEqual((await (await client.get("/api/account")).json()).data.passkeys, 1);

  const rename = (name: string, by = client) =>
    by.request(`/api/passkeys/${id}`, {
      method: "PATCH",
      body: JSON.stringify({ name }),
      headers: { "Content-Type": "application/json" },
    });
  const renamed = await rename("n".repeat(100));
  deepStrictEqual(await renamed.json(), { data: { ...passkey, name: "n".repeat(100) } });
  for (const name of ["", " ", "n".repeat(101), "a\nb"]) strictEqual((await rename(name)).status, 400, name);

  const stranger = await person();
  strictEqual((await rename("Mine", stranger.client)).status, 404);
  const remove = (path: string, by = client) => by.request(path, { method: "DELETE" });
  strictEqual((await remove(`/api/passkeys/${id}`, stranger.client)).status, 404);
  for (const other of [crypto.randomUUID(), "x", "%00"]) {
    strictEqual((await remove(`/api/passkeys/${other}`)).status, 404, other);
  }
  strictEqual((await remove(`/api/passkeys/${id}`)).status, 204);
  deepStrictEqual(await (await client.get("/api/passkeys")).json(), { data: [], nextCursor: null });

  const events = await db.selectFrom("events").select(["kind", "details"]).where("user_id", "=", userId)
    .where("kind", "in", ["passkey.added", "passkey.removed"]).orderBy("id").execute();
  deepStrictEqual(events.map(({ kind, details }) => [kind, details]), [
    ["passkey.added", { name: "My phone" }],
    ["passkey.removed", { name: "n".repeat(100) }],
  ]);
  await app.deliverMails();
  const subjects = app.mails.filter(({ to }) => to === email).map(({ subject }) => subject);
  for (const what of ["A passkey was added", "A passkey was removed"]) {
    strictEqual(subjects.filter((subject) => subject.startsWith(what)).length, 1, what);
  }
});

Deno.test("adding and removing need a recent proof, but the second call of an addition does not", async () => {
  const { client } = await person();
  const { id } = await addPasskey(client);
  const options = await creationOptions(client);
  app.advance(SUDO - CHALLENGE_SECONDS / 2);
  const late = await creationOptions(client);
  app.advance(CHALLENGE_SECONDS / 2 + 1);
  const authenticator = new SoftwareAuthenticator(BASE_URL);
  deepStrictEqual(await statusAndCode(await client.request("/api/passkeys/options", { method: "POST" })), [
    403,
    "REAUTHENTICATION_REQUIRED",
  ]);
  deepStrictEqual(await statusAndCode(await client.request(`/api/passkeys/${id}`, { method: "DELETE" })), [
    403,
    "REAUTHENTICATION_REQUIRED",
  ]);
  strictEqual((await add(client, await authenticator.create(options))).status, 400, "its challenge has expired");
  strictEqual((await add(client, await authenticator.create(late))).status, 201);
});

Deno.test("a challenge works for ten minutes", async () => {
  const { client } = await person();
  const [inTime, late] = [await creationOptions(client), await creationOptions(client)];
  app.advance(CHALLENGE_SECONDS);
  strictEqual((await add(client, await new SoftwareAuthenticator(BASE_URL).create(inTime))).status, 201);
  app.advance(0.001);
  strictEqual((await add(client, await new SoftwareAuthenticator(BASE_URL).create(late))).status, 400);
});

Deno.test("a passkey that is wrong in any way is not added", async () => {
  const { client, id } = await person();
  const stranger = await person();
  const unsigned = btoa("x".repeat(56)).replaceAll("=", "");
  const cases: [name: string, deviation: Deviation, challenge?: string][] = [
    ["another origin", { origin: "https://evil.example" }],
    ["an origin that starts like ours", { origin: `${BASE_URL}.evil.example` }],
    ["inside a page of another site", { crossOrigin: true }],
    ["another RP id", { rpId: "evil.example" }],
    ["a user who was not verified", { isUserVerified: false }],
    ["an algorithm that we did not ask for", { algorithm: -35 }],
    ["a post-quantum algorithm", { algorithm: -48 }],
    ["a certificate", { attestation: { format: "packed", statement: certificateStatement(new Uint8Array(64)) } }],
    ["a format that needs certificates", { attestation: { format: "apple", statement: Uint8Array.of(0xa0) } }],
    ["a challenge of another account", {}, (await creationOptions(stranger.client)).challenge],
    ["a challenge for logging in", {}, (await requestOptions(client)).challenge],
    ["a challenge of its own making", {}, unsigned],
    ["no challenge", {}, ""],
  ];
  for (const [name, deviation, challenge] of cases) {
    const options = await creationOptions(client);
    const authenticator = new SoftwareAuthenticator(BASE_URL);
    const credential = await authenticator.create({ ...options, challenge: challenge ?? options.challenge }, deviation);
    const response = await add(client, credential);
    const body = await response.json();
    deepStrictEqual([response.status, body.code, Object.keys(body.details)], [400, "VALIDATION_FAILED", [
      "credential",
    ]], name);
  }
  const options = await creationOptions(client);
  const credential = await new SoftwareAuthenticator(BASE_URL).create(options);
  const others = [
    null,
    "x",
    {},
    { ...credential, id: "other" },
    { ...credential, type: "password" },
    { ...credential, response: { ...credential.response, attestationObject: "AAAA" } },
    { ...credential, response: { ...credential.response, clientDataJSON: "AAAA" } },
  ];
  for (const each of others) {
    deepStrictEqual(await statusAndCode(await add(client, each)), [400, "VALIDATION_FAILED"], JSON.stringify(each));
  }
  const { count } = await db.selectFrom("passkeys").select((eb) => eb.fn.countAll().as("count"))
    .where("user_id", "=", id).executeTakeFirstOrThrow();
  strictEqual(Number(count), 0);
});

Deno.test("one challenge adds one passkey, and one passkey belongs to one account", async () => {
  const { client } = await person();
  const options = await creationOptions(client);
  const authenticators = [new SoftwareAuthenticator(BASE_URL), new SoftwareAuthenticator(BASE_URL)];
  const credentials = await Promise.all(authenticators.map((each) => each.create(options)));
  const responses = await Promise.all(credentials.map((credential) => add(client, credential)));
  deepStrictEqual(responses.map(({ status }) => status).sort(), [201, 400]);
  const [kept] = credentials.filter((_, index) => responses[index].status === 201);
  strictEqual((await add(client, kept)).status, 400, "a replay");

  const stranger = await person();
  const [owner] = authenticators.filter(({ id }) => id === kept.id);
  const stolen = await owner.create(await creationOptions(stranger.client));
  deepStrictEqual(await statusAndCode(await add(stranger.client, stolen)), [400, "VALIDATION_FAILED"]);
});

Deno.test("a user has at most ten passkeys", async () => {
  const { client } = await person();
  for (let count = 1; count < MAX_PASSKEYS; count++) await addPasskey(client);
  const options = [await creationOptions(client), await creationOptions(client)];
  const credentials = await Promise.all(options.map((each) => new SoftwareAuthenticator(BASE_URL).create(each)));
  const responses = await Promise.all(credentials.map((credential) => add(client, credential)));
  deepStrictEqual(responses.map(({ status }) => status).sort(), [201, 409]);
  const [refused] = responses.filter(({ status }) => status === 409);
  strictEqual((await refused.json()).code, "TOO_MANY");
  strictEqual((await (await client.get("/api/passkeys")).json()).data.length, 10);
});

Deno.test("the only way in cannot be removed, and a passkey counts as one", async () => {
  const { client, id: userId } = await person();
  const { id } = await addPasskey(client);
  await db.updateTable("users").set({ password_hash: null }).where("id", "=", userId).execute();
  const identity = { id: crypto.randomUUID(), user_id: userId, provider: "default", subject: `issuer ${userId}` };
  await db.insertInto("identities").values({ ...identity, email: null, linked_at: app.services.now() }).execute();
  const unlink = () => client.request(`/api/account/identities/${identity.id}`, { method: "DELETE" });
  const remove = () => client.request(`/api/passkeys/${id}`, { method: "DELETE" });
  strictEqual((await unlink()).status, 204);
  deepStrictEqual(await statusAndCode(await remove()), [409, "LAST_SIGN_IN_METHOD"]);
  await addPasskey(client);
  strictEqual((await remove()).status, 204);
});

Deno.test("an account's passkeys are its own: without a session there is nothing", async () => {
  const guest = app.client();
  for (
    const [method, path] of [["GET", ""], ["POST", ""], ["POST", "/options"], ["DELETE", `/${crypto.randomUUID()}`]]
  ) {
    strictEqual((await guest.request(`/api/passkeys${path}`, { method })).status, 401, `${method} ${path}`);
  }
});

Deno.test("the export contains passkeys, and deleting the account deletes them", async () => {
  const { client, id } = await person();
  const { authenticator } = await addPasskey(client);
  const { passkeys: [passkey] } = await (await client.get("/api/account/export")).json();
  deepStrictEqual([passkey.name, passkey.credentialId, passkey.transports], ["My phone", authenticator.id, [
    "internal",
  ]]);
  await db.deleteFrom("users").where("id", "=", id).execute();
  strictEqual(await db.selectFrom("passkeys").select("id").where("user_id", "=", id).executeTakeFirst(), undefined);
});

Deno.test("both directions use one list of algorithms", async () => {
  const { client } = await person();
  const response = await client.request("/api/passkeys/options", { method: "POST" });
  const { options: { pubKeyCredParams } } = await response.json();
  strictEqual(pubKeyCredParams.length, 3);
  for (const { alg: algorithm } of pubKeyCredParams) {
    const options = await creationOptions(client);
    const credential = await new SoftwareAuthenticator(BASE_URL).create(options, { algorithm });
    strictEqual((await add(client, credential)).status, 201, algorithm);
  }
});

Deno.test("a registrant who never confirmed the address loses their passkeys to its owner", async () => {
  const registrant = await registerUser(app, "taken@example.com");
  await addPasskey(registrant.client);
  const token = await mailedToken(app, registrant.email);
  const owner = app.client();
  const response = await owner.send("POST", "/auth/verify-email", { email: registrant.email, token });
  strictEqual(response.status, 200);
  deepStrictEqual(await passkeysOf(registrant.id), []);

  const careful = await registerUser(app, "own@example.com");
  await addPasskey(careful.client);
  const ownToken = await mailedToken(app, careful.email);
  await careful.client.send("POST", "/auth/verify-email", { email: careful.email, token: ownToken });
  strictEqual((await passkeysOf(careful.id)).length, 1, "the session that added it confirmed the address");

  const reset = await registerUser(app, "reset@example.com");
  await addPasskey(reset.client);
  await app.deliverMails();
  await owner.send("POST", "/auth/forgot-password", { email: reset.email });
  const password = "Correct-horse-8";
  const resetToken = await mailedToken(app, reset.email);
  await owner.send("POST", "/auth/reset-password", { email: reset.email, token: resetToken, password });
  deepStrictEqual(await passkeysOf(reset.id), []);
});

Deno.test("a reset of a confirmed account keeps its passkeys, and “not me” removes those that were added since", async () => {
  const { client, id, email } = await person();
  await addPasskey(client, { name: "Mine" });
  await app.deliverMails();
  await client.send("POST", "/auth/forgot-password", { email });
  const password = "Correct-horse-8";
  await client.send("POST", "/auth/reset-password", { email, token: await mailedToken(app, email), password });
  deepStrictEqual(await passkeysOf(id), ["Mine"]);

  app.advance(60);
  const thief = app.client();
  await logIn(thief, email, password);
  await addPasskey(thief, { name: "A thief’s" });
  const token = await mailedToken(app, email);
  app.advance(60);
  await addPasskey(thief, { name: "Another" });
  strictEqual((await app.client().send("POST", "/auth/not-me", { token })).status, 200);
  deepStrictEqual(await passkeysOf(id), ["Mine"]);
});

async function passkeysOf(userId: string): Promise<string[]> {
  const rows = await db.selectFrom("passkeys").select("name").where("user_id", "=", userId).orderBy("id").execute();
  return rows.map(({ name }) => name);
}
