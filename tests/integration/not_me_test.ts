import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { sendAlert } from "../../lib/mail/links/alert.ts";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { signInWithIdp } from "../../lib/sign_in/providers/idp_login.ts";
import {
  mailedPath,
  mailedToken,
  PASSWORD,
  type Registered,
  registerVerifiedUser,
  subjectsTo,
} from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { addPasskey } from "../support/app/passkeys.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { openSharedTestApp, openTestInstance } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const other = await openTestInstance(app);
Deno.test.afterAll(() => other[Symbol.asyncDispose]());
/** A new client of one of two instances, in turns. */
const either = (turn: number) => [app, other][turn % 2].client();
const { services } = app;
/** An instance whose clock goes on at each look, as a real one does. */
const ticking = await openTestInstance(app, (services) => ({
  ...services,
  now() {
    app.advance(0.001);
    return services.now();
  },
}));
Deno.test.afterAll(() => ticking[Symbol.asyncDispose]());
const NEW_PASSWORD = "Another-horse-8";

async function logIn(email: string, password = PASSWORD): Promise<TestClient> {
  const client = app.client();
  strictEqual((await client.send("POST", "/auth/login", { email, password })).status, 200);
  return client;
}

async function changeAddress(client: TestClient, email: string): Promise<void> {
  strictEqual((await client.send("POST", "/api/account/email", { email })).status, 200);
  const response = await client.send("POST", "/auth/confirm-email", { token: await mailedToken(app, email) });
  strictEqual(response.status, 200);
}

/** Reports an act as changing a password does, and returns the token in the alert. */
async function alertToken({ id, email }: Pick<Registered, "id" | "email">): Promise<string> {
  await app.deliverMails();
  await services.db.transaction().execute((trx) =>
    sendAlert(trx, services, { kind: "password_changed", userId: id, client: SOME_CLIENT, now: services.now() })
  );
  return await mailedToken(app, email);
}

async function notMe(token: string, client = app.client()): Promise<[number, string | undefined]> {
  const response = await client.send("POST", "/auth/not-me", { token });
  return [response.status, (await response.json()).code];
}

async function userRow(id: string) {
  return await services.db.selectFrom("users").select([
    "email",
    "email_verified",
    "password_hash",
    "idp_id",
    "provider",
    "deletion_due_at",
  ])
    .where("id", "=", id).executeTakeFirstOrThrow();
}

async function kindsOf(id: string): Promise<string[]> {
  const rows = await services.db.selectFrom("events").select("kind").where("user_id", "=", id).orderBy("id").execute();
  return rows.map(({ kind }) => kind);
}

/** Sets a password with the link in the last email to the address. */
async function resetPassword(email: string): Promise<number> {
  const body = { email, token: await mailedToken(app, email), password: NEW_PASSWORD };
  return (await app.client().send("POST", "/auth/reset-password", body)).status;
}

Deno.test("“not me” takes the account back from a thief who changed the address", async () => {
  const owner = await registerVerifiedUser(app, "owner@example.com");
  const thief = await logIn(owner.email);
  const token = await mailedToken(app, owner.email);
  app.advance(60);
  await changeAddress(thief, "thief@example.com");
  const thiefAlert = await alertToken({ id: owner.id, email: "thief@example.com" });
  await app.client().send("POST", "/auth/forgot-password", { email: "thief@example.com" });
  const thiefReset = await mailedToken(app, "thief@example.com");

  const response = await app.client().send("POST", "/auth/not-me", { token });
  deepStrictEqual([response.status, await response.json()], [200, {
    success: true,
    message: "Your account is secure. An email with a link to get back in is on its way.",
  }]);
  deepStrictEqual(await userRow(owner.id), {
    email: owner.email,
    email_verified: true,
    password_hash: null,
    idp_id: null,
    provider: "email",
    deletion_due_at: null,
  });
  for (const client of [owner.client, thief]) strictEqual((await client.get("/api/profile")).status, 401);
  deepStrictEqual((await kindsOf(owner.id)).slice(-4), [
    "email.reverted",
    "password.changed",
    "session.ended",
    "session.ended",
  ]);

  deepStrictEqual(await notMe(thiefAlert), [400, "INVALID_TOKEN"], "an alert to the thief’s address");
  for (const email of ["thief@example.com", owner.email]) {
    const body = { email, token: thiefReset, password: PASSWORD };
    strictEqual((await app.client().send("POST", "/auth/reset-password", body)).status, 400);
  }
  strictEqual((await subjectsTo(app, owner.email)).at(-1), "Choose a new Foyer password");
  strictEqual(await resetPassword(owner.email), 200);
  await logIn(owner.email, NEW_PASSWORD);
  await registerVerifiedUser(app, "thief@example.com"); // is no longer taken
});

