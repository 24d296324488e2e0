import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { decodeJwt, decodeProtectedHeader } from "jose";
import * as oauth from "oauth4webapi";
import { hashToken } from "../../lib/crypto/token.ts";
import { DAY_SECONDS, HOUR_SECONDS, unixSeconds } from "../../lib/duration.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import {
  connect,
  credentialsOf,
  errorOf,
  exchange,
  giveCode,
  NOTES,
  openAuthorizationApp,
  postForm,
  REDIRECT_URI,
  refresh,
  SECRETS,
  tokensIn,
} from "../support/app/authorization.ts";
import { BASE_URL, openTestApp } from "../support/app/test_app.ts";

const app = await openAuthorizationApp();
const { db } = app.services;
const { client: person, id: userId, email } = await registerVerifiedUser(app, "ada@example.com", "Ada Lovelace");
const SCOPES = ["openid", "profile", "email"];
const ALL_SCOPES = [...SCOPES, "offline_access", "profile:read", "notes:read"];

function basic(id: string, secret: string): { Authorization: string } {
  const encode = (text: string) => new URLSearchParams({ "": text }).toString().slice(1);
  return { Authorization: `Basic ${btoa(`${encode(id)}:${encode(secret)}`)}` };
}

async function grantsOf(clientId: string) {
  return await db.selectFrom("grants").selectAll().where("client_id", "=", clientId).orderBy("id", "desc").execute();
}

function userinfo(token?: string) {
  return app.client().get("/oauth/userinfo", token === undefined ? {} : { Authorization: `Bearer ${token}` });
}

Deno.test("a code gets tokens with exactly the claims of the scopes", async () => {
  await person.send("PUT", "/api/profile", { website: "https://ada.example/", language: "de" });
  const given = await giveCode(app, person, "wiki", { scopes: SCOPES, nonce: "n-1" });
  const response = await exchange(app, given);
  deepStrictEqual(
    ["Cache-Control", "Pragma", "Set-Cookie"].map((name) => response.headers.get(name)),
    ["no-store", "no-cache", null],
  );
  const { access_token, id_token, refresh_token, ...rest } = await tokensIn(response);
  deepStrictEqual(rest, { token_type: "Bearer", expires_in: 300, scope: "openid profile email" });
  match(refresh_token!, /^foyer_r_[A-Za-z0-9_-]{70}$/);
  const [grant] = await grantsOf("wiki");
  strictEqual(grant.code_hash, hashToken(given.code));
  const iat = unixSeconds(app.services.now());
  const proof = { auth_time: unixSeconds(grant.auth_time), acr: "1", amr: ["pwd"] };
  const { jti, ...claims } = decodeJwt(access_token);
  match(String(jti), /^[0-9a-f-]{36}$/);
  deepStrictEqual(claims, {
    iss: BASE_URL,
    sub: userId,
    aud: BASE_URL,
    client_id: "wiki",
    iat,
    exp: iat + 300,
    scope: "openid profile email",
    ...proof,
    gid: grant.id,
  });
  const header = decodeProtectedHeader(access_token);
  deepStrictEqual([header.alg, header.typ], ["ES256", "at+jwt"]);
  const [{ updated_at }] = await db.selectFrom("users").select("updated_at").where("id", "=", userId).execute();
  const about = {
    name: "Ada Lovelace",
    given_name: "Ada Lovelace",
    website: "https://ada.example/",
    locale: "de",
    updated_at: unixSeconds(updated_at),
    preferred_username: email,
    email,
    email_verified: true,
  };
  strictEqual(decodeProtectedHeader(id_token!).alg, "RS256");
  deepStrictEqual(decodeJwt(id_token!), {
    ...about,
    iss: BASE_URL,
    sub: userId,
    aud: "wiki",
    iat,
    exp: iat + HOUR_SECONDS,
    sid: grant.session_public_id,
    ...proof,
    nonce: "n-1",
  });
  deepStrictEqual(await (await userinfo(access_token)).json(), { sub: userId, ...about });
});

