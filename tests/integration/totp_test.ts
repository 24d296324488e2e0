import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { URI } from "otpauth";
import { HOUR_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { createRecoveryCodes } from "../../lib/sign_in/second_factor/recovery_codes.ts";
import { spendTotp } from "../../lib/sign_in/second_factor/totp_secret.ts";
import {
  logIn,
  mailedToken,
  PASSWORD,
  registerUser,
  registerVerifiedUser,
  subjectsTo,
} from "../support/app/accounts.ts";
import { codeOf, enableTotp, startLogin, STEP_SECONDS } from "../support/app/second_factor.ts";
import { openSharedTestApp, openTestApp, type TestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { problemOf } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;

const WRONG_CODE = [403, "PROOF_WRONG", { code: ["Wrong code"] }];

const secondStep = (client: TestClient, code: string) => client.send("POST", "/auth/second-factor", { code });

async function account(client: TestClient) {
  return (await (await client.get("/api/account")).json()).data;
}

async function kindsOf(userId: string): Promise<string[]> {
  const rows = await db.selectFrom("events").select("kind").where("user_id", "=", userId).orderBy("id").execute();
  return rows.map(({ kind }) => kind);
}

/** A code that none of the steps around now has. */
function wrongCode(secret: string, { services }: TestApp = app): string {
  const near = [-2, -1, 0, 1, 2].map((steps) => codeOf({ services } as TestApp, secret, steps));
  return ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) => !near.includes(code))!;
}

Deno.test("the set-up returns a secret that other software reads, and takes effect with the first code", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "setup@example.com");
  const response = await client.request("/api/totp", { method: "POST" });
  strictEqual(response.status, 200);
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  const { secret, uri, qr } = await response.json();
  match(secret, /^[A-Z2-7]{32}$/);
  const parsed = URI.parse(uri);
  deepStrictEqual([parsed.issuer, parsed.label, parsed.secret.base32, parsed.algorithm, parsed.digits], [
    "Foyer",
    email,
    secret,
    "SHA1",
    6,
  ]);
  match(qr, /^<svg .*<\/svg>$/s);
  strictEqual((await account(client)).totp, false);
  strictEqual((await logIn(app.client(), email)).status, 200);

  deepStrictEqual(
    await problemOf(await client.send("POST", "/api/totp/confirm", { code: wrongCode(secret) })),
    WRONG_CODE,
  );
  const code = codeOf(app, secret);
  const confirmed = await client.send("POST", "/api/totp/confirm", { code: `${code.slice(0, 3)} ${code.slice(3)}` });
  const { recoveryCodes } = await confirmed.json();
  strictEqual(recoveryCodes.length, 10);
  strictEqual(new Set(recoveryCodes).size, 10);
  for (const each of recoveryCodes) match(each, /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
  const { totp, recoveryCodesLeft } = await account(client);
  deepStrictEqual([totp, recoveryCodesLeft], [true, 10]);
  deepStrictEqual((await kindsOf(id)).slice(-2), ["totp.enabled", "recovery_codes.made"]);
  ok((await subjectsTo(app, email)).includes("Authenticator app added to your Foyer account"));

  deepStrictEqual(await problemOf(await secondStep(await startLogin(app, email), code)), WRONG_CODE, "it is spent");
});

Deno.test("the secret and the recovery codes are not stored in the clear, logged or exported", async () => {
  const { client, id } = await registerVerifiedUser(app, "sealed@example.com");
  const { secret, recoveryCodes } = await enableTotp(app, client);
  const rows = [
    await db.selectFrom("totp_secrets").selectAll().where("user_id", "=", id).execute(),
    await db.selectFrom("recovery_codes").selectAll().where("user_id", "=", id).execute(),
    await db.selectFrom("events").selectAll().where("user_id", "=", id).execute(),
  ].flat();
  const exported = await (await client.get("/api/account/export")).json();
  deepStrictEqual([typeof exported.secondFactor.authenticatorAppAddedAt, exported.secondFactor.recoveryCodesLeft], [
    "number",
    10,
  ]);
  const text = JSON.stringify([rows, app.logLines, exported]);
  const hashes = rows.flatMap((row) => "code_hash" in row ? [row.code_hash] : []);
  for (const each of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll("-", ""))]) {
    ok(!text.includes(each));
  }
  strictEqual(hashes.length, 10);
  strictEqual(new Set(hashes.map((hash) => hash.split(":")[1])).size, 1, "one salt for the set");
  ok(!JSON.stringify(exported).includes(hashes[0]));
});

