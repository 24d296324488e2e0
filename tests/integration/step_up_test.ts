import { deepStrictEqual, match, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { hashPassword } from "../../lib/crypto/password.ts";
import { MINUTE_SECONDS } from "../../lib/duration.ts";
import { checkProof, requireRecentProof } from "../../lib/sign_in/proof.ts";
import {
  mailedCode,
  PASSWORD,
  principalOf,
  registerVerifiedUser,
  registerWithoutPassword,
} from "../support/app/accounts.ts";
import { openSharedTestApp, openTestApp, type TestApp } from "../support/app/test_app.ts";
import { problemOf, type TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp();
const PATH = "/auth/reauthenticate";
const WRONG = "Wrong-horse-77";

/** Asks for a code and returns it. */
async function emailedCode(client: TestClient, email: string, at: TestApp = app): Promise<string> {
  strictEqual((await client.request(`${PATH}/code`, { method: "POST" })).status, 200);
  return await mailedCode(at, email);
}

async function isProved(client: TestClient): Promise<boolean> {
  const principal = await principalOf(app, client);
  return await requireRecentProof(app.services, principal).then(() => true, () => false);
}

Deno.test("a sign-in counts as a proof for 15 minutes, and so does the password again", async () => {
  const { client } = await registerVerifiedUser(app, "proving@example.com");
  app.advance(15 * MINUTE_SECONDS);
  ok(await isProved(client));
  app.advance(1);
  await rejects(principalOf(app, client).then((principal) => requireRecentProof(app.services, principal)), {
    code: "REAUTHENTICATION_REQUIRED",
    data: { methods: ["password"] },
  });
  const response = await client.send("POST", PATH, { password: PASSWORD });
  deepStrictEqual([response.status, await response.json()], [200, {
    success: true,
    message: "Identity confirmed",
    expiresAt: Math.floor(app.services.now().getTime() / 1000) + 15 * MINUTE_SECONDS,
  }]);
  ok(await isProved(client));
});

Deno.test("a proof gives the session a new token, and keeps its id and its end", async () => {
  const { client } = await registerVerifiedUser(app, "renewing@example.com");
  const facts = () =>
    app.services.db.selectFrom("sessions").select(["public_id", "expires_at", "method"])
      .where("client_address", "is not", null).orderBy("created_at", "desc").orderBy("public_id", "desc").limit(1)
      .executeTakeFirstOrThrow();
  const before = client.cookies.get("auth_session")!;
  const session = await facts();
  app.advance(60);
  const response = await client.send("POST", PATH, { password: PASSWORD });
  const [line, ...others] = response.headers.getSetCookie();
  strictEqual(others.length, 0);
  match(line, /^auth_session=[\w-]{43}; Max-Age=604740; Path=\/; HttpOnly; SameSite=Strict$/);
  notStrictEqual(client.cookies.get("auth_session"), before);
  deepStrictEqual(await facts(), session);
  strictEqual((await app.client().get("/api/profile", { Cookie: `auth_session=${before}` })).status, 401);
  strictEqual((await client.get("/api/profile")).status, 200);
});

Deno.test("of concurrent proofs of one session, exactly one renews it", async () => {
  const { client } = await registerVerifiedUser(app, "crowded-proofs@example.com");
  const token = client.cookies.get("auth_session")!;
  const clients = Array.from({ length: 8 }, () => app.client());
  const responses = await Promise.all(
    clients.map((each) => each.send("POST", PATH, { password: PASSWORD }, { Cookie: `auth_session=${token}` })),
  );
  const winners = clients.filter((_, index) => responses[index].status === 200);
  strictEqual(winners.length, 1);
  ok(responses.every(({ status }) => status === 200 || status === 401));
  strictEqual((await winners[0].get("/api/profile")).status, 200);
});

Deno.test("a wrong password is refused, and proves nothing", async () => {
  const { client } = await registerVerifiedUser(app, "wrong-proof@example.com");
  app.advance(15 * MINUTE_SECONDS + 1);
  const response = await client.send("POST", PATH, { password: WRONG });
  deepStrictEqual(await problemOf(response), [403, "PROOF_WRONG", { password: ["Wrong password"] }]);
  strictEqual(response.headers.get("Set-Cookie"), null);
  ok(!await isProved(client));
});

Deno.test("a proof needs a session and exactly one of password and code", async () => {
  const { client } = await registerVerifiedUser(app, "invalid-proof@example.com");
  strictEqual((await app.client().send("POST", PATH, { password: PASSWORD })).status, 401);
  strictEqual((await app.client().request(`${PATH}/code`, { method: "POST" })).status, 401);
  for (const body of [{}, { password: PASSWORD, code: "12345678" }, { password: "" }, { code: 1 }]) {
    strictEqual((await client.send("POST", PATH, body)).status, 400, JSON.stringify(body));
  }
});

Deno.test("an account without a password proves itself with an emailed code, once", async () => {
  const { client, email } = await registerWithoutPassword(app, "coded@example.com");
  deepStrictEqual(await problemOf(await client.send("POST", PATH, { password: PASSWORD })), [
    403,
    "PROOF_WRONG",
    { password: ["Wrong password"] },
  ]);
  app.advance(15 * MINUTE_SECONDS + 1);
  const first = await emailedCode(client, email);
  const code = await emailedCode(client, email);
  if (first !== code) strictEqual((await client.send("POST", PATH, { code: first })).status, 403, "it was replaced");
  ok(!await isProved(client));
  const spaced = `${code.slice(0, 4)} ${code.slice(4)}`;
  strictEqual((await client.send("POST", PATH, { code: spaced })).status, 200);
  ok(await isProved(client));
  strictEqual((await client.send("POST", PATH, { code })).status, 403);
});

Deno.test("the email with a code that has been replaced is no longer sent", async () => {
  const { client, email } = await registerWithoutPassword(app, "replaced-code@example.com");
  await app.deliverMails();
  const before = app.mails.length;
  strictEqual((await client.request(`${PATH}/code`, { method: "POST" })).status, 200);
  const code = await emailedCode(client, email);
  strictEqual(app.mails.length, before + 1);
  strictEqual((await client.send("POST", PATH, { code })).status, 200);
});

Deno.test("a code works for ten minutes, five tries and its own account", async () => {
  const { client, email } = await registerWithoutPassword(app, "tries@example.com");
  const other = await registerWithoutPassword(app, "tries-too@example.com");
  const wrong = (code: string) => code === "00000000" ? "11111111" : "00000000";

  const late = await emailedCode(client, email);
  app.advance(10 * MINUTE_SECONDS);
  strictEqual((await client.send("POST", PATH, { code: late })).status, 403);

  const foreign = await emailedCode(other.client, other.email);
  const own = await emailedCode(client, email);
  if (foreign !== own) strictEqual((await client.send("POST", PATH, { code: foreign })).status, 403);

  for (const [wrongTries, status] of [[4, 200], [5, 403]]) {
    const code = await emailedCode(client, email);
    app.advance(10 * MINUTE_SECONDS - 1);
    for (let tries = 0; tries < wrongTries; tries++) {
      strictEqual((await client.send("POST", PATH, { code: wrong(code) })).status, 403);
    }
    strictEqual((await client.send("POST", PATH, { code })).status, status, `after ${wrongTries} wrong tries`);
  }
});

Deno.test("of concurrent uses of one code, exactly one succeeds", async () => {
  const { client, email } = await registerWithoutPassword(app, "crowded-code@example.com");
  const code = await emailedCode(client, email);
  const Cookie = `auth_session=${client.cookies.get("auth_session")}`;
  const responses = await Promise.all(
    Array.from({ length: 5 }, () => app.client().send("POST", PATH, { code }, { Cookie })),
  );
  strictEqual(responses.filter(({ status }) => status === 200).length, 1);
});

Deno.test("a code proves nothing once the account has a password", async () => {
  const { client, email, id } = await registerWithoutPassword(app, "code-then-password@example.com");
  const code = await emailedCode(client, email);
  const password_hash = await hashPassword(PASSWORD, { iterations: 100_000, owner: "test" });
  await app.services.db.updateTable("users").set({ password_hash }).where("id", "=", id).execute();
  deepStrictEqual(await problemOf(await client.send("POST", PATH, { code })), [
    403,
    "PROOF_WRONG",
    { code: ["Wrong code"] },
  ]);
});

Deno.test("an account with a password gets no code", async () => {
  const { client, email } = await registerVerifiedUser(app, "no-code@example.com");
  const mails = app.mails.length;
  const response = await client.request(`${PATH}/code`, { method: "POST" });
  deepStrictEqual(await problemOf(response), [403, "REAUTHENTICATION_REQUIRED", { methods: ["password"] }]);
  await app.deliverMails();
  ok(app.mails.slice(mails).every(({ to }) => to !== email));
});

Deno.test("five wrong proofs in 15 minutes are accepted for checking, and right ones do not count", async () => {
  await using limited = await openTestApp({ LIMIT_PROOF: "" }); // the default
  const { client, id } = await registerVerifiedUser(limited, "limited@example.com");
  const send = (password: string) => client.send("POST", PATH, { password });
  const limitsOf = ({ headers }: Response) => [headers.get("RateLimit-Policy"), headers.get("RateLimit")];
  const policy = '"proof";q=5;w=900';
  deepStrictEqual(limitsOf(await send(PASSWORD)), [policy, '"proof";r=5;t=900']);
  for (let left = 4; left >= 0; left--) {
    const refused = await send(WRONG);
    deepStrictEqual([refused.status, ...limitsOf(refused)], [403, policy, `"proof";r=${left};t=900`]);
    if (left > 0) strictEqual((await send(PASSWORD)).status, 200);
  }
  const refused = await send(PASSWORD);
  deepStrictEqual([refused.status, refused.headers.get("Retry-After")], [429, "900"]);
  deepStrictEqual(limitsOf(refused), [policy, '"proof";r=0;t=900']);
  const other = await registerVerifiedUser(limited, "unlimited@example.com");
  strictEqual((await other.client.send("POST", PATH, { password: PASSWORD })).status, 200, "each account has its own");
  limited.advance(900);
  strictEqual((await send(PASSWORD)).status, 200);

  using _costs = limited.useRealCosts();
  const Cookie = `auth_session=${client.cookies.get("auth_session")}`;
  const crowd = await Promise.all(
    Array.from({ length: 20 }, () => limited.client().send("POST", PATH, { password: WRONG }, { Cookie })),
  );
  strictEqual(crowd.filter(({ status }) => status === 403).length, 5, id);
});

Deno.test("a burst of right proofs does not use up the limit", async () => {
  await using limited = await openTestApp({ LIMIT_PROOF: "2/900" });
  const wrong = { kind: "proof.failed", userId: "hurried", client: null } as const;
  const check = (isRight: () => Promise<boolean>) =>
    checkProof(limited.services, { proof: "password", field: "password", isRight, wrong });
  const verdict = Promise.withResolvers<boolean>();
  const slow = Array.from({ length: 2 }, () => {
    const started = Promise.withResolvers<void>();
    const checked = check(() => {
      started.resolve();
      return verdict.promise;
    });
    return { checked, started: started.promise };
  });
  await Promise.all(slow.map(({ started }) => started));
  for (let i = 0; i < 3; i++) await rejects(check(() => Promise.resolve(true)), { code: "RATE_LIMITED" });
  verdict.resolve(true);
  await Promise.all(slow.map(({ checked }) => checked));
  await check(() => Promise.resolve(true));
  // All find room, and most of them are then one too many.
  await Promise.allSettled(Array.from({ length: 8 }, () => check(() => Promise.resolve(true))));
  await check(() => Promise.resolve(true));
});

Deno.test("a password that is replaced during its check proves nothing", async () => {
  const { client, id } = await registerVerifiedUser(app, "replaced@example.com");
  const { db } = app.services;
  const newHash = await hashPassword("Another-horse-8", { iterations: 100_000, owner: "test" });
  const begin = db.transaction;
  // The password changes after it has been verified and before the session is renewed.
  db.transaction = () => {
    db.transaction = begin;
    const transaction = db.transaction();
    const execute = transaction.execute.bind(transaction);
    transaction.execute = async (work) => {
      await db.updateTable("users").set({ password_hash: newHash }).where("id", "=", id).execute();
      return await execute(work);
    };
    return transaction;
  };
  strictEqual((await client.send("POST", PATH, { password: PASSWORD })).status, 403);
  strictEqual(db.transaction, begin);
});
