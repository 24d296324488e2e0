import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { createJwtKeys, signJwt } from "../../lib/crypto/jwt.ts";
import type { TokenResponse } from "../../lib/authorization_server/tokens/token_response.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import {
  errorOf,
  exchange,
  openAuthorizationApp,
  postForm,
  refresh,
  SECRETS,
  tokensIn,
} from "../support/app/authorization.ts";
import { answerTo, authorizePath, codeIn, movedAnswer, press } from "../support/app/authorize_page.ts";
import { deliverDueLogouts, startLogoutReceiver } from "../support/app/logout_receiver.ts";
import { readPage } from "../support/app/page_reader.ts";
import type { TestClient } from "../support/app/test_client.ts";

/**
 * The modules of the conformance suite of the OpenID Foundation, by their names: the plans of Basic OP, Config OP,
 * RP-Initiated Logout and Back-Channel Logout. Each says how this service answers what the module sends. This is not a
 * run of the suite. It was written from the version of August 2026.
 */

const receiver = startLogoutReceiver();
Deno.test.afterAll(() => receiver[Symbol.asyncDispose]());
const app = await openAuthorizationApp({ LOGIN_MAX_ATTEMPTS: "0" });
const ISSUER = app.services.config.baseUrl;
const OUT = "https://app.example/out";
const wiki = app.services.config.registrations!.clients.get("wiki")!;
wiki.postLogoutRedirectUris.push(OUT);
wiki.backchannelLogoutUri = `${receiver.url}/logout`;

type Changes = Record<string, string | undefined>;
type Answer = Record<string, string>;

interface Person {
  client: TestClient;
  id: string;
  email: string;
}