Deno.test("an independent client exchanges, refreshes and reads the person", async () => {
  const issuer = new URL(BASE_URL);
  const as: oauth.AuthorizationServer = {
    issuer: BASE_URL,
    token_endpoint: `${issuer.origin}/oauth/token`,
    userinfo_endpoint: `${issuer.origin}/oauth/userinfo`,
    revocation_endpoint: `${issuer.origin}/oauth/revoke`,
    introspection_endpoint: `${issuer.origin}/oauth/introspect`,
    jwks_uri: `${issuer.origin}/.well-known/jwks.json`,
    id_token_signing_alg_values_supported: ["RS256"],
  };
  const options = {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (url: string, init: RequestInit) => app.client().request(new URL(url).pathname, init),
  } as const;
  const client: oauth.Client = {
    client_id: "wiki",
    [oauth.clockSkew]: unixSeconds(app.services.now()) - Math.floor(Date.now() / 1000),
  };
  const authentication = oauth.ClientSecretBasic(SECRETS[1]);
  const { code, verifier } = await giveCode(app, person, "wiki", { scopes: SCOPES, nonce: "nonce" });
  const parameters = oauth.validateAuthResponse(
    { ...as, authorization_response_iss_parameter_supported: true },
    client,
    new URLSearchParams({ code, iss: BASE_URL }),
    oauth.expectNoState,
  );
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    authentication,
    parameters,
    REDIRECT_URI,
    verifier,
    options,
  );
  const result = await oauth.processAuthorizationCodeResponse(as, client, response, {
    expectedNonce: "nonce",
    requireIdToken: true,
  });
  const about = await oauth.processUserInfoResponse(
    as,
    client,
    oauth.getValidatedIdTokenClaims(result)!.sub,
    await oauth.userInfoRequest(as, client, result.access_token, options),
  );
  strictEqual(about.email, email);
  const refreshed = await oauth.processRefreshTokenResponse(
    as,
    client,
    await oauth.refreshTokenGrantRequest(as, client, authentication, result.refresh_token!, options),
  );
  notStrictEqual(refreshed.refresh_token, result.refresh_token);
  const inspected = await oauth.processIntrospectionResponse(
    as,
    client,
    await oauth.introspectionRequest(as, client, authentication, refreshed.access_token, options),
  );
  strictEqual(inspected.active, true);
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(as, client, authentication, refreshed.refresh_token!, options),
  );
  strictEqual((await userinfo(refreshed.access_token)).status, 401);
});

Deno.test("a client chooses the algorithm, the claims and the life of its tokens", async () => {
  const { access_token, id_token, expires_in } = await connect(app, person, "es256", { scopes: SCOPES });
  strictEqual(expires_in, 60);
  strictEqual(decodeProtectedHeader(id_token).alg, "ES256");
  const { name, email: address } = decodeJwt(id_token);
  deepStrictEqual([name, address], [undefined, undefined]);
  app.advance(59);
  strictEqual((await userinfo(access_token)).status, 200);
  app.advance(1);
  strictEqual((await userinfo(access_token)).status, 401);
  const without = await tokensIn(exchange(app, await giveCode(app, person, "es256", { scopes: ["email"] })));
  strictEqual("id_token" in without, false);
  const oneTime = await tokensIn(exchange(app, await giveCode(app, person, "one-time")));
  strictEqual("refresh_token" in oneTime, false);
});