Deno.test("the notice about a requested change stops it", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "noticed@example.com");
  strictEqual((await client.send("POST", "/api/account/email", { email: "noticed-new@example.com" })).status, 200);
  const confirmation = await mailedToken(app, "noticed-new@example.com");
  strictEqual((await notMe(await mailedToken(app, email)))[0], 200);
  strictEqual((await app.client().send("POST", "/auth/confirm-email", { token: confirmation })).status, 400);
  strictEqual((await userRow(id)).email, email);
});

Deno.test("a link works once, for seven days", async () => {
  for (const [seconds, status] of [[7 * DAY_SECONDS - 1, 200], [7 * DAY_SECONDS, 400]]) {
    const user = await registerVerifiedUser(app, `seven-${status}@example.com`);
    const token = await alertToken(user);
    app.advance(seconds);
    strictEqual((await notMe(token))[0], status);
    deepStrictEqual(await notMe(token), [400, "INVALID_TOKEN"]);
  }
  deepStrictEqual(await notMe("wrong"), [400, "INVALID_TOKEN"]);
});

Deno.test("a reported change can be undone after further changes, and earlier alerts keep working", async () => {
  const owner = await registerVerifiedUser(app, "first@example.com");
  const early = await alertToken(owner);
  app.advance(60);
  const late = await alertToken(owner);
  app.advance(60);
  const thief = await logIn(owner.email);
  await changeAddress(thief, "second@example.com");
  app.advance(60);
  await changeAddress(thief, "third@example.com");
  const second = await mailedToken(app, "second@example.com");
  strictEqual((await notMe(late))[0], 200);
  strictEqual((await userRow(owner.id)).email, "first@example.com");
  deepStrictEqual(await notMe(second), [400, "INVALID_TOKEN"]);
  strictEqual((await notMe(early))[0], 200);
});

Deno.test("identities, devices and alerts that came later are removed, and earlier ones stay", async () => {
  const identity = {
    provider: "default",
    subject: "thief",
    email: "linked@example.com",
    emailVerified: true,
    name: "Ada",
    picture: null,
    groups: null,
  };
  const owner = await registerVerifiedUser(app, identity.email);
  app.advance(60);
  const token = await alertToken(owner);
  app.advance(60);
  await signInWithIdp(services, identity, SOME_CLIENT);
  strictEqual((await userRow(owner.id)).idp_id, "thief");
  const devices = async () =>
    (await services.db.selectFrom("devices").select("token_hash").where("user_id", "=", owner.id).execute()).length;
  strictEqual(await devices(), 2);
  strictEqual((await notMe(token))[0], 200);
  const { idp_id, provider } = await userRow(owner.id);
  deepStrictEqual([idp_id, provider, await devices()], [null, "email", 1]);
  ok((await kindsOf(owner.id)).includes("identity.unlinked"));

  app.advance(60);
  await signInWithIdp(services, { ...identity, subject: "own" }, SOME_CLIENT);
  app.advance(60);
  strictEqual((await notMe(await alertToken(owner)))[0], 200);
  strictEqual((await userRow(owner.id)).idp_id, "own");
});

