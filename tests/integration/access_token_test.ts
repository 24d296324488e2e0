import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { createRemoteJWKSet, customFetch, decodeProtectedHeader, exportSPKI, importJWK, type JWK } from "jose";
import { jwtVerify, type JWTVerifyGetKey, SignJWT, UnsecuredJWT } from "jose";
import type { Transaction } from "kysely";
import type { Database, Db } from "../../db/schema.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, unixSeconds } from "../../lib/duration.ts";
import { sweepExpiredRows } from "../../lib/jobs/expired_rows.ts";
import { getSigningKey, listPublicKeys, renewSigningKeys } from "../../lib/access/signing_keys.ts";
import type { Services } from "../../lib/services/services.ts";
import { principalOf, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { BASE_URL, openSharedTestApp, openTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const AUDIENCE = "https://wiki.foyer.test";
const app = await openSharedTestApp({ TOKEN_AUDIENCES: `${AUDIENCE} reports` });
const { db } = app.services;
const { client, id, email } = await registerVerifiedUser(app, "ada@example.com", "Ada Lovelace ✨");

/** A product knows the issuer, and nothing else. */
function productKeys(): JWTVerifyGetKey {
  const get = async (url: string) => {
    strictEqual(url, `${BASE_URL}/.well-known/jwks.json`);
    return await app.client().get(new URL(url).pathname);
  };
  return createRemoteJWKSet(new URL(`${BASE_URL}/.well-known/jwks.json`), { [customFetch]: get });
}

function verify(token: string, { audience = AUDIENCE, keys = productKeys() } = {}) {
  const currentDate = app.services.now();
  return jwtVerify(token, keys, { issuer: BASE_URL, audience, algorithms: ["ES256"], currentDate });
}

async function issue(by: TestClient = client, audience = AUDIENCE): Promise<string> {
  const response = await by.send("POST", "/auth/token", { audience });
  const { accessToken, ...rest } = await response.json();
  strictEqual(response.status, 200);
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  deepStrictEqual(rest, { tokenType: "Bearer", expiresIn: 300 });
  return accessToken;
}

Deno.test("a product verifies an access token with the issuer's address alone", async () => {
  const { payload, protectedHeader } = await verify(await issue());
  const { session } = await principalOf(app, client);
  const { jti, ...claims } = payload;
  const iat = unixSeconds(app.services.now());
  deepStrictEqual(claims, {
    iss: BASE_URL,
    sub: id,
    aud: AUDIENCE,
    iat,
    exp: iat + 300,
    sid: session.id,
    email,
    email_verified: true,
    name: "Ada Lovelace ✨",
    role: "user",
  });
  strictEqual(protectedHeader.alg, "ES256");
  notStrictEqual(jti, (await verify(await issue())).payload.jti);
  await db.updateTable("users").set({ role: "admin" }).where("id", "=", id).execute();
  strictEqual((await verify(await issue())).payload.role, "admin");
});

Deno.test("an access token names the photo of a person who has one", async () => {
  const { client } = await registerVerifiedUser(app, "photo@example.com");
  strictEqual((await verify(await issue(client))).payload.picture, undefined);
  const avatar = "https://photos.example/ada.png";
  strictEqual((await client.send("PUT", "/api/profile", { avatar })).status, 200);
  strictEqual((await verify(await issue(client))).payload.picture, avatar);
});

Deno.test("a user who has not confirmed the address gets no token", async () => {
  const { client } = await registerUser(app, "unverified@example.com");
  const response = await client.send("POST", "/auth/token", { audience: AUDIENCE });
  const { code, accessToken } = await response.json();
  deepStrictEqual([response.status, code, accessToken], [403, "EMAIL_NOT_VERIFIED", undefined]);
});

Deno.test("the published keys may be cached for five minutes and contain nothing secret", async () => {
  const response = await client.get("/.well-known/jwks.json");
  strictEqual(response.headers.get("Cache-Control"), "public, max-age=300");
  strictEqual(response.headers.get("Access-Control-Allow-Origin"), "*");
  const { keys } = await response.json();
  deepStrictEqual(keys.map((key: JWK) => Object.keys(key).sort()), [["alg", "crv", "kid", "kty", "use", "x", "y"]]);
  const { privateKey } = await getSigningKey(app.services, "ES256");
  ok(!JSON.stringify(await db.selectFrom("signing_keys").selectAll().execute()).includes(privateKey.d!));
});

Deno.test("a token requires a session and a known audience", async () => {
  strictEqual((await app.client().send("POST", "/auth/token", { audience: AUDIENCE })).status, 401);
  for (
    const audience of ["https://wiki.foyer.test/", "https://evil.example", `${AUDIENCE} reports`, "", "x".repeat(256)]
  ) {
    const response = await client.send("POST", "/auth/token", { audience });
    strictEqual(response.status, 400, audience);
    deepStrictEqual(Object.keys((await response.json()).details), ["audience"]);
  }
  strictEqual((await client.send("POST", "/auth/token", {})).status, 400);
  const { headers } = await createToken(client);
  const refused = await app.client().send("POST", "/auth/token", { audience: AUDIENCE }, headers);
  deepStrictEqual([refused.status, (await refused.json()).code], [403, "SESSION_REQUIRED"]);
  const foreign = { Origin: "https://evil.example" };
  strictEqual((await client.send("POST", "/auth/token", { audience: AUDIENCE }, foreign)).status, 403);
});

Deno.test("without TOKEN_AUDIENCES there are no tokens and no keys", async () => {
  await using other = await openTestApp();
  const { client } = await registerUser(other, "ada@example.com");
  strictEqual((await client.send("POST", "/auth/token", { audience: AUDIENCE })).status, 404);
  strictEqual((await other.client().send("POST", "/auth/token", { audience: AUDIENCE })).status, 404);
  await renewSigningKeys(other.services);
  deepStrictEqual(await (await client.get("/.well-known/jwks.json")).json(), { keys: [] });
});

Deno.test("a token for another product, of another issuer or after five minutes is refused", async () => {
  const token = await issue();
  await rejects(verify(token, { audience: "reports" }), { code: "ERR_JWT_CLAIM_VALIDATION_FAILED" });
  await verify(await issue(client, "reports"), { audience: "reports" });
  app.advance(4 * MINUTE_SECONDS);
  await verify(token);
  app.advance(MINUTE_SECONDS);
  await rejects(verify(token), { code: "ERR_JWT_EXPIRED" });
});

Deno.test("forged tokens are refused, whatever their algorithm and key id", async () => {
  const token = await issue();
  const [header, payload, signature] = token.split(".");
  const { kid } = decodeProtectedHeader(token);
  const claims = JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(payload, { alphabet: "base64url" })));
  const admin = { ...claims, role: "admin", sub: crypto.randomUUID() };
  const [published] = await listPublicKeys(app.services);
  if (published.kty !== "EC") throw new Error("Not a key for ES256");
  const publicKey = await importJWK({ ...published, alg: "ES256" }, "ES256", { extractable: true }) as CryptoKey;
  const encode = (value: unknown) =>
    new TextEncoder().encode(JSON.stringify(value)).toBase64({ alphabet: "base64url", omitPadding: true });
  const secrets = [await exportSPKI(publicKey), JSON.stringify(published), published.x].map((text) =>
    new TextEncoder().encode(text)
  );
  const { privateKey: strangerKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
  ]) as CryptoKeyPair;
  const jwk = await crypto.subtle.exportKey("jwk", strangerKey);
  const sign = (protectedHeader: { alg: string; kid?: string; jwk?: JWK; jku?: string }, key: CryptoKey | Uint8Array) =>
    new SignJWT(admin).setProtectedHeader(protectedHeader).sign(key);
  const forged: [name: string, token: string][] = [
    ["none", new UnsecuredJWT(admin).encode()],
    ["none with a key id", `${encode({ alg: "none", kid })}.${encode(admin)}.`],
    ["no signature", `${header}.${payload}.`],
    ["other claims", `${header}.${encode(admin)}.${signature}`],
    [
      "a signature of zeros",
      `${header}.${payload}.${new Uint8Array(64).toBase64({ alphabet: "base64url", omitPadding: true })}`,
    ],
    ["another key under our id", await sign({ alg: "ES256", kid }, strangerKey)],
    ["another key under its own id", await sign({ alg: "ES256", kid: "mine" }, strangerKey)],
    ["another key without an id", await sign({ alg: "ES256" }, strangerKey)],
    [
      "a key in the header",
      await sign({ alg: "ES256", kid, jwk: { kty: jwk.kty, crv: jwk.crv, x: jwk.x, y: jwk.y } }, strangerKey),
    ],
    ["a key at an address", await sign({ alg: "ES256", kid, jku: "https://evil.example/jwks.json" }, strangerKey)],
    ...await Promise.all(
      secrets.map(async (secret, index) =>
        ["HS256 with the public key " + index, await sign({ alg: "HS256", kid }, secret)] as [string, string]
      ),
    ),
  ];
  for (const [name, forgery] of forged) {
    await rejects(verify(forgery), name);
    // Also where the product does not name the algorithm: the published key names it.
    await rejects(jwtVerify(forgery, productKeys(), { currentDate: app.services.now() }), name);
  }
  await verify(token);
});

