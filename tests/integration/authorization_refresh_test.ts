import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { createRefreshToken, parseRefreshToken } from "../../lib/authorization_server/tokens/refresh_token_format.ts";
import { logIn, registerVerifiedUser } from "../support/app/accounts.ts";
import {
  connect,
  credentialsOf,
  errorOf,
  exchange,
  giveCode,
  openAuthorizationApp,
  postForm,
  refresh,
  tokensIn,
} from "../support/app/authorization.ts";
import { openTestApp, openTestInstance } from "../support/app/test_app.ts";

const ADDRESS = "ada@example.com";
const TTL = { GRANT_TTL_SECONDS: String(10 * DAY_SECONDS), GRANT_MAX_SECONDS: String(25 * DAY_SECONDS) };
const app = await openAuthorizationApp(TTL);
const { db, config } = app.services;
const { client: person, id: userId, email } = await registerVerifiedUser(app, ADDRESS);
const INVALID = [400, "invalid_grant"];

async function eventsOf(kind: "grant.reused" | "app.ended" | "app.authorized") {
  return await db.selectFrom("events").select(["details", "actor_id"]).where("user_id", "=", userId)
    .where("kind", "=", kind).orderBy("id").execute();
}

async function next(clientId: string, token: string): Promise<string> {
  return (await tokensIn(refresh(app, clientId, token))).refresh_token!;
}

Deno.test("of twenty refreshes at once, on two instances, all succeed and get one successor", async () => {
  await using other = await openTestInstance(app);
  const { refresh_token } = await connect(app, person, "wiki");
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) => tokensIn(refresh(index % 2 ? other : app, "wiki", refresh_token))),
  );
  strictEqual(new Set(results.map((tokens) => tokens.refresh_token)).size, 1);
  strictEqual(new Set(results.map((tokens) => tokens.access_token)).size, 20);
  notStrictEqual(results[0].refresh_token, refresh_token);
  await next("wiki", results[0].refresh_token!);
});

Deno.test("of twenty exchanges of one code at once, on two instances, exactly one gets tokens", async () => {
  await using other = await openTestInstance(app);
  const given = await giveCode(app, person, "wiki");
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) => exchange(index % 2 ? other : app, given)),
  );
  const [won, ...others] = responses.sort((a, b) => a.status - b.status);
  strictEqual(won.status, 200);
  for (const each of others) deepStrictEqual(await errorOf(each), INVALID);
  await next("wiki", (await won.json()).refresh_token);
});

Deno.test("a wrong and a right exchange at once leave at most one grant, and it works", async () => {
  for (let round = 0; round < 5; round++) {
    const given = await giveCode(app, person, "wiki");
    const [right, wrong] = await Promise.all([
      exchange(app, given),
      exchange(app, given, { code_verifier: "x".repeat(43) }),
    ]);
    deepStrictEqual(await errorOf(wrong), INVALID);
    if (right.status === 200) await next("wiki", (await right.json()).refresh_token);
    else deepStrictEqual(await errorOf(right), INVALID);
  }
});

Deno.test("a lost response can be repeated for a minute, however often, and then the token ends the grant", async () => {
  const first = (await connect(app, person, "wiki")).refresh_token;
  app.advance(1000);
  const second = await next("wiki", first);
  for (const seconds of [0, 30, 30]) {
    app.advance(seconds);
    strictEqual(await next("wiki", first), second);
  }
  app.mails.length = 0;
  app.advance(1);
  deepStrictEqual(await errorOf(refresh(app, "wiki", first)), INVALID);
  deepStrictEqual(await errorOf(refresh(app, "wiki", second)), INVALID);
  deepStrictEqual(await eventsOf("grant.reused"), [{ details: { app: "wiki" }, actor_id: null }]);
  await app.deliverMails();
  const alert = app.mails.find(({ subject }) => subject.includes("disconnected The wiki"));
  match(alert!.text, /\/not-me\?token=/);
  strictEqual(alert!.to, email);
});

Deno.test("a token two generations old ends the grant at once, even within the grace period", async () => {
  const first = (await connect(app, person, "wiki")).refresh_token;
  const third = await next("wiki", await next("wiki", first));
  deepStrictEqual(await errorOf(refresh(app, "wiki", first)), INVALID);
  deepStrictEqual(await errorOf(refresh(app, "wiki", third)), INVALID);
});

Deno.test("of twenty uses of an old token at once, one event and one alert report it", async () => {
  const first = (await connect(app, person, "wiki")).refresh_token;
  await next("wiki", await next("wiki", first));
  const before = (await eventsOf("grant.reused")).length;
  await Promise.all(Array.from({ length: 20 }, async () => {
    deepStrictEqual(await errorOf(refresh(app, "wiki", first)), INVALID);
  }));
  strictEqual((await eventsOf("grant.reused")).length, before + 1);
});