Deno.test("the link for a new password is emailed also when the limit of reset emails is used up", async () => {
  const { email, id } = await registerVerifiedUser(app, "limited@example.com");
  for (let count = 0; count < 4; count++) await app.client().send("POST", "/auth/forgot-password", { email });
  strictEqual((await notMe(await alertToken({ email, id })))[0], 200);
  strictEqual(await resetPassword(email), 200);
});

Deno.test("opening the emailed links twenty times changes nothing", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "scanned@example.com");
  await logIn(email);
  const alert = await mailedPath(app, email);
  strictEqual((await client.send("POST", "/api/account/email", { email: "scanned-new@example.com" })).status, 200);
  const confirmation = await mailedPath(app, "scanned-new@example.com");
  const state = async () => [
    await userRow(id),
    await kindsOf(id),
    await services.db.selectFrom("not_me_tokens").selectAll().where("user_id", "=", id).orderBy("id").execute(),
    await services.db.selectFrom("email_change_tokens").selectAll().where("user_id", "=", id).execute(),
    await services.db.selectFrom("sessions").select("id").where("user_id", "=", id).orderBy("id").execute(),
  ];
  const before = await state();
  for (const path of [alert, confirmation]) {
    const responses = await Promise.all(
      Array.from(
        { length: 20 },
        (_, index) => app.client().request(path, { method: index % 5 === 0 ? "HEAD" : "GET" }),
      ),
    );
    ok(responses.every(({ status }) => status === 200));
    const [response] = responses;
    deepStrictEqual([response.headers.get("Cache-Control"), response.headers.get("X-Robots-Tag")], [
      "no-store",
      "noindex",
    ]);
  }
  deepStrictEqual(await state(), before);
  match(await (await app.client().get(alert)).text(), /Secure my account/);
});

Deno.test("the page secures the account, and says when its link no longer works", async () => {
  const { email, id } = await registerVerifiedUser(app, "page@example.com");
  const token = await alertToken({ email, id });
  const client = app.client();
  const response = await client.submit("/not-me", { token });
  deepStrictEqual([response.status, response.headers.get("Location")], [303, "/login"]);
  match(await (await client.get("/login")).text(), /Your account is secure\./);
  const dead = await readPage(client.get(`/not-me?token=${token}`));
  match(dead.text, /This link has expired or has already been used\./);
  deepStrictEqual(dead.forms, []);
  strictEqual((await client.submit("/not-me", { token })).status, 400);
});

Deno.test("of 50 concurrent reports with one link on two instances, exactly one succeeds", async () => {
  const owner = await registerVerifiedUser(app, "fifty@example.com");
  const token = await alertToken(owner);
  const statuses = await Promise.all(
    Array.from({ length: 50 }, async (_, turn) => (await notMe(token, either(turn)))[0]),
  );
  deepStrictEqual(statuses.sort(), [200, ...Array(49).fill(400)]);
  strictEqual(
    (await subjectsTo(app, owner.email)).filter((subject) => subject === "Choose a new Foyer password").length,
    1,
  );
});