/** Another instance: the same database and secret, its own clock. */
function instance({ services }: typeof app, changes: Partial<Services> = {}): Services {
  return { ...services, ...changes };
}

/** A database whose transactions begin when `count` of them are about to. */
function beginTogether(count: number): Db {
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const transaction = () => ({
    async execute<T>(work: (trx: Transaction<Database>) => Promise<T>): Promise<T> {
      if (--count === 0) resolve();
      await all;
      return await db.transaction().execute(work);
    },
  });
  return Object.assign(db.withoutPlugins(), { transaction } as unknown as Db);
}

Deno.test("instances that start at once on an empty table agree on one key", async () => {
  await db.deleteFrom("signing_keys").execute();
  const together = beginTogether(8);
  const keys = await Promise.all(
    Array.from({ length: 8 }, () => getSigningKey(instance(app, { db: together }), "ES256")),
  );
  strictEqual(new Set(keys.map((key) => key.id)).size, 1);
  strictEqual((await listPublicKeys(app.services)).length, 1);
  const token = await issue();
  await verify(token);
  strictEqual(decodeProtectedHeader(token).kid, keys[0].id);
});

Deno.test("an instance whose clock is behind uses the key that another one has just created", async () => {
  await db.deleteFrom("signing_keys").execute();
  const { id } = await getSigningKey(app.services, "ES256");
  const earlier = new Date(app.services.now().getTime() - 2_000);
  strictEqual((await getSigningKey(instance(app, { now: () => earlier }), "ES256")).id, id);
});