Deno.test("a token for a resource names only its scopes and claims, and opens nothing here", async () => {
  const tokens = await connect(app, person, "phone", { scopes: ALL_SCOPES, resource: NOTES });
  const { aud, scope, email: address, name } = decodeJwt(tokens.access_token);
  deepStrictEqual([aud, scope, address, name], [NOTES, "notes:read", email, undefined]);
  strictEqual(tokens.scope, ALL_SCOPES.join(" "));
  strictEqual((await userinfo(tokens.access_token)).status, 401);
  strictEqual((await app.client().get("/api/profile", { Authorization: `Bearer ${tokens.access_token}` })).status, 401);
  const own = await tokensIn(refresh(app, "phone", tokens.refresh_token, { resource: BASE_URL }));
  const claims = decodeJwt(own.access_token);
  deepStrictEqual([claims.aud, claims.scope], [BASE_URL, ALL_SCOPES.slice(0, -1).join(" ")]);
  strictEqual((await userinfo(own.access_token)).status, 200);
  const cases: [changes: Record<string, string>, error: string][] = [
    [{ resource: "https://other.example" }, "invalid_target"],
    [{ resource: `${BASE_URL}/api` }, "invalid_target"],
    [{ scope: "openid notes:write" }, "invalid_scope"],
    [{ scope: 'openid "email"' }, "invalid_request"],
  ];
  for (const [changes, error] of cases) {
    deepStrictEqual(await errorOf(refresh(app, "phone", own.refresh_token!, changes)), [400, error], error);
  }
  const narrowed = await tokensIn(
    refresh(app, "phone", own.refresh_token!, { scope: "openid email", resource: BASE_URL }),
  );
  strictEqual(narrowed.scope, "openid email");
  strictEqual(decodeJwt(narrowed.access_token).scope, "openid email");
  deepStrictEqual(Object.keys(await (await userinfo(narrowed.access_token)).json()), [
    "sub",
    "email",
    "email_verified",
  ]);
  ok("name" in decodeJwt(narrowed.id_token!), "the ID token has what was granted");
  strictEqual((await tokensIn(refresh(app, "phone", narrowed.refresh_token!))).scope, ALL_SCOPES.join(" "));
});

Deno.test("an app that was granted no openid gets no token for this service beside its resource", async () => {
  const { refresh_token } = await connect(app, person, "phone", { scopes: ["notes:read"], resource: NOTES });
  deepStrictEqual(await errorOf(refresh(app, "phone", refresh_token, { resource: BASE_URL })), [400, "invalid_target"]);
  const { access_token } = await connect(app, person, "phone", { scopes: ["email"] });
  const response = await userinfo(access_token);
  strictEqual(response.status, 403);
  match(response.headers.get("WWW-Authenticate")!, /^Bearer error="insufficient_scope"/);
});

Deno.test("a wrong exchange is refused, and one of the own client spends the code", async () => {
  const verifier = "w".repeat(43);
  const cases: [name: string, changes: Record<string, string | undefined>, answer: [number, string], after: number][] =
    [
      ["another redirect URI", { redirect_uri: `${REDIRECT_URI}/` }, [400, "invalid_grant"], 400],
      ["another verifier", { code_verifier: verifier }, [400, "invalid_grant"], 400],
      ["no verifier", { code_verifier: undefined }, [400, "invalid_grant"], 400],
      ["a short verifier", { code_verifier: "v".repeat(42) }, [400, "invalid_request"], 200],
      ["a long verifier", { code_verifier: "v".repeat(129) }, [400, "invalid_request"], 200],
      ["a verifier with a space", { code_verifier: `${"v".repeat(42)} ` }, [400, "invalid_request"], 200],
      ["no redirect URI", { redirect_uri: undefined }, [400, "invalid_request"], 200],
      ["no code", { code: undefined }, [400, "invalid_request"], 200],
      ["an empty code", { code: "" }, [400, "invalid_request"], 200],
      ["another code", { code: "x".repeat(43) }, [400, "invalid_grant"], 200],
      ["a code with a NUL", { code: "\0" }, [400, "invalid_grant"], 200],
      ["no grant type", { grant_type: undefined }, [400, "invalid_request"], 200],
      ["another grant type", { grant_type: "password" }, [400, "unsupported_grant_type"], 200],
      ["another client", { client_id: "phone", client_secret: undefined }, [400, "invalid_grant"], 200],
      ["a wrong secret", { client_secret: "wrong" }, [401, "invalid_client"], 200],
      ["another resource", { resource: NOTES }, [400, "invalid_target"], 200],
    ];
  for (const [name, changes, answer, after] of cases) {
    const given = await giveCode(app, person, "wiki");
    deepStrictEqual(await errorOf(exchange(app, given, changes)), answer, name);
    strictEqual((await exchange(app, given)).status, after, `after ${name}`);
  }
});