Deno.test("whatever a thief does at the same time on two instances, the owner ends with the account", async () => {
  using _costs = app.useRealCosts();
  for (let round = 0; round < 5; round++) {
    const owner = await registerVerifiedUser(app, `raced-${round}@example.com`);
    const { id, email } = owner;
    const thief = await logIn(email);
    const token = await mailedToken(app, email);
    app.advance(60);
    const thiefAddress = `racing-thief-${round}@example.com`;
    strictEqual((await thief.send("POST", "/api/account/email", { email: thiefAddress })).status, 200);
    const confirmation = await mailedToken(app, thiefAddress);
    const session = { Cookie: `auth_session=${thief.cookies.get("auth_session")}` };
    const passwords = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, keepOthers: true };
    const attempts = [
      (client: TestClient) => client.send("POST", "/auth/login", { email, password: PASSWORD }),
      (client: TestClient) => client.send("POST", "/auth/confirm-email", { token: confirmation }),
      (client: TestClient) => client.send("POST", "/api/account/email", { email: `x-${thiefAddress}` }, session),
      (client: TestClient) => client.send("POST", "/auth/reauthenticate", { password: PASSWORD }, session),
      (client: TestClient) => client.send("PUT", "/api/account/password", passwords, session),
      (client: TestClient) => client.send("POST", "/auth/forgot-password", { email }),
      (client: TestClient) => client.request("/api/account", { method: "DELETE", headers: session }),
    ];
    const crowd = (length: number) =>
      Array.from({ length }, (_, turn) => attempts[(turn + 6 * round) % attempts.length](either(turn)));
    // In each round, more attempts come before the report, and another kind comes first: the second time, the closing.
    const earlier = crowd(10 * round);
    const [[status]] = await Promise.all([notMe(token), ...earlier, ...crowd(50 - 10 * round)]);
    strictEqual(status, 200);
    const row = await userRow(id);
    deepStrictEqual([row.email, row.password_hash, row.deletion_due_at], [email, null, null]);
    const sessions = await services.db.selectFrom("sessions").select("id").where("user_id", "=", id).execute();
    strictEqual(sessions.length, 0);
    const open = await services.db.selectFrom("email_change_tokens").select("id")
      .where("user_id", "=", id).where("used", "=", false).execute();
    strictEqual(open.length, 0);
    await app.deliverMails();
    strictEqual((await app.client().send("POST", "/auth/confirm-email", { token: confirmation })).status, 400);
  }
});

Deno.test("while the owner takes an address back, no one else can register it", async () => {
  using _costs = app.useRealCosts();
  const owner = await registerVerifiedUser(app, "kept@example.com");
  const thief = await logIn(owner.email);
  const token = await mailedToken(app, owner.email);
  app.advance(60);
  await changeAddress(thief, "kept-thief@example.com");
  const register = async () => {
    const body = { name: "Eve", email: owner.email, password: PASSWORD };
    return (await app.client().send("POST", "/auth/register", body)).status;
  };
  const identity = {
    provider: "default",
    subject: "squatter",
    email: owner.email,
    emailVerified: true,
    name: "Eve",
    picture: null,
    groups: null,
  };
  const squat = () => signInWithIdp(services, identity, SOME_CLIENT).then(() => "in", ({ refusal }) => refusal);
  strictEqual(await squat(), "idp_email");
  const [[status], ...others] = await Promise.all([notMe(token), ...Array.from({ length: 20 }, register)]);
  strictEqual(status, 200);
  deepStrictEqual(others, Array(20).fill(409));
});

Deno.test("“not me” undoes the reported act itself, however long the act takes", async () => {
  const countRows = async (table: "passkeys" | "devices", id: string) =>
    (await services.db.selectFrom(table).select("user_id").where("user_id", "=", id).execute()).length;
  const acts: [name: string, act: (client: TestClient) => Promise<unknown>, left: (id: string) => Promise<unknown>][] =
    [
      ["login", () => Promise.resolve(), async (id) => await countRows("devices", id) - 1],
      ["passkey", (client) => addPasskey(client), (id) => countRows("passkeys", id)],
      [
        "closing",
        (client) => client.request("/api/account", { method: "DELETE" }),
        async (id) =>
          (await services.db.selectFrom("users").select("deletion_due_at").where("id", "=", id)
            .executeTakeFirstOrThrow())
            .deletion_due_at ?? 0,
      ],
    ];
  for (const [name, act, left] of acts) {
    const { id, email } = await registerVerifiedUser(app, `ticking-${name}@example.com`);
    const thief = ticking.client();
    strictEqual((await thief.send("POST", "/auth/login", { email, password: PASSWORD })).status, 200);
    if (name !== "login") await app.deliverMails();
    await act(thief);
    deepStrictEqual(await notMe(await mailedToken(app, email)), [200, undefined], name);
    strictEqual(await left(id), 0, name);
  }
});