Deno.test("a key is renewed after 90 days, is published an hour before it signs and a day after", async () => {
  await using other = await openTestApp({ TOKEN_AUDIENCES: AUDIENCE });
  const { services } = other;
  const published = async () => (await listPublicKeys(services)).map(({ kid }) => kid);
  const signing = async () => (await getSigningKey(services, "ES256")).id;
  await renewSigningKeys(services);
  const [first] = await published();
  strictEqual(await signing(), first);

  other.advance(90 * DAY_SECONDS - HOUR_SECONDS - 1);
  await renewSigningKeys(services);
  deepStrictEqual(await published(), [first]);

  other.advance(1);
  await Promise.all([1, 2, 3].map(() => renewSigningKeys(instance(other))));
  const [second, ...rest] = await published();
  deepStrictEqual(rest, [first], "one more key, published but not in use");
  strictEqual(await signing(), first);

  other.advance(HOUR_SECONDS - 1);
  strictEqual(await signing(), first);
  other.advance(1);
  strictEqual(await signing(), second);
  deepStrictEqual(await published(), [second, first]);

  other.advance(DAY_SECONDS - 1);
  await sweepExpiredRows(services);
  deepStrictEqual(await published(), [second, first], "a day longer than it signed");
  other.advance(1);
  deepStrictEqual(await published(), [second]);
  await sweepExpiredRows(services);
  strictEqual((await services.db.selectFrom("signing_keys").select("id").execute()).length, 1);

  other.advance(200 * DAY_SECONDS);
  const third = await signing();
  deepStrictEqual(await published(), [third], "a service that was off for long starts with a new key at once");
});

Deno.test("after a change of APP_SECRET, old and new instances sign side by side and know each other's keys", async () => {
  await db.deleteFrom("signing_keys").execute();
  const old = instance(app);
  const changed = instance(app, {
    config: { ...app.services.config, appSecret: "another secret that is 32 bytes long" },
  });
  const before = await getSigningKey(old, "ES256");
  const after = await getSigningKey(changed, "ES256");
  notStrictEqual(before.id, after.id);
  for (let i = 0; i < 3; i++) {
    strictEqual((await getSigningKey(old, "ES256")).id, before.id);
    strictEqual((await getSigningKey(changed, "ES256")).id, after.id);
  }
  deepStrictEqual((await listPublicKeys(app.services)).map(({ kid }) => kid).sort(), [before.id, after.id].sort());
});
