import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type AuthorizeRequest, judgeRequest, type Judgment, senderOf } from "./authorize_request.ts";
import type { RegisteredClient, Registrations, Resource } from "../../config/registered_client.ts";

const ISSUER = "https://id.example";
const REDIRECT_URI = "https://app.example/cb";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

const CLIENT: RegisteredClient = {
  id: "app",
  name: "App",
  statedName: null,
  isMadeHere: false,
  isPublic: true,
  secretHashes: [],
  redirectUris: [REDIRECT_URI],
  postLogoutRedirectUris: [],
  backchannelLogoutUri: null,
  grantTypes: ["authorization_code", "refresh_token"],
  scopes: ["openid", "profile", "offline_access", "orders:read", "orders:write", "shared"],
  resources: ["https://orders.example", "https://plain.example"],
  isFirstParty: false,
  grantLifetime: "session",
  requiresPkce: true,
  requiresVerifiedEmail: true,
  requiresSecondFactor: false,
  managedGroups: [],
  hasIdTokenClaims: true,
  idTokenAlgorithm: "RS256",
  accessTtlSeconds: 300,
  groups: [],
  origins: [],
  clientUri: null,
  policyUri: null,
  tosUri: null,
};
const ORDERS: Resource = {
  uri: "https://orders.example",
  name: "Orders",
  scopes: new Map([["orders:read", "See orders"], ["orders:write", "Change orders"], ["shared", "Shared"]]),
  defaultScopes: ["orders:read"],
  claims: [],
  groups: [],
  isForAgents: false,
};
const STOCK: Resource = {
  ...ORDERS,
  uri: "https://stock.example",
  scopes: new Map([["stock:read", "See"], ["shared", "Shared"]]),
};
const PLAIN: Resource = { ...ORDERS, uri: "https://plain.example", scopes: new Map(), defaultScopes: [] };
const registrations: Registrations = {
  clients: new Map([
    ["app", CLIENT],
    ["no-pkce", { ...CLIENT, id: "no-pkce", requiresPkce: false }],
    ["machine", { ...CLIENT, id: "machine", grantTypes: ["client_credentials"] }],
    ["second", { ...CLIENT, id: "second", redirectUris: ["https://second.example/cb"] }],
  ]),
  resources: new Map([ORDERS, STOCK, PLAIN].map((resource) => [resource.uri, resource])),
};

const GOOD = {
  client_id: "app",
  redirect_uri: REDIRECT_URI,
  response_type: "code",
  scope: "openid",
  state: "s",
  code_challenge: CHALLENGE,
  code_challenge_method: "S256",
};

function judge(changes: Record<string, string | undefined>, more = ""): Judgment {
  const parameters = Object.entries({ ...GOOD, ...changes }).filter((entry): entry is [string, string] =>
    entry[1] !== undefined
  );
  return judgeQuery(new URLSearchParams(parameters) + more);
}

function judgeQuery(query: string): Judgment {
  const client = registrations.clients.get(senderOf(query).clientId) ?? null;
  return judgeRequest(query, { client, registrations, issuer: ISSUER });
}

function accepted(changes: Record<string, string | undefined>, more?: string): AuthorizeRequest {
  const judgment = judge(changes, more);
  if (judgment.kind === "accepted") return judgment.request;
  throw new Error(`Not accepted: ${JSON.stringify(judgment)}`);
}

Deno.test("until the client and its redirect URI are known, nothing leads to an app", () => {
  const cases: [reason: string, changes: Record<string, string | undefined>, more?: string][] = [
    ["client", { client_id: undefined }],
    ["client", { client_id: "" }],
    ["client", { client_id: "unknown" }],
    ["client", { client_id: "__proto__" }],
    ["client", { client_id: "APP" }],
    ["client", {}, "&client_id=app"],
    ["client", {}, "&client_id="],
    ["redirectUri", { redirect_uri: undefined }],
    ["redirectUri", { redirect_uri: "" }],
    ["redirectUri", { redirect_uri: "https://evil.example/cb" }],
    ["redirectUri", { client_id: "second" }],
    ["redirectUri", {}, `&redirect_uri=${encodeURIComponent(REDIRECT_URI)}`],
    ["redirectUri", { redirect_uri: "https://evil.example/cb", prompt: "none" }],
    ["redirectUri", { redirect_uri: `${REDIRECT_URI}\0` }],
    ["query", { x: "x".repeat(4096) }],
  ];
  for (const [reason, changes, more] of cases) {
    deepStrictEqual(judge(changes, more), { kind: "untrusted", reason }, JSON.stringify(changes));
  }
});