Deno.test("the set-up requires a session, a recent proof and a confirmed address", async () => {
  const { client, email } = await registerVerifiedUser(app, "careful@example.com");
  for (const [path, method] of [["", "POST"], ["", "DELETE"], ["/recovery-codes", "POST"]]) {
    strictEqual((await app.client().request(`/api/totp${path}`, { method })).status, 401);
  }
  strictEqual((await app.client().send("POST", "/api/totp/confirm", { code: "123456" })).status, 401);
  app.advance(15 * MINUTE_SECONDS + 1);
  for (const [path, method] of [["", "POST"], ["", "DELETE"], ["/recovery-codes", "POST"]]) {
    const response = await client.request(`/api/totp${path}`, { method });
    deepStrictEqual(await problemOf(response), [403, "REAUTHENTICATION_REQUIRED", { methods: ["password"] }]);
  }
  await client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  strictEqual((await client.request("/api/totp", { method: "DELETE" })).status, 404, "there is none");
  strictEqual((await client.request("/api/totp/recovery-codes", { method: "POST" })).status, 404, email);
  const unverified = await registerUser(app, "unverified-totp@example.com");
  strictEqual((await unverified.client.request("/api/totp", { method: "POST" })).status, 403);
});

Deno.test("a new secret waits an hour, and only the newest one", async () => {
  const { client } = await registerVerifiedUser(app, "pending@example.com");
  const start = async () => (await (await client.request("/api/totp", { method: "POST" })).json()).secret;
  const first = await start();
  const second = await start();
  const confirm = async (secret: string) =>
    (await client.send("POST", "/api/totp/confirm", { code: codeOf(app, secret) })).status;
  strictEqual(await confirm(first), 403);
  app.advance(HOUR_SECONDS);
  strictEqual(await confirm(second), 403);
  await client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  const third = await start();
  app.advance(HOUR_SECONDS - 1);
  strictEqual(await confirm(third), 200, "the proof may be older than the secret");
});

Deno.test("another app replaces the first one, and new codes the old ones", async () => {
  const { client, email } = await registerVerifiedUser(app, "replaced-app@example.com");
  const first = await enableTotp(app, client);
  const pending = await (await client.request("/api/totp", { method: "POST" })).json();
  strictEqual(
    (await secondStep(await startLogin(app, email), first.code())).status,
    200,
    "until the new one is confirmed",
  );
  app.advance(STEP_SECONDS);
  const response = await client.send("POST", "/api/totp/confirm", { code: codeOf(app, pending.secret) });
  const { recoveryCodes } = await response.json();
  app.advance(STEP_SECONDS);
  const guest = await startLogin(app, email);
  for (const code of [first.code(), first.recoveryCodes[0]]) strictEqual((await secondStep(guest, code)).status, 403);
  strictEqual((await secondStep(guest, recoveryCodes[0])).status, 200);
});

Deno.test("codes of the previous, the current and the next step are accepted, each step once", async () => {
  const { client, email } = await registerVerifiedUser(app, "steps@example.com");
  const totp = await enableTotp(app, client);
  app.advance(10 * STEP_SECONDS);
  const tryCodes = async (...codes: string[]) => {
    const statuses: number[] = [];
    for (const code of codes) statuses.push((await secondStep(await startLogin(app, email), code)).status);
    return statuses;
  };
  deepStrictEqual(await tryCodes(totp.code(-2), totp.code(2)), [403, 403]);
  deepStrictEqual(await tryCodes(totp.code(-1), totp.code(-1)), [200, 403]);
  deepStrictEqual(await tryCodes(totp.code(), totp.code(), totp.code(-1)), [200, 403, 403]);
  deepStrictEqual(await tryCodes(totp.code(1), totp.code(1), totp.code()), [200, 403, 403]);
  app.advance(STEP_SECONDS);
  deepStrictEqual(await tryCodes(totp.code(), totp.code(1)), [403, 200], "the step is spent, the next one is not");
});

Deno.test("the edges of a step, and apps whose clocks are off", async () => {
  const { client, id: userId } = await registerVerifiedUser(app, "drift@example.com");
  const { secret } = await enableTotp(app, client);
  const intoStep = app.services.now().getTime() / 1000 % STEP_SECONDS;
  app.advance(10 * STEP_SECONDS - intoStep);
  const forget = () => db.updateTable("totp_secrets").set({ last_step: 0 }).where("user_id", "=", userId).execute();
  const accepts = async (drift: number) => {
    await forget();
    const { services } = app;
    const time = new Date(services.now().getTime() + drift * 1000);
    const code = codeOf({ services: { ...services, now: () => time } } as TestApp, secret);
    return await spendTotp(services, { userId, code });
  };
  // The time is the first moment of a step.
  const cases: [number, boolean][] = [[-30.001, false], [-30, true], [0, true], [59.999, true], [60, false]];
  for (const [drift, isAccepted] of cases) strictEqual(await accepts(drift), isAccepted, `${drift} seconds`);
});