Deno.test("a verifier is refused if there was no challenge", async () => {
  const given = await giveCode(app, person, "wiki", { hasChallenge: false });
  deepStrictEqual(await errorOf(exchange(app, given)), [400, "invalid_grant"]);
  const other = await giveCode(app, person, "wiki", { hasChallenge: false });
  strictEqual((await exchange(app, other, { code_verifier: undefined })).status, 200);
});

Deno.test("a code works for a minute", async () => {
  const [last, late] = [await giveCode(app, person, "wiki"), await giveCode(app, person, "wiki")];
  app.advance(59);
  strictEqual((await exchange(app, last)).status, 200);
  app.advance(1);
  deepStrictEqual(await errorOf(exchange(app, late)), [400, "invalid_grant"]);
});

Deno.test("a code that is used again ends the grant from ten seconds on, and before does not", async () => {
  const given = await giveCode(app, person, "wiki");
  const { refresh_token } = await tokensIn(exchange(app, given));
  app.advance(9);
  deepStrictEqual(await errorOf(exchange(app, given)), [400, "invalid_grant"]);
  const next = await tokensIn(refresh(app, "wiki", refresh_token!));
  app.advance(1);
  deepStrictEqual(await errorOf(exchange(app, given, credentialsOf("phone"))), [401, "invalid_client"]);
  deepStrictEqual(
    await errorOf(exchange(app, given, { client_id: "phone", client_secret: undefined })),
    [400, "invalid_grant"],
  );
  const again = await tokensIn(refresh(app, "wiki", next.refresh_token!));
  strictEqual((await userinfo(again.access_token)).status, 200, "another client ends nothing");
  deepStrictEqual(await errorOf(exchange(app, given)), [400, "invalid_grant"]);
  deepStrictEqual(await errorOf(refresh(app, "wiki", again.refresh_token!)), [400, "invalid_grant"]);
  strictEqual((await userinfo(again.access_token)).status, 401);
});

Deno.test("clients authenticate with Basic or in the form, and with either secret", async () => {
  const form = (await giveCode(app, person, "wiki")).code;
  const fields = { grant_type: "authorization_code", code: form, redirect_uri: REDIRECT_URI };
  const none = "client_id" as const;
  const cases: [name: string, fields: Record<string, string>, headers: HeadersInit, answer: [number, string]][] = [
    ["Basic with the first", {}, basic("wiki", SECRETS[0]), [400, "invalid_grant"]],
    ["Basic with the second", {}, basic("wiki", SECRETS[1]), [400, "invalid_grant"]],
    ["Basic and the same id", { client_id: "wiki" }, basic("wiki", SECRETS[0]), [400, "invalid_grant"]],
    ["the form with the second", { client_id: "wiki", client_secret: SECRETS[1] }, {}, [400, "invalid_grant"]],
    ["Basic and another id", { client_id: "phone" }, basic("wiki", SECRETS[0]), [400, "invalid_request"]],
    ["a public client with an empty secret", {}, basic("phone", ""), [400, "invalid_grant"]],
    ["a client with an empty secret", {}, basic("wiki", ""), [401, "invalid_client"]],
    ["two ways", { client_secret: SECRETS[0] }, basic("wiki", SECRETS[0]), [400, "invalid_request"]],
    ["no client", {}, {}, [400, "invalid_request"]],
    ["an unknown client", { client_id: "nobody" }, {}, [401, "invalid_client"]],
    ["an unknown client with a secret", { client_id: "nobody", client_secret: "x" }, {}, [401, "invalid_client"]],
    ["a client without its secret", { client_id: "wiki" }, {}, [401, "invalid_client"]],
    ["a public client with a secret", { client_id: "phone", client_secret: "x" }, {}, [401, "invalid_client"]],
    ["a public client with Basic", {}, basic("phone", "x"), [401, "invalid_client"]],
    ["the hash as the secret", { client_id: "wiki", client_secret: "0".repeat(64) }, {}, [401, "invalid_client"]],
    ["a wrong Basic", {}, basic("wiki", "wrong"), [401, "invalid_client"]],
    ["no base64", {}, { Authorization: "Basic wiki:secret" }, [400, "invalid_request"]],
    ["base64 without padding", {}, { Authorization: "Basic dzp4eA" }, [400, "invalid_request"]],
    ["no colon", {}, { Authorization: `Basic ${btoa("wiki")}` }, [400, "invalid_request"]],
    ["no UTF-8", {}, { Authorization: `Basic ${btoa("wiki:\xff")}` }, [400, "invalid_request"]],
    ["a lone percent sign", {}, { Authorization: `Basic ${btoa("wiki:%")}` }, [400, "invalid_request"]],
    ["Bearer", {}, { Authorization: "Bearer x" }, [400, "invalid_request"]],
  ];
  strictEqual(none, "client_id");
  for (const [name, added, headers, answer] of cases) {
    const sent = postForm(app, "/oauth/token", { ...fields, code: "unknown", ...added }, headers);
    deepStrictEqual(await errorOf(sent), answer, name);
  }
  const wrong = await postForm(app, "/oauth/token", { client_id: "nobody" });
  match(wrong.headers.get("WWW-Authenticate")!, /^Basic /);
});