function newPerson(): Promise<Person> {
  return registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`, "Ada Lovelace");
}

/** Asks as a person who is logged in, and agrees if that is asked. */
async function answerFor({ client }: Person, changes: Changes = {}, path = authorizePath("wiki", changes)) {
  const response = await client.get(path);
  if (response.status === 303) return answerTo(response);
  strictEqual(response.status, 200, await response.clone().text());
  return await movedAnswer(await press(app, client, await response.text(), "allow"));
}

async function signedIn(changes: Changes = {}): Promise<{ person: Person; tokens: Required<TokenResponse> }> {
  const person = await newPerson();
  return { person, tokens: await tokensFor(person, changes) };
}

async function tokensFor(person: Person, changes: Changes = {}): Promise<Required<TokenResponse>> {
  const answer = await answerFor(person, changes);
  return await tokensIn(exchange(app, codeIn(answer, "wiki"))) as Required<TokenResponse>;
}

/** The answer to a request that must ask the person nothing. */
async function silentAnswer({ client }: Person, changes: Changes = {}): Promise<Answer> {
  return answerTo(await client.get(authorizePath("wiki", { prompt: "none", ...changes })));
}

function userinfo({ access_token }: TokenResponse, init: RequestInit = {}): Promise<Response> {
  return app.client().request("/oauth/userinfo", { headers: { Authorization: `Bearer ${access_token}` }, ...init });
}

/** Verifies an ID token with the published keys. */
async function verified(idToken: string) {
  const { keys } = await (await app.client().get("/.well-known/jwks.json")).json();
  const kid = decodeProtectedHeader(idToken).kid;
  strictEqual(keys.filter((key: { kid: string }) => key.kid === kid).length, 1);
  const options = { issuer: ISSUER, audience: "wiki", currentDate: app.services.now() };
  return (await jwtVerify(idToken, createLocalJWKSet({ keys }), options)).payload;
}

/** Where a request leads that asks the person to prove who they are. They do, and come back. */
async function provedAgain(person: Person, changes: Changes): Promise<Answer> {
  const asked = await person.client.get(authorizePath("wiki", changes));
  strictEqual(asked.status, 303);
  const page = new URL(asked.headers.get("Location")!, ISSUER);
  strictEqual(page.pathname, "/reauthenticate");
  strictEqual((await person.client.send("POST", "/auth/reauthenticate", { password: PASSWORD })).status, 200);
  return await answerFor(person, {}, page.searchParams.get("next")!);
}

async function discovery() {
  return await (await app.client().get("/.well-known/openid-configuration")).json();
}

/** Expects the page of an error that leads nowhere. */
async function isErrorPage(response: Response): Promise<void> {
  deepStrictEqual([response.status, response.headers.get("Location"), response.headers.get("Refresh")], [
    400,
    null,
    null,
  ]);
  ok((await readPage(response)).heading);
}

/** One module: what we answer, and the test. */
type Modules = Record<string, [answer: string, test: () => Promise<void>]>;

/** A request with more parameters succeeds. */
function succeedsWith(changes: Changes): () => Promise<void> {
  return async () => void await signedIn(changes);
}

function claimsWith(scope: string, inIdToken: string[]): () => Promise<void> {
  return async () => {
    const { tokens } = await signedIn({ scope });
    const claims = decodeJwt(tokens.id_token);
    for (const each of ["name", "email", "email_verified", "address", "phone_number"]) {
      strictEqual(each in claims, inIdToken.includes(each), each);
    }
    const about = await (await userinfo(tokens)).json();
    deepStrictEqual(inIdToken.filter((each) => !(each in about)), []);
    strictEqual(about.sub, claims.sub);
  };
}

const BASIC_OP: Modules = {
  "oidcc-server": ["tokens with a signed ID token that names issuer, app and nonce", async () => {
    const { person, tokens } = await signedIn({ nonce: "n-1", scope: "openid" });
    const { sub, nonce, aud, iss, exp, iat } = await verified(tokens.id_token);
    deepStrictEqual([sub, nonce, aud, iss, exp! - iat!], [person.id, "n-1", "wiki", ISSUER, 3600]);
    deepStrictEqual([tokens.token_type, tokens.scope], ["Bearer", "openid"]);
  }],
  "oidcc-response-type-missing": ["invalid_request at the app", async () => {
    const answer = await answerFor(await newPerson(), { response_type: undefined });
    deepStrictEqual([answer.error, answer.state], ["invalid_request", "s1"]);
  }],
  "oidcc-idtoken-signature": [
    "not for registered apps; the default is RS256, with the id of a published key",
    async () => {
      const { tokens } = await signedIn();
      strictEqual(decodeProtectedHeader(tokens.id_token).alg, "RS256");
      await verified(tokens.id_token);
    },
  ],
  "oidcc-idtoken-unsigned": ["not for registered apps; none is not offered", async () => {
    deepStrictEqual((await discovery()).id_token_signing_alg_values_supported, ["RS256", "ES256"]);
  }],
  "oidcc-userinfo-get": ["the claims", async () => {
    const { person, tokens } = await signedIn();
    deepStrictEqual(await (await userinfo(tokens)).json(), { sub: person.id });
  }],
  "oidcc-userinfo-post-header": ["the claims", async () => {
    const { person, tokens } = await signedIn();
    deepStrictEqual(await (await userinfo(tokens, { method: "POST" })).json(), { sub: person.id });
  }],
  "oidcc-userinfo-post-body": ["401, which the module warns of: the header alone counts", async () => {
    const { access_token } = (await signedIn()).tokens;
    strictEqual((await postForm(app, "/oauth/userinfo", { access_token })).status, 401);
  }],
  "oidcc-ensure-request-without-nonce-succeeds-for-code-flow": ["tokens without a nonce", async () => {
    const { tokens } = await signedIn({ nonce: undefined });
    strictEqual("nonce" in decodeJwt(tokens.id_token), false);
  }],
  "oidcc-scope-profile": ["the name, in the ID token too", claimsWith("openid profile", ["name"])],
  "oidcc-scope-email": ["the address, in the ID token too", claimsWith("openid email", ["email", "email_verified"])],
  "oidcc-scope-address": ["the scope is left out", claimsWith("openid address", [])],
  "oidcc-scope-phone": ["the scope is left out", claimsWith("openid phone", [])],
  "oidcc-scope-all": [
    "what is known of them",
    claimsWith("openid profile email address phone", ["name", "email", "email_verified"]),
  ],
  "oidcc-alternate-happy-flow": ["tokens: the order of scopes and parameters does not matter", async () => {
    const person = await newPerson();
    const [path, query] = authorizePath("wiki", { scope: "email openid" }).split("?");
    const reversed = new URLSearchParams([...new URLSearchParams(query)].reverse());
    const tokens = await tokensIn(exchange(app, codeIn(await answerFor(person, {}, `${path}?${reversed}`), "wiki")));
    strictEqual((await verified(tokens.id_token!)).email, person.email);
  }],
  "oidcc-display-page": ["ignored", succeedsWith({ display: "page" })],
  "oidcc-display-popup": ["ignored", succeedsWith({ display: "popup" })],
  "oidcc-prompt-login": ["the person proves who they are again, and auth_time is later", async () => {
    const { person, tokens } = await signedIn();
    app.advance(2);
    const again = await tokensIn(exchange(app, codeIn(await provedAgain(person, { prompt: "login" }), "wiki")));
    const [first, second] = [tokens, again].map(({ id_token }) => decodeJwt(id_token!));
    strictEqual(second.sub, first.sub);
    ok(Number(second.auth_time) > Number(first.auth_time));
  }],
  "oidcc-prompt-none-not-logged-in": ["login_required at the app", async () => {
    const answer = answerTo(await app.client().get(authorizePath("wiki", { prompt: "none" })));
    deepStrictEqual([answer.error, answer.state, answer.iss], ["login_required", "s1", ISSUER]);
  }],
  "oidcc-prompt-none-logged-in": ["tokens of the same person and proof, without a page", async () => {
    const { person, tokens } = await signedIn();
    const again = await tokensIn(exchange(app, codeIn(await silentAnswer(person), "wiki")));
    const [first, second] = [tokens, again].map(({ id_token }) => decodeJwt(id_token!));
    deepStrictEqual([second.sub, second.auth_time], [first.sub, first.auth_time]);
  }],
  "oidcc-max-age-1": ["the person proves who they are again, and auth_time is later", async () => {
    const { person, tokens } = await signedIn();
    app.advance(2);
    const again = await tokensIn(exchange(app, codeIn(await provedAgain(person, { max_age: "1" }), "wiki")));
    ok(Number(decodeJwt(again.id_token!).auth_time) > Number(decodeJwt(tokens.id_token).auth_time));
  }],
  "oidcc-max-age-10000": ["tokens of the same proof, without a page", async () => {
    const { person, tokens } = await signedIn({ max_age: "15000" });
    app.advance(2);
    const answer = answerTo(await person.client.get(authorizePath("wiki", { max_age: "10000" })));
    const again = await tokensIn(exchange(app, codeIn(answer, "wiki")));
    const [first, second] = [tokens, again].map(({ id_token }) => decodeJwt(id_token!));
    deepStrictEqual([second.sub, second.auth_time], [first.sub, first.auth_time]);
  }],
  "oidcc-ensure-request-with-unknown-parameter-succeeds": ["ignored", succeedsWith({ extra: "foobar" })],
  "oidcc-id-token-hint": ["tokens of the same person, without a page; login_required for someone else", async () => {
    const { person, tokens } = await signedIn();
    const answer = await silentAnswer(person, { id_token_hint: tokens.id_token });
    strictEqual(decodeJwt((await tokensIn(exchange(app, codeIn(answer, "wiki")))).id_token!).sub, person.id);
    const { person: other } = await signedIn();
    strictEqual((await silentAnswer(other, { id_token_hint: tokens.id_token })).error, "login_required");
  }],
  "oidcc-login-hint": ["the address is in the form of the login page", async () => {
    const guest = app.client();
    const sent = await guest.get(authorizePath("wiki", { login_hint: "buffy@foyer.test" }));
    const page = await readPage(guest.get(sent.headers.get("Location")!));
    strictEqual(page.field("email").value, "buffy@foyer.test");
  }],
  "oidcc-ui-locales": ["ignored if there is no such language", succeedsWith({ ui_locales: "se" })],
  "oidcc-claims-locales": ["ignored", succeedsWith({ claims_locales: "se" })],
  "oidcc-ensure-request-with-acr-values-succeeds": ["tokens with the acr of the session", async () => {
    const values = (await discovery()).acr_values_supported.join(" ");
    strictEqual(decodeJwt((await signedIn({ acr_values: values })).tokens.id_token).acr, "1");
  }],
  "oidcc-codereuse": ["invalid_grant", async () => {
    const code = codeIn(await answerFor(await newPerson()), "wiki");
    await tokensIn(exchange(app, code));
    deepStrictEqual(await errorOf(exchange(app, code)), [400, "invalid_grant"]);
  }],
  "oidcc-codereuse-30seconds": ["invalid_grant, and the access token ends", async () => {
    const code = codeIn(await answerFor(await newPerson()), "wiki");
    const tokens = await tokensIn(exchange(app, code));
    app.advance(30);
    deepStrictEqual(await errorOf(exchange(app, code)), [400, "invalid_grant"]);
    strictEqual((await userinfo(tokens)).status, 401);
  }],
  "oidcc-ensure-registered-redirect-uri": ["a page that leads nowhere", async () => {
    const { client } = await newPerson();
    await isErrorPage(await client.get(authorizePath("wiki", { redirect_uri: "https://app.example/foo" })));
  }],
  "oidcc-ensure-post-request-succeeds": ["303 to the same request with GET, and tokens", async () => {
    const person = await newPerson();
    const body = authorizePath("wiki").split("?")[1];
    const sent = await person.client.request("/oauth/authorize", {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: "https://app.example" },
      body,
    });
    strictEqual(sent.status, 303);
    await tokensIn(exchange(app, codeIn(await answerFor(person, {}, sent.headers.get("Location")!), "wiki")));
  }],
  "oidcc-server-client-secret-post": ["tokens", async () => {
    const code = codeIn(await answerFor(await newPerson()), "wiki");
    await tokensIn(exchange(app, code, { client_id: "wiki", client_secret: SECRETS[0] }));
  }],
  "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported": [
    "request_uri_not_supported",
    async () => {
      const answer = await answerFor(await newPerson(), { request_uri: "https://app.example/request.jwt" });
      strictEqual(answer.error, "request_uri_not_supported");
    },
  ],
  "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported": [
    "request_not_supported",
    async () => {
      const answer = await answerFor(await newPerson(), { request: "eyJhbGciOiJub25lIn0.e30." });
      strictEqual(answer.error, "request_not_supported");
    },
  ],
  "oidcc-claims-essential": ["the parameter is ignored; the scope profile brings the name", async () => {
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
    const { tokens } = await signedIn({ claims, scope: "openid profile" });
    strictEqual((await (await userinfo(tokens)).json()).name, "Ada Lovelace");
  }],
  "oidcc-ensure-request-object-with-redirect-uri": ["request_not_supported, and never the other address", async () => {
    const payload = btoa(JSON.stringify({ redirect_uri: "https://app.example/other" })).replaceAll("=", "");
    const answer = await answerFor(await newPerson(), { request: `eyJhbGciOiJub25lIn0.${payload}.` });
    strictEqual(answer.error, "request_not_supported");
  }],
  "oidcc-refresh-token": ["new tokens of the same person; invalid_grant for another app", async () => {
    const { tokens } = await signedIn({ scope: "openid" });
    const next = await tokensIn(refresh(app, "wiki", tokens.refresh_token));
    const [first, second] = [tokens, next].map(({ id_token }) => decodeJwt(id_token!));
    deepStrictEqual([second.sub, second.iss, second.aud, second.auth_time], [
      first.sub,
      first.iss,
      first.aud,
      first.auth_time,
    ]);
    notStrictEqual(next.refresh_token, tokens.refresh_token);
    deepStrictEqual(await errorOf(refresh(app, "phone", next.refresh_token!)), [400, "invalid_grant"]);
  }],
  "oidcc-ensure-request-with-valid-pkce-succeeds": ["tokens; PKCE is required by default", async () => {
    await signedIn();
    strictEqual((await answerFor(await newPerson(), { code_challenge: undefined })).error, "invalid_request");
  }],
};

const CONFIG_OP: Modules = {
  "oidcc-discovery-endpoint-verification": ["what the profile requires", async () => {
    const document = await discovery();
    strictEqual(document.issuer, ISSUER);
    for (const name of ["authorization", "token", "userinfo"]) {
      ok(document[`${name}_endpoint`].startsWith(`${ISSUER}/`), name);
    }
    ok(document.id_token_signing_alg_values_supported.includes("RS256"));
    deepStrictEqual([document.response_types_supported, document.subject_types_supported], [["code"], ["public"]]);
    ok(document.scopes_supported.includes("openid"));
    deepStrictEqual([document.claims_parameter_supported, document.request_uri_parameter_supported], [false, false]);
    const { keys } = await (await app.client().get(new URL(document.jwks_uri).pathname)).json();
    const names: string[] = keys.flatMap((key: object) => Object.keys(key));
    deepStrictEqual(names.filter((name) => ["d", "p", "q", "dp", "dq", "qi", "k"].includes(name)), []);
  }],
};

/** Opens the page of ours that logs out. */
function leave({ client }: Person, query: Record<string, string>): Promise<Response> {
  return client.get(`/oauth/logout?${new URLSearchParams(query)}`);
}

const backOf = (response: Response) => response.headers.get("Refresh")?.slice("0; url=".length) ?? null;

/** Expects a page that asks the person, and leads nowhere by itself. The person agrees, and is logged out. */
function asksAndEnds(
  queryOf: (tokens: Required<TokenResponse>) => Record<string, string> | Promise<Record<string, string>>,
): () => Promise<void> {
  return async () => {
    const { person, tokens } = await signedIn();
    const response = await leave(person, await queryOf(tokens));
    deepStrictEqual([response.status, backOf(response)], [200, null]);
    const page = await readPage(response);
    match(page.heading, /Log out of/);
    strictEqual("error" in await silentAnswer(person), false, "still logged in");
    const ended = await press(app, person.client, page.html, "logout");
    deepStrictEqual([ended.headers.get("Location"), backOf(ended)], ["/oauth/logout", null]);
    strictEqual((await silentAnswer(person)).error, "login_required");
  };
}

/** Expects that the session ends at once. */
function endsAtOnce(query: Record<string, string>, back: string | null): () => Promise<void> {
  return async () => {
    const { person, tokens } = await signedIn();
    const response = await leave(person, { id_token_hint: tokens.id_token, ...query });
    strictEqual(backOf(response), back);
    if (back === null) match(await response.text(), /logged out/);
    strictEqual((await silentAnswer(person)).error, "login_required");
  };
}

const RP_INITIATED_OP: Modules = {
  "oidcc-rp-initiated-logout-discovery-endpoint-verification": ["end_session_endpoint is listed", async () => {
    strictEqual((await discovery()).end_session_endpoint, `${ISSUER}/oauth/logout`);
  }],
  "oidcc-rp-initiated-logout": [
    "the session ends, and the person returns with the state",
    endsAtOnce({ post_logout_redirect_uri: OUT, state: "s-1" }, `${OUT}?state=s-1`),
  ],
  "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri": [
    "the session ends, and the page leads nowhere",
    endsAtOnce({ post_logout_redirect_uri: "https://app.example/bad", state: "s-1" }, null),
  ],
  "oidcc-rp-initiated-logout-modified-id-token-hint": [
    "a page asks, and leads nowhere",
    asksAndEnds(({ id_token }) => ({
      id_token_hint: `${btoa('{"alg":"none"}').replaceAll("=", "")}.${id_token.split(".")[1]}.`,
      post_logout_redirect_uri: OUT,
      state: "s-1",
    })),
  ],
  "oidcc-rp-initiated-logout-no-id-token-hint": [
    "a page asks, and leads nowhere",
    asksAndEnds(() => ({ post_logout_redirect_uri: OUT, state: "s-1" })),
  ],
  "oidcc-rp-initiated-logout-no-params": ["a page asks, and the session ends", asksAndEnds(() => ({}))],
  "oidcc-rp-initiated-logout-no-post-logout-redirect-uri": [
    "the session ends, and the page leads nowhere",
    endsAtOnce({ state: "s-1" }, null),
  ],
  "oidcc-rp-initiated-logout-no-state": [
    "the session ends, and the person returns without a state",
    endsAtOnce({ post_logout_redirect_uri: OUT }, OUT),
  ],
  "oidcc-rp-initiated-logout-only-state": [
    "a page asks, and the session ends",
    asksAndEnds(() => ({ state: "s-1" })),
  ],
  "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri": [
    "the session ends, and the page leads nowhere",
    endsAtOnce({ post_logout_redirect_uri: `${OUT}?foo=bar`, state: "s-1" }, null),
  ],
  "oidcc-rp-initiated-logout-bad-id-token-hint": [
    "a page asks, and leads nowhere",
    asksAndEnds(async ({ id_token }) => {
      const { privateKey } = await createJwtKeys("RS256");
      const key = { id: decodeProtectedHeader(id_token).kid!, algorithm: "RS256" as const, privateKey };
      const hint = await signJwt(decodeJwt(id_token), key);
      return { id_token_hint: hint, post_logout_redirect_uri: OUT, state: "s-1" };
    }),
  ],
};

const BACK_CHANNEL_OP: Modules = {
  "oidcc-backchannel-logout-discovery-endpoint-verification": ["all three are listed", async () => {
    const document = await discovery();
    deepStrictEqual([
      document.backchannel_logout_supported,
      document.backchannel_logout_session_supported,
      document.end_session_endpoint,
    ], [true, true, `${ISSUER}/oauth/logout`]);
  }],
  "oidcc-backchannel-rp-initiated-logout": ["the app gets a logout token, and the person returns", async () => {
    const { person, tokens } = await signedIn();
    const response = await leave(person, {
      id_token_hint: tokens.id_token,
      post_logout_redirect_uri: OUT,
      state: "s-1",
    });
    strictEqual(backOf(response), `${OUT}?state=s-1`);
    while (await deliverDueLogouts(app.services) > 0);
    const sid = decodeJwt(tokens.id_token).sid;
    const logouts = await Promise.all(receiver.received.map(({ token }) => verified(token)));
    const [logout] = logouts.filter((each) => each.sid === sid);
    deepStrictEqual([logout.sub, logout.aud, "nonce" in logout], [person.id, "wiki", false]);
    deepStrictEqual(logout.events, { "http://schemas.openid.net/event/backchannel-logout": {} });
    strictEqual((await silentAnswer(person)).error, "login_required");
  }],
};

const PLANS: Record<string, Modules> = {
  "Basic OP": BASIC_OP,
  "Config OP": CONFIG_OP,
  "RP-Initiated OP": RP_INITIATED_OP,
  "Back-Channel OP": BACK_CHANNEL_OP,
};

for (const [plan, modules] of Object.entries(PLANS)) {
  for (const [name, [answer, test]] of Object.entries(modules)) Deno.test(`${plan}, ${name}: ${answer}`, test);
}