Deno.test("without a grace period, a token works once", async () => {
  await using strict = await openTestApp({ CLIENTS_FILE: config.clientsFile!, REFRESH_GRACE_SECONDS: "0" });
  const { client } = await registerVerifiedUser(strict, ADDRESS);
  const { refresh_token } = await connect(strict, client, "es256");
  await tokensIn(refresh(strict, "es256", refresh_token));
  strict.advance(1);
  deepStrictEqual(await errorOf(refresh(strict, "es256", refresh_token)), INVALID);
});

Deno.test("a changed, foreign or invented token changes nothing", async () => {
  const { refresh_token } = await connect(app, person, "wiki");
  const { grantId, generation } = parseRefreshToken(refresh_token)!;
  const stranger = crypto.getRandomValues(new Uint8Array(32));
  const last = refresh_token.at(-1)!;
  const forged = [
    createRefreshToken({ grantId, generation, key: stranger }),
    createRefreshToken({ grantId, generation: generation + 1, key: stranger }),
    createRefreshToken({ grantId: crypto.randomUUID(), generation, key: stranger }),
    refresh_token.slice(0, -1) + (last === "A" ? "B" : "A"),
    refresh_token.slice(0, -1) + String.fromCharCode(last.charCodeAt(0) + 1),
    refresh_token.slice(0, -1),
    `${refresh_token}A`,
    refresh_token.replace("foyer_r_", "foyer_R_"),
    refresh_token.toUpperCase(),
    `${refresh_token}\n`,
    "\0",
  ];
  for (const token of forged) deepStrictEqual(await errorOf(refresh(app, "wiki", token)), INVALID, token);
  deepStrictEqual(await errorOf(refresh(app, "phone", refresh_token)), INVALID, "another client");
  deepStrictEqual(await errorOf(refresh(app, "one-time", refresh_token)), [400, "unauthorized_client"]);
  deepStrictEqual(
    await errorOf(postForm(app, "/oauth/token", { ...credentialsOf("wiki"), grant_type: "refresh_token" })),
    [
      400,
      "invalid_request",
    ],
  );
  await next("wiki", refresh_token);
});

Deno.test("a refresh token is bound to its secret, outlives a change of APP_SECRET, and is in no row", async () => {
  const { refresh_token } = await connect(app, person, "portal");
  const rows = JSON.stringify(await db.selectFrom("grants").selectAll().execute());
  ok(!rows.includes(refresh_token.slice(8)));
  const former = config.appSecret;
  Object.assign(config, { appSecret: "n".repeat(32), previousAppSecrets: [] });
  deepStrictEqual(await errorOf(refresh(app, "portal", refresh_token)), INVALID);
  Object.assign(config, { previousAppSecrets: [former] });
  await next("portal", refresh_token);
  Object.assign(config, { appSecret: former, previousAppSecrets: [] });
});

Deno.test("a refresh has fresh claims, the proof of the grant, and no nonce", async () => {
  const payloadOf = (token: string) =>
    JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(token.split(".")[1], { alphabet: "base64url" })));
  const scopes = ["openid", "profile"];
  const first = await connect(app, person, "wiki", { scopes, nonce: "once" });
  app.advance(30);
  await person.send("PUT", "/api/profile", { name: "Ada King" });
  const second = await tokensIn(refresh(app, "wiki", first.refresh_token));
  const [before, after] = [payloadOf(first.id_token), payloadOf(second.id_token!)];
  strictEqual(before.nonce, "once");
  strictEqual("nonce" in after, false);
  for (const name of ["sub", "aud", "sid", "auth_time", "acr"]) deepStrictEqual(after[name], before[name], name);
  deepStrictEqual([before.name, after.name], ["Ada Lovelace", "Ada King"]);
  strictEqual(after.iat, before.iat + 30);
});

Deno.test("an offline grant expires after its last refresh, and a last time after the authorization", async () => {
  const { client } = await registerVerifiedUser(app, "offline@example.com");
  let token = (await connect(app, client, "portal")).refresh_token;
  const idle = (await connect(app, client, "portal")).refresh_token;
  for (const day of [9, 18]) {
    app.advance(9 * DAY_SECONDS);
    token = await next("portal", token);
    ok(day);
  }
  deepStrictEqual(await errorOf(refresh(app, "portal", idle)), INVALID);
  app.advance(7 * DAY_SECONDS - 1);
  token = await next("portal", token);
  app.advance(1);
  deepStrictEqual(await errorOf(refresh(app, "portal", token)), INVALID);
});

Deno.test("a session grant lasts as long as the session, which a refresh does not extend", async () => {
  const client = app.client();
  strictEqual((await logIn(client, email)).status, 200);
  const { refresh_token } = await connect(app, client, "wiki");
  const end = async () =>
    (await db.selectFrom("sessions").select("expires_at").orderBy("created_at", "desc").executeTakeFirstOrThrow())
      .expires_at;
  const before = await end();
  app.advance(6 * DAY_SECONDS);
  const token = await next("wiki", refresh_token);
  deepStrictEqual(await end(), before);
  app.advance(DAY_SECONDS);
  deepStrictEqual(await errorOf(refresh(app, "wiki", token)), INVALID);
});