Deno.test("the longest query has 4,096 characters", () => {
  const query = new URLSearchParams(GOOD).toString();
  const longest = `${query}&x=${"x".repeat(4096 - query.length - 3)}`;
  strictEqual(judgeQuery(longest).kind, "accepted");
  const longer = judgeQuery(`${longest}x`);
  deepStrictEqual(longer, { kind: "untrusted", reason: "query" });
});

Deno.test("all other errors go to the app, with the state and the issuer", () => {
  const cases: [error: string, changes: Record<string, string | undefined>, more?: string][] = [
    ["invalid_request", {}, "&scope=openid"],
    ["invalid_request", {}, "&unknown=1&unknown=2"],
    ["invalid_request", {}, "&nonce=&nonce="],
    ["invalid_request", { response_type: undefined }],
    ["invalid_request", { response_type: "" }],
    ["unsupported_response_type", { response_type: "token" }],
    ["unsupported_response_type", { response_type: "code id_token" }],
    ["unsupported_response_type", { response_type: "CODE" }],
    ["invalid_request", { response_mode: "fragment" }],
    ["invalid_request", { response_mode: "form_post" }],
    ["request_not_supported", { request: "e30." }],
    ["request_uri_not_supported", { request_uri: "urn:example:1" }],
    ["registration_not_supported", { registration: "{}" }],
    ["unauthorized_client", { client_id: "machine" }],
    ["invalid_request", { code_challenge: undefined, code_challenge_method: undefined }],
    ["invalid_request", { code_challenge: undefined, client_id: "no-pkce" }],
    ["invalid_request", { code_challenge_method: undefined }],
    ["invalid_request", { code_challenge_method: "plain" }],
    ["invalid_request", { code_challenge: CHALLENGE.slice(1) }],
    ["invalid_request", { code_challenge: `${CHALLENGE}A` }],
    ["invalid_request", { code_challenge: CHALLENGE.replace("-", "+") }],
    ["invalid_request", { nonce: "n".repeat(513) }],
    ["invalid_request", { nonce: "a\0b" }],
    ["invalid_request", { prompt: "none login" }],
    ["invalid_request", { prompt: "nothing" }],
    ["invalid_request", { prompt: "Login" }],
    ["invalid_request", { max_age: "-1" }],
    ["invalid_request", { max_age: "1.5" }],
    ["invalid_request", { max_age: "soon" }],
    ["invalid_request", { max_age: "1e3" }],
    ["invalid_scope", { scope: "unknown" }],
    ["invalid_scope", { scope: "email" }],
    ["invalid_scope", { scope: "orders:read" }],
    ["invalid_scope", { scope: "shared" }],
    ["invalid_scope", { scope: "unknown", resource: ORDERS.uri }],
    ["invalid_target", { resource: "https://unknown.example" }],
    ["invalid_target", { resource: STOCK.uri }],
    ["invalid_target", { resource: ISSUER }],
    ["invalid_target", { resource: ORDERS.uri }, `&resource=${encodeURIComponent(PLAIN.uri)}`],
  ];
  for (const [error, changes, more] of cases) {
    const judgment = judge(changes, more);
    const name = `${JSON.stringify(changes)} ${more ?? ""}`;
    ok(judgment.kind === "refused", `${name}: ${judgment.kind}`);
    ok(
      judgment.address.startsWith(`${REDIRECT_URI}?error=${error}&error_description=`),
      `${name}: ${judgment.address}`,
    );
    ok(judgment.address.endsWith("&state=s&iss=https%3A%2F%2Fid.example"), judgment.address);
  }
});