Deno.test("only a form is read, without repetitions, of at most 64 KiB, whatever origin and cookies come with it", async () => {
  const { code, verifier } = await giveCode(app, person, "phone");
  const fields = new URLSearchParams({
    client_id: "phone",
    grant_type: "authorization_code",
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  });
  const type = "application/x-www-form-urlencoded";
  const send = (body: BodyInit, contentType = type, headers: Record<string, string> = {}) =>
    app.client().request("/oauth/token", {
      method: "POST",
      body,
      headers: { "Content-Type": contentType, ...headers },
    });
  const refused: [name: string, sent: Promise<Response>][] = [
    ["JSON", send(JSON.stringify(Object.fromEntries(fields)), "application/json")],
    ["multipart", app.client().request("/oauth/token", { method: "POST", body: new FormData() })],
    ["a repeated parameter", send(`${fields}&code=${code}`)],
    ["a repeated unknown parameter", send(`${fields}&a=1&a=2`)],
    ["a large body", send(`${fields}&a=${"x".repeat(64 * 1024)}`)],
    ["no UTF-8", send(`${fields}&a=%ff`)],
    ["nothing", app.client().request("/oauth/token", { method: "POST" })],
  ];
  for (const [name, sent] of refused) deepStrictEqual(await errorOf(sent), [400, "invalid_request"], name);
  const headers = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site", Cookie: "auth_session=x" };
  const response = await send(fields, type, headers);
  strictEqual(response.status, 200, "no cookie counts, so no origin is refused");
});

Deno.test("wrong client secrets from one address are limited, but refuse no right one there", async () => {
  await using limited = await openTestApp({ ...await clientsOf(), LIMIT_CLIENT: "3/900" });
  const address = "192.0.2.7";
  const send = (fields: Record<string, string>) =>
    limited.client(address).request("/oauth/token", { method: "POST", body: new URLSearchParams(fields) });
  const right = { ...credentialsOf("wiki"), grant_type: "refresh_token", refresh_token: "x" };
  for (let i = 0; i < 5; i++) strictEqual((await send(right)).status, 400);
  const answers: [number, string][] = [];
  for (let i = 0; i < 4; i++) answers.push(await errorOf(send({ ...right, client_secret: `guess ${i}` })));
  deepStrictEqual(answers, [
    [401, "invalid_client"],
    [401, "invalid_client"],
    [401, "invalid_client"],
    [429, "temporarily_unavailable"],
  ]);
  const refused = await send({ ...right, client_id: "unknown" });
  deepStrictEqual([refused.status, refused.headers.get("Retry-After")], [429, "900"]);
  strictEqual((await send(right)).status, 400, "a right secret");
  strictEqual((await send({ client_id: "phone", grant_type: "refresh_token", refresh_token: "x" })).status, 400);
  deepStrictEqual(await errorOf(postForm(limited, "/oauth/token", { ...right, client_secret: "guess" })), [
    401,
    "invalid_client",
  ], "another address");
  limited.advance(900);
  deepStrictEqual(await errorOf(send({ ...right, client_secret: "guess" })), [401, "invalid_client"]);
});

