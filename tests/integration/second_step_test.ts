import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { findWaitingSignIn, finishSignIn } from "../../lib/sign_in/second_factor/finish_sign_in.ts";
import { logIn, mailedToken, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { registerWithTotp, startLogin, STEP_SECONDS } from "../support/app/second_factor.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { sources } from "../support/source/sources.ts";
import { openSharedTestApp, openTestApp } from "../support/app/test_app.ts";
import { statusAndCode, type TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;
const WRONG_RECOVERY_CODE = "ZZZZ-ZZZZ-ZZZZ-ZZZZ";

const secondStep = (client: TestClient, code: string) => client.send("POST", "/auth/second-factor", { code });

Deno.test("a login with the right password opens no session, and the second step opens it", async () => {
  const { email, totp, id } = await registerWithTotp(app, "two-steps@example.com");
  const guest = app.client();
  const response = await logIn(guest, email);
  const { code, details } = await response.json();
  deepStrictEqual([response.status, code, details], [403, "SECOND_FACTOR_REQUIRED", {
    methods: ["totp", "recovery_code"],
  }]);
  const cookies = response.headers.getSetCookie();
  strictEqual(cookies.length, 1);
  match(cookies[0], /^second_factor=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  strictEqual((await guest.get("/api/account")).status, 401);
  const stored = await db.selectFrom("second_step_challenges").selectAll().where("user_id", "=", id).execute();
  ok(!JSON.stringify([stored, app.logLines]).includes(guest.cookies.get("second_factor")!));

  const finished = await secondStep(guest, totp.code());
  const body = await finished.json();
  const { client, email: other } = await registerVerifiedUser(app, "one-step@example.com");
  const expected = await logIn(client, other);
  deepStrictEqual([finished.status, Object.keys(body), body.user.email], [
    200,
    Object.keys(await expected.json()),
    email,
  ]);
  strictEqual(guest.cookies.has("second_factor"), false);
  const { session } = (await (await guest.get("/api/account")).json()).data;
  strictEqual(session.method, "password");
  strictEqual((await guest.request("/api/totp", { method: "DELETE" })).status, 204, "the login counts as a proof");
});

Deno.test("in production the cookie is sent over https only", async () => {
  await using production = await openTestApp({
    APP_ENV: "production",
    BASE_URL: "https://foyer.test",
    EMAIL_API_TOKEN: "t",
    EMAIL_FROM: "a@b.example",
    APP_SECRET: "x".repeat(32),
  });
  const { email } = await registerWithTotp(production, "secure@example.com");
  const response = await logIn(production.client(), email);
  match(response.headers.getSetCookie()[0], /^second_factor=.*; HttpOnly; Secure; SameSite=Lax$/);
});

Deno.test("a wrong password says nothing about the second factor", async () => {
  const { email } = await registerWithTotp(app, "hidden-factor@example.com");
  const response = await logIn(app.client(), email, "Wrong-horse-77");
  deepStrictEqual(await statusAndCode(response), [401, "INVALID_CREDENTIALS"]);
  deepStrictEqual(response.headers.getSetCookie(), []);
});

Deno.test("the second step needs a sign-in that waits", async () => {
  const { email, totp } = await registerWithTotp(app, "waits@example.com");
  const ended = [401, "UNAUTHENTICATED"];
  deepStrictEqual(await statusAndCode(await secondStep(app.client(), totp.code())), ended);
  for (const cookie of ["second_factor=short", `second_factor=${"A".repeat(43)}`]) {
    const response = await app.client().send("POST", "/auth/second-factor", { code: totp.code() }, { cookie });
    deepStrictEqual(await statusAndCode(response), ended);
  }
  const guest = await startLogin(app, email);
  for (const body of [{}, { code: "" }, { code: 1 }, { code: "x".repeat(65) }]) {
    strictEqual((await guest.send("POST", "/auth/second-factor", body)).status, 400, JSON.stringify(body));
  }
  const token = guest.cookies.get("second_factor")!;
  // A sibling site has set a second cookie.
  const headers = {
    "Content-Type": "application/json",
    cookie: `second_factor=${token}; second_factor=${"B".repeat(43)}`,
  };
  const body = JSON.stringify({ code: totp.code() });
  const tossed = await app.handler(
    new Request("http://foyer.test/auth/second-factor", { method: "POST", headers, body }),
    { remoteAddr: { transport: "tcp", hostname: "10.9.9.9", port: 1 }, completed: Promise.resolve() },
  );
  strictEqual(tossed.status, 401);
  await tossed.body?.cancel();
  app.advance(600);
  deepStrictEqual(await statusAndCode(await secondStep(guest, totp.code())), ended, "it has expired");
  const late = await startLogin(app, email);
  app.advance(599);
  strictEqual((await secondStep(late, totp.code())).status, 200);
});

Deno.test("a sign-in allows five tries, and opens one session", async () => {
  const { email, totp, id } = await registerWithTotp(app, "five-tries@example.com");
  const guest = await startLogin(app, email);
  for (let tries = 0; tries < 5; tries++) {
    deepStrictEqual(await statusAndCode(await secondStep(guest, WRONG_RECOVERY_CODE)), [403, "PROOF_WRONG"]);
  }
  deepStrictEqual(await statusAndCode(await secondStep(guest, totp.code())), [401, "UNAUTHENTICATED"]);
  const events = await db.selectFrom("events").select(["kind", "details", "actor_id"]).where("user_id", "=", id)
    .orderBy("id", "desc").limit(5).execute();
  for (const event of events) {
    deepStrictEqual(event, { kind: "login.failed", details: { reason: "second_factor" }, actor_id: null });
  }
  const other = await startLogin(app, email);
  for (let tries = 0; tries < 4; tries++) await secondStep(other, WRONG_RECOVERY_CODE);
  const token = `second_factor=${other.cookies.get("second_factor")}`;
  strictEqual((await secondStep(other, totp.code())).status, 200, "the fifth try");
  const again = await app.client().send("POST", "/auth/second-factor", { code: totp.recoveryCodes[0] }, {
    cookie: token,
  });
  strictEqual(again.status, 401, "the sign-in has ended");
});

Deno.test("of concurrent second steps of one sign-in, exactly one opens a session", async () => {
  const { email, totp, id } = await registerWithTotp(app, "concurrent-steps@example.com");
  const cookie = `second_factor=${(await startLogin(app, email)).cookies.get("second_factor")}`;
  await db.deleteFrom("sessions").where("user_id", "=", id).execute();
  const codes = [totp.code(), ...totp.recoveryCodes.slice(0, 3)];
  const responses = await Promise.all(
    codes.map((code) => app.client().send("POST", "/auth/second-factor", { code }, { cookie })),
  );
  deepStrictEqual(responses.map(({ status }) => status).sort(), [200, 401, 401, 401]);
  strictEqual((await db.selectFrom("sessions").select("id").where("user_id", "=", id).execute()).length, 1);
});

Deno.test("a second step opens no session if another one of its sign-in has finished since its code was checked", async () => {
  const { email, totp } = await registerWithTotp(app, "overtaken@example.com");
  const guest = await startLogin(app, email);
  const token = guest.cookies.get("second_factor")!;
  const waiting = (await findWaitingSignIn(app.services, token))!;
  const overtaken = db.withoutPlugins();
  overtaken.transaction = () =>
    Object.assign(db.transaction(), {
      async execute<T>(work: (trx: Transaction<Database>) => Promise<T>) {
        strictEqual((await secondStep(guest, totp.recoveryCodes[0])).status, 200);
        return await db.transaction().execute(work);
      },
    });
  const finishing = finishSignIn({ ...app.services, db: overtaken }, waiting, {
    proof: { code: totp.code() },
    trustDevice: false,
    client: SOME_CLIENT,
  });
  await rejects(finishing, { code: "UNAUTHENTICATED" });
});

Deno.test("wrong codes count as wrong proofs of the account, in every sign-in", async () => {
  await using limited = await openTestApp({ LOGIN_MAX_ATTEMPTS: "0", LIMIT_PROOF: "5/900" });
  const { email, totp } = await registerWithTotp(limited, "limited-step@example.com");
  // The set-up has started a window.
  limited.advance(900);
  const limitsOf = ({ headers }: Response) => [headers.get("RateLimit-Policy"), headers.get("RateLimit")];
  for (let left = 4; left >= 0; left--) {
    const response = await secondStep(await startLogin(limited, email), WRONG_RECOVERY_CODE);
    deepStrictEqual([response.status, ...limitsOf(response)], [403, '"proof";q=5;w=900', `"proof";r=${left};t=900`]);
  }
  const refused = await secondStep(await startLogin(limited, email), totp.code());
  deepStrictEqual(await statusAndCode(refused), [429, "RATE_LIMITED"]);
  deepStrictEqual([refused.headers.get("Retry-After"), ...limitsOf(refused)], [
    "900",
    '"proof";q=5;w=900',
    '"proof";r=0;t=900',
  ]);
  limited.advance(900);
  const guest = await startLogin(limited, email);
  const right = await secondStep(guest, totp.code());
  deepStrictEqual(
    [right.status, right.headers.get("RateLimit")],
    [200, '"proof";r=5;t=900'],
    "right ones do not count",
  );
});

Deno.test("a sign-in that waits ends when the password is reset or changed", async () => {
  const { client, email, totp } = await registerWithTotp(app, "changed-meanwhile@example.com");
  const first = await startLogin(app, email);
  await app.client().send("POST", "/auth/forgot-password", { email });
  const token = await mailedToken(app, email);
  const password = "Another-horse-8";
  strictEqual((await app.client().send("POST", "/auth/reset-password", { email, token, password })).status, 200);
  strictEqual((await secondStep(first, totp.code())).status, 401);
  strictEqual((await client.get("/api/account")).status, 401);

  const login = () => logIn(app.client(), email, password);
  deepStrictEqual(await statusAndCode(await login()), [403, "SECOND_FACTOR_REQUIRED"], "a reset keeps the factor");
  const member = app.client();
  await logIn(member, email, password);
  strictEqual((await secondStep(member, totp.code())).status, 200);
  const second = app.client();
  await logIn(second, email, password);
  const change = { currentPassword: password, newPassword: "Third-horse-99", keepOthers: true };
  strictEqual((await member.send("PUT", "/api/account/password", change)).status, 200);
  app.advance(STEP_SECONDS);
  strictEqual((await secondStep(second, totp.code())).status, 401);
});

Deno.test("the second step ends the sessions of the browser and recognizes it", async () => {
  const { client, email, totp, id } = await registerWithTotp(app, "same-browser@example.com");
  await startLogin(app, email, client);
  strictEqual((await client.get("/api/account")).status, 200, "the first step keeps the session");
  const countOf = async (table: "sessions" | "devices") =>
    (await db.selectFrom(table).select("user_id").where("user_id", "=", id).execute()).length;
  const { headers } = await secondStep(client, totp.code());
  ok(headers.getSetCookie().some((line) => line.startsWith("device=")));
  deepStrictEqual([await countOf("sessions"), await countOf("devices")], [1, 1]);

  // A session that the browser presents at only one of the steps ends too.
  for (const presentsAtFirst of [true, false]) {
    app.advance(STEP_SECONDS);
    const session = client.cookies.get("auth_session")!;
    if (!presentsAtFirst) client.cookies.delete("auth_session");
    await startLogin(app, email, client);
    if (presentsAtFirst) client.cookies.delete("auth_session");
    else client.cookies.set("auth_session", session);
    strictEqual((await secondStep(client, totp.code())).status, 200);
    strictEqual(await countOf("sessions"), 1, `at the ${presentsAtFirst ? "first" : "second"} step`);
  }
});

Deno.test("a suspended account is refused only after the right proof, and before the second step", async () => {
  const { email, id, totp } = await registerWithTotp(app, "suspended@example.com");
  const waiting = await startLogin(app, email);
  await db.updateTable("users").set({ suspended_at: app.services.now() }).where("id", "=", id).execute();
  const login = (password: string) => logIn(app.client(), email, password);
  deepStrictEqual(await statusAndCode(await login("Wrong-horse-77")), [401, "INVALID_CREDENTIALS"]);
  const refused = await login(PASSWORD);
  deepStrictEqual(refused.headers.getSetCookie(), []);
  deepStrictEqual(await statusAndCode(refused), [403, "ACCOUNT_SUSPENDED"]);
  deepStrictEqual(await statusAndCode(await secondStep(waiting, totp.code())), [403, "ACCOUNT_SUSPENDED"]);
});

Deno.test("only one function writes sessions", async () => {
  const writers: string[] = [];
  for (const folder of ["lib", "routes"]) {
    for await (const [path, text] of sources(new URL(`../../${folder}/`, import.meta.url))) {
      if (text.includes('insertInto("sessions")')) writers.push(path);
    }
  }
  deepStrictEqual(writers.map((path) => path.split("/").at(-1)), ["session_start.ts"]);
});

Deno.test("after a change of APP_SECRET, codes of apps are refused with a way out, and the log names the variable", async () => {
  const { email, totp } = await registerWithTotp(app, "lost-secret@example.com");
  const guest = await startLogin(app, email);
  const { config } = app.services;
  const { appSecret } = config;
  app.logLines.length = 0;
  config.appSecret = "another secret that is 32 bytes long";
  try {
    const response = await secondStep(guest, totp.code());
    const { code, details } = await response.json();
    deepStrictEqual([response.status, code, details], [403, "PROOF_WRONG", {
      code: ["Wrong code"],
      methods: ["recovery_code"],
    }]);
    match(app.logLines.find((line) => line.includes('"level":"error"'))!, /set APP_SECRET/);
    const page = await guest.submit("/second-factor", { action: "enter", code: totp.code() });
    match(await page.text(), /Use a recovery code/);
    strictEqual((await secondStep(guest, totp.recoveryCodes[0])).status, 200);
  } finally {
    config.appSecret = appSecret;
  }
});