Deno.test("a state that was repeated, or that cannot be returned unchanged, is left out of the error", () => {
  const cases: [changes: Record<string, string | undefined>, more: string][] = [
    [{}, "&state=t"],
    [{ state: undefined }, "&state=%FF"],
    [{ state: undefined, scope: "unknown" }, ""],
  ];
  for (const [changes, more] of cases) {
    const judgment = judge(changes, more);
    ok(judgment.kind === "refused");
    strictEqual(new URL(judgment.address).searchParams.has("state"), false, judgment.address);
  }
});

Deno.test("the state returns unchanged", () => {
  for (const state of ["a b+c%20", "ä€𝄞", "&iss=x", '{"a":[1]}', "a\nb", "<script>", "%zz"]) {
    const judgment = judge({ state, scope: "unknown" });
    ok(judgment.kind === "refused");
    strictEqual(new URL(judgment.address).searchParams.get("state"), state);
    strictEqual(accepted({ state }).state, state);
  }
});

Deno.test("scopes that the client or the service does not know are left out", () => {
  const cases: [scopes: string[], changes: Record<string, string | undefined>][] = [
    [["openid"], {}],
    [["openid"], { scope: undefined }],
    [["openid"], { scope: "" }],
    [["openid", "profile"], { scope: "openid  unknown email profile openid" }],
    [["openid"], { scope: "openid orders:read stock:read shared" }],
    [["openid", "orders:read", "shared"], { scope: "openid orders:read stock:read shared", resource: ORDERS.uri }],
    [["orders:read"], { scope: undefined, resource: ORDERS.uri }],
    [[], { scope: undefined, resource: PLAIN.uri }],
    [["openid"], { scope: "openid orders:read", resource: PLAIN.uri }],
  ];
  for (const [scopes, changes] of cases) deepStrictEqual(accepted(changes).scopes, scopes, JSON.stringify(changes));
});

Deno.test("the parameters of a request are read", () => {
  const cases: [field: keyof AuthorizeRequest, expected: unknown, changes: Record<string, string | undefined>][] = [
    ["state", null, { state: undefined }],
    ["codeChallenge", CHALLENGE, {}],
    ["codeChallenge", null, { client_id: "no-pkce", code_challenge: undefined, code_challenge_method: undefined }],
    ["codeChallenge", CHALLENGE, { client_id: "no-pkce" }],
    ["nonce", null, {}],
    ["nonce", "n".repeat(512), { nonce: "n".repeat(512) }],
    ["resource", null, {}],
    ["resource", ORDERS, { resource: ORDERS.uri }],
    ["prompts", [], {}],
    ["prompts", ["none"], { prompt: "none" }],
    ["prompts", ["login", "consent"], { prompt: "login consent" }],
    ["maxAgeSeconds", null, {}],
    ["maxAgeSeconds", 0, { max_age: "0" }],
    ["maxAgeSeconds", 3600, { max_age: "3600" }],
    ["maxAgeSeconds", 0, { max_age: "3600", prompt: "login" }],
    ["asksForSecondFactor", false, {}],
    ["asksForSecondFactor", true, { acr_values: "2" }],
    ["asksForSecondFactor", true, { acr_values: "urn:a 2 1" }],
    ["asksForSecondFactor", false, { acr_values: "1 2" }],
    ["loginHint", null, { login_hint: "ada" }],
    ["loginHint", "ada@example.com", { login_hint: "ada@example.com" }],
    ["idTokenHint", "a.b.c", { id_token_hint: "a.b.c" }],
    ["languages", ["de-AT", "ar"], { ui_locales: "de-AT ar" }],
    ["redirectUri", REDIRECT_URI, {}],
  ];
  for (const [field, expected, changes] of cases) {
    deepStrictEqual(accepted(changes)[field], expected, `${field} ${JSON.stringify(changes)}`);
  }
});

Deno.test("parameters that mean nothing here are ignored", () => {
  const ignored = { display: "popup", claims: "{}", claims_locales: "de", response_mode: "query", whatever: "1" };
  strictEqual(judge(ignored).kind, "accepted");
});