Deno.test("after thirty wrong client secrets from an address, every route takes the right ones of all apps there", async () => {
  await using limited = await openTestApp({ ...await clientsOf(), LIMIT_CLIENT: "30/900" });
  const sender = limited.client("192.0.2.8");
  const send = (path: string, secret: string, clientId: string) => {
    const body = new URLSearchParams({ token: "x", grant_type: "refresh_token", refresh_token: "x" });
    const headers = { Authorization: `Basic ${btoa(`${clientId}:${secret}`)}` };
    return sender.request(path, { method: "POST", body, headers });
  };
  const routes: [path: string, status: number][] = [
    ["/oauth/token", 400],
    ["/oauth/revoke", 200],
    ["/oauth/introspect", 200],
  ];
  for (let i = 0; i < 10; i++) {
    for (const [path] of routes) {
      deepStrictEqual(await errorOf(send(path, `guess ${i}`, "wiki")), [401, "invalid_client"]);
    }
  }
  for (const [path, status] of routes) {
    const wrong = await errorOf(send(path, "guess", "notes-api"));
    deepStrictEqual(wrong, [429, "temporarily_unavailable"], path);
    for (const clientId of ["wiki", "notes-api"]) {
      strictEqual((await send(path, SECRETS[0], clientId)).status, status, `${path} of ${clientId}`);
    }
  }
});

/** The file of the shared app. */
function clientsOf(): Promise<{ CLIENTS_FILE: string }> {
  return Promise.resolve({ CLIENTS_FILE: app.services.config.clientsFile! });
}

Deno.test("requests with one grant count under the policy token", async () => {
  await using limited = await openTestApp({ ...await clientsOf(), LIMIT_TOKEN: "2/60" });
  const { client } = await registerVerifiedUser(limited, "limited@example.com");
  const { access_token, refresh_token } = await connect(limited, client, "es256");
  const read = () => limited.client().get("/oauth/userinfo", { Authorization: `Bearer ${access_token}` });
  strictEqual((await read()).status, 200);
  const next = await tokensIn(refresh(limited, "es256", refresh_token));
  deepStrictEqual(await errorOf(read()), [429, "temporarily_unavailable"]);
  match((await read()).headers.get("RateLimit") ?? "", /^"token";r=0;t=\d+$/);
  deepStrictEqual(await errorOf(refresh(limited, "es256", next.refresh_token!)), [429, "temporarily_unavailable"]);
  limited.advance(60);
  strictEqual((await refresh(limited, "es256", next.refresh_token!)).status, 200);
});

Deno.test("userinfo takes a Bearer token of the header alone", async () => {
  const { access_token, id_token, refresh_token } = await connect(app, person, "wiki");
  for (const token of [undefined, "", "x", id_token, refresh_token, `${access_token.slice(0, -8)}AAAAAAAA`]) {
    const response = await userinfo(token);
    strictEqual(response.status, 401, String(token));
    match(response.headers.get("WWW-Authenticate")!, /^Bearer error="invalid_token"/);
  }
  strictEqual((await person.get("/oauth/userinfo")).status, 401, "a session is no token");
  strictEqual((await app.client().get(`/oauth/userinfo?access_token=${access_token}`)).status, 401);
  strictEqual((await postForm(app, "/oauth/userinfo", { access_token })).status, 401);
  const posted = await postForm(app, "/oauth/userinfo", {}, { Authorization: `Bearer ${access_token}` });
  deepStrictEqual(await posted.json(), { sub: userId });
});