Deno.test("of concurrent uses of one code, exactly one succeeds", async () => {
  const { client, email, id: userId } = await registerVerifiedUser(app, "race@example.com");
  const totp = await enableTotp(app, client);
  const guests = [];
  for (let count = 0; count < 4; count++) guests.push(await startLogin(app, email));
  const responses = await Promise.all(guests.map((guest) => secondStep(guest, totp.code())));
  deepStrictEqual(responses.map(({ status }) => status).sort(), [200, 403, 403, 403]);
  app.advance(STEP_SECONDS);
  const code = totp.code();
  const results = await Promise.all(Array.from({ length: 5 }, () => spendTotp(app.services, { userId, code })));
  strictEqual(results.filter(Boolean).length, 1);
});

Deno.test("each recovery code works once, in any spelling, and the user is told", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "recovery@example.com");
  const { recoveryCodes } = await enableTotp(app, client);
  for (const [index, code] of recoveryCodes.entries()) {
    const typed = [code, code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")][index % 2];
    const guest = await startLogin(app, email);
    strictEqual((await secondStep(guest, typed)).status, 200, typed);
    strictEqual((await account(guest)).recoveryCodesLeft, 9 - index);
    if (index < 2) strictEqual((await secondStep(await startLogin(app, email), code)).status, 403, "it is spent");
  }
  strictEqual((await kindsOf(id)).filter((kind) => kind === "recovery_code.used").length, 10);
  const used = "A recovery code of your Foyer account was used";
  strictEqual(
    (await subjectsTo(app, email)).filter((subject) => subject === used).length,
    6,
    "the last one sums up the rest",
  );
  const response = await logIn(app.client(), email);
  deepStrictEqual(await problemOf(response), [403, "SECOND_FACTOR_REQUIRED", { methods: ["totp"] }], "none is left");

  const renewed = await (await client.request("/api/totp/recovery-codes", { method: "POST" })).json();
  const crowd = [];
  for (let count = 0; count < 4; count++) crowd.push(await startLogin(app, email));
  const statuses = await Promise.all(
    crowd.map(async (guest) => (await secondStep(guest, renewed.recoveryCodes[0])).status),
  );
  deepStrictEqual(statuses.sort(), [200, 403, 403, 403]);
});

Deno.test("an attempt with a recovery code costs one slow hash, whatever the code is", async () => {
  const { client, email } = await registerVerifiedUser(app, "cost@example.com");
  await enableTotp(app, client);
  const guest = await startLogin(app, email);
  const derive = crypto.subtle.deriveBits;
  let hashes = 0;
  crypto.subtle.deriveBits = function (...args: Parameters<typeof derive>) {
    hashes++;
    return derive.apply(crypto.subtle, args);
  } as typeof derive;
  try {
    strictEqual((await secondStep(guest, "0000-0000-0000-0000")).status, 403);
    strictEqual(hashes, 1);
    strictEqual((await secondStep(guest, "0000-0000-0000-000")).status, 403, "too short");
    strictEqual(hashes, 1);
  } finally {
    crypto.subtle.deriveBits = derive;
  }
});

Deno.test("new recovery codes replace the old ones", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "renewed@example.com");
  const { recoveryCodes } = await enableTotp(app, client);
  const response = await client.request("/api/totp/recovery-codes", { method: "POST" });
  const renewed = (await response.json()).recoveryCodes;
  deepStrictEqual([response.status, renewed.length], [200, 10]);
  strictEqual((await kindsOf(id)).at(-1), "recovery_codes.made");
  const guest = await startLogin(app, email);
  strictEqual((await secondStep(guest, recoveryCodes[0])).status, 403);
  strictEqual((await secondStep(guest, renewed[9])).status, 200);
});

Deno.test("turning the app off removes the second step, the secret and the codes", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "off@example.com");
  await enableTotp(app, client);
  const waiting = await startLogin(app, email);
  strictEqual((await client.request("/api/totp", { method: "DELETE" })).status, 204);
  strictEqual((await secondStep(waiting, "123456")).status, 401, "the sign-in that waited has ended");
  for (const table of ["totp_secrets", "recovery_codes", "second_step_challenges"] as const) {
    deepStrictEqual(await db.selectFrom(table).select("user_id").where("user_id", "=", id).execute(), []);
  }
  strictEqual((await kindsOf(id)).at(-1), "totp.disabled");
  ok((await subjectsTo(app, email)).includes("The authenticator app of your Foyer account was removed"));
  strictEqual((await logIn(app.client(), email)).status, 200);
});

Deno.test("a code of the app is a proof for dangerous actions, once", async () => {
  const { client } = await registerVerifiedUser(app, "proof-by-app@example.com");
  const totp = await enableTotp(app, client);
  app.advance(15 * MINUTE_SECONDS + 1);
  const refused = await client.request("/api/totp", { method: "DELETE" });
  deepStrictEqual(await problemOf(refused), [403, "REAUTHENTICATION_REQUIRED", { methods: ["password", "totp"] }]);
  const prove = async (code: string) => (await client.send("POST", "/auth/reauthenticate", { code })).status;
  strictEqual(await prove(totp.recoveryCodes[0]), 403, "a recovery code is none");
  strictEqual(await prove(totp.code()), 200);
  strictEqual(await prove(totp.code()), 403);
  const code = await client.request("/auth/reauthenticate/code", { method: "POST" });
  deepStrictEqual(await problemOf(code), [403, "REAUTHENTICATION_REQUIRED", { methods: ["password", "totp"] }]);
  strictEqual((await client.request("/api/totp", { method: "DELETE" })).status, 204);
});

Deno.test("an account without a password proves itself with the app, not with an emailed code", async () => {
  const { client, id } = await registerVerifiedUser(app, "app-only@example.com");
  const totp = await enableTotp(app, client);
  await db.updateTable("users").set({ password_hash: null }).where("id", "=", id).execute();
  app.advance(15 * MINUTE_SECONDS + 1);
  const code = await client.request("/auth/reauthenticate/code", { method: "POST" });
  deepStrictEqual(await problemOf(code), [403, "REAUTHENTICATION_REQUIRED", { methods: ["totp"] }]);
  strictEqual((await client.send("POST", "/auth/reauthenticate", { code: totp.code() })).status, 200);
});

Deno.test("that was not me: removes factors and codes that were added since, and keeps older ones", async () => {
  const older = await registerVerifiedUser(app, "older-factor@example.com");
  const kept = await enableTotp(app, older.client);
  app.advance(1);
  await older.client.send("POST", "/api/account/email", { email: "thief@example.org" });
  const reported = await mailedToken(app, older.email);
  app.advance(1);
  await older.client.request("/api/totp/recovery-codes", { method: "POST" });
  strictEqual((await app.client().send("POST", "/auth/not-me", { token: reported })).status, 200);
  const left = await db.selectFrom("totp_secrets").select("enabled_at").where("user_id", "=", older.id).execute();
  const codes = await db.selectFrom("recovery_codes").select("user_id").where("user_id", "=", older.id).execute();
  deepStrictEqual([left.length, codes.length, kept.recoveryCodes.length], [1, 0, 10]);

  const newer = await registerVerifiedUser(app, "newer-factor@example.com");
  await newer.client.send("POST", "/api/account/email", { email: "thief2@example.org" });
  const report = await mailedToken(app, newer.email);
  await enableTotp(app, newer.client);
  strictEqual((await app.client().send("POST", "/auth/not-me", { token: report })).status, 200);
  deepStrictEqual(await db.selectFrom("totp_secrets").select("user_id").where("user_id", "=", newer.id).execute(), []);
  deepStrictEqual(
    await db.selectFrom("recovery_codes").select("user_id").where("user_id", "=", newer.id).execute(),
    [],
  );
  ok((await kindsOf(newer.id)).includes("totp.disabled"));
});

Deno.test("deleting a user deletes the factors", async () => {
  const { client, id } = await registerVerifiedUser(app, "deleted-factor@example.com");
  await enableTotp(app, client);
  await db.deleteFrom("users").where("id", "=", id).execute();
  for (const table of ["totp_secrets", "recovery_codes"] as const) {
    deepStrictEqual(await db.selectFrom(table).select("user_id").where("user_id", "=", id).execute(), []);
  }
});

Deno.test("wrong codes at the set-up count as wrong proofs of the account", async () => {
  await using limited = await openTestApp({ LIMIT_PROOF: "5/900" });
  const { client } = await registerVerifiedUser(limited, "limited-setup@example.com");
  const { secret } = await (await client.request("/api/totp", { method: "POST" })).json();
  const confirm = (code: string) => client.send("POST", "/api/totp/confirm", { code });
  for (let left = 4; left >= 0; left--) {
    const response = await confirm(wrongCode(secret, limited));
    deepStrictEqual([response.status, response.headers.get("RateLimit")], [403, `"proof";r=${left};t=900`]);
  }
  strictEqual((await confirm(codeOf(limited, secret))).status, 429);
});

Deno.test("a set of recovery codes is hashed with the configured iterations", async () => {
  const { hashes } = await createRecoveryCodes(
    { config: { ...app.services.config, pbkdf2Iterations: 100_001 } },
    "a user",
  );
  ok(hashes.every((hash) => hash.startsWith("100001:")));
});