Deno.test("an app revokes its grant with either token, and no other", async () => {
  const revoke = (clientId: string, token: string) =>
    postForm(app, "/oauth/revoke", { ...credentialsOf(clientId), token, token_type_hint: "nonsense" });
  for (const which of ["access_token", "refresh_token"] as const) {
    const tokens = await connect(app, person, "phone", { scopes: ALL_SCOPES });
    const foreign = await revoke("wiki", tokens[which]);
    deepStrictEqual([foreign.status, await foreign.text()], [200, ""]);
    strictEqual((await userinfo(tokens.access_token)).status, 200);
    strictEqual((await revoke("phone", tokens[which])).status, 200);
    strictEqual((await userinfo(tokens.access_token)).status, 401);
    deepStrictEqual(await errorOf(refresh(app, "phone", tokens.refresh_token)), [400, "invalid_grant"]);
    strictEqual((await revoke("phone", tokens[which])).status, 200);
  }
  strictEqual((await revoke("phone", "nonsense")).status, 200);
  deepStrictEqual(await errorOf(postForm(app, "/oauth/revoke", credentialsOf("phone"))), [400, "invalid_request"]);
  deepStrictEqual(await errorOf(postForm(app, "/oauth/revoke", { token: "x" })), [400, "invalid_request"]);
});

Deno.test("a confidential client inspects its own tokens and those for its resources", async () => {
  const inspect = async (clientId: string, token: string) => {
    const response = await postForm(app, "/oauth/introspect", { ...credentialsOf(clientId), token });
    strictEqual(response.status, 200, await response.clone().text());
    return await response.json();
  };
  const wiki = await connect(app, person, "wiki", { scopes: SCOPES });
  const { iss, sub, aud, client_id, scope, exp, iat, jti } = decodeJwt(wiki.access_token);
  const expected = { active: true, iss, sub, aud, client_id, scope, exp, iat, jti, token_type: "Bearer" };
  deepStrictEqual(await inspect("wiki", wiki.access_token), { ...expected, username: email });
  const nameless = await connect(app, person, "wiki", { scopes: ["openid", "profile"] });
  strictEqual((await inspect("wiki", nameless.access_token)).username, undefined);
  const { active, exp: end } = await inspect("wiki", wiki.refresh_token);
  deepStrictEqual([active, typeof end], [true, "number"]);
  const next = await tokensIn(refresh(app, "wiki", wiki.refresh_token));
  deepStrictEqual(await inspect("wiki", wiki.refresh_token), { active: false }, "it was used");
  strictEqual((await inspect("wiki", next.refresh_token!)).active, true);
  const phone = await connect(app, person, "phone", { scopes: ALL_SCOPES, resource: NOTES });
  const { username, ...ofPhone } = await inspect("notes-api", phone.access_token);
  deepStrictEqual([ofPhone.active, username], [true, email]);
  for (
    const [clientId, token] of [
      ["notes-api", wiki.access_token],
      ["notes-api", phone.refresh_token],
      ["wiki", phone.access_token],
      ["wiki", wiki.id_token],
      ["wiki", "nonsense"],
    ]
  ) deepStrictEqual(await inspect(clientId, token), { active: false });
  const asPhone = postForm(app, "/oauth/introspect", { ...credentialsOf("phone"), token: phone.access_token });
  deepStrictEqual(await errorOf(asPhone), [401, "invalid_client"]);
  app.advance(300);
  deepStrictEqual(await inspect("wiki", wiki.access_token), { active: false });
});

Deno.test("other methods are refused", async () => {
  for (const path of ["token", "revoke", "introspect"]) {
    strictEqual((await app.client().get(`/oauth/${path}`)).status, 405);
  }
});

Deno.test("errors reveal nothing of the request, and no secret reaches the log", async () => {
  const given = await giveCode(app, person, "wiki");
  const tokens = await tokensIn(exchange(app, given));
  const bad = await exchange(app, given, { redirect_uri: "https://evil.example/<script>" });
  const { error_description } = await bad.json();
  match(error_description, /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
  ok(!error_description.includes("evil"));
  await refresh(app, "wiki", tokens.refresh_token!);
  const log = app.logLines.join("\n");
  const secrets = [
    given.code,
    given.verifier,
    ...SECRETS,
    tokens.access_token,
    tokens.refresh_token!,
    tokens.id_token!,
  ];
  deepStrictEqual(secrets.filter((secret) => log.includes(secret)), []);
  app.advance(DAY_SECONDS);
});
