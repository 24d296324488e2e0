import { REDIRECT_URI } from "../app/authorization.ts";
import { API, basic, encode, type Fields, GOOD_REQUEST, post, refresh, type Side, tokensIn, tokensOf } from "./side.ts";
import type { Case } from "./token_cases.ts";

/** One tolerates clocks that differ. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const UNKNOWN = "x".repeat(43);

type Name = "access_token" | "refresh_token" | "id_token";

/** Sends a new token, or another text, to an endpoint. */
function sending(path: string, which: Name | { text: string }, changes: Fields = {}, headers = basic("wiki")): Case {
  return async (side) => {
    const token = typeof which === "string" ? (await tokensOf(side))[which] : which.text;
    return await post(side, path, { token, ...changes }, headers);
  };
}

const REVOKE = "/oauth/revoke";
const INTROSPECT = "/oauth/introspect";

export const REVOKE_CASES: Record<string, Case> = {
  "revoke a refresh token": sending(REVOKE, "refresh_token"),
  "revoke an access token": sending(REVOKE, "access_token"),
  "revoke an ID token": sending(REVOKE, "id_token"),
  "revoke an unknown token": sending(REVOKE, { text: UNKNOWN }),
  "revoke no token": sending(REVOKE, "refresh_token", { token: undefined }),
  "revoke with a wrong hint": sending(REVOKE, "refresh_token", { token_type_hint: "access_token" }),
  "revoke with an unknown hint": sending(REVOKE, "refresh_token", { token_type_hint: "unknown" }),
  "revoke with a wrong secret": sending(REVOKE, "refresh_token", {}, basic("wiki", "wrong")),
  "revoke without a client": sending(REVOKE, "refresh_token", {}, { Authorization: "" }),
  "revoke two tokens": sending(REVOKE, { text: "" }, { token: [UNKNOWN, UNKNOWN] }),
  "revoke as a public client": async (side) =>
    await post(side, REVOKE, { client_id: "phone", token: (await tokensOf(side, "phone")).refresh_token }),
  "revoke twice": async (side) => {
    const { refresh_token: token } = await tokensOf(side);
    await post(side, REVOKE, { token }, basic("wiki"));
    return await post(side, REVOKE, { token }, basic("wiki"));
  },
  "revoke a token of another client": async (side) =>
    await post(side, REVOKE, { token: (await tokensOf(side, "phone")).refresh_token }, basic("wiki")),
  "refresh after another client revoked": async (side) => {
    const { refresh_token: token } = await tokensOf(side, "phone");
    await post(side, REVOKE, { token }, basic("wiki"));
    return await refresh(side, token, "phone");
  },
  "revoke with GET": (side) => side.client().get(`${REVOKE}?${encode({ token: UNKNOWN })}`, basic("wiki")),
};

export const INTROSPECT_CASES: Record<string, Case> = {
  "introspect an access token": sending(INTROSPECT, "access_token"),
  "introspect a refresh token": sending(INTROSPECT, "refresh_token"),
  "introspect an ID token": sending(INTROSPECT, "id_token"),
  "introspect an unknown token": sending(INTROSPECT, { text: UNKNOWN }),
  "introspect no token": sending(INTROSPECT, "access_token", { token: undefined }),
  "introspect with a wrong hint": sending(INTROSPECT, "access_token", { token_type_hint: "refresh_token" }),
  "introspect with a wrong secret": sending(INTROSPECT, "access_token", {}, basic("wiki", "wrong")),
  "introspect a token of another client": sending(INTROSPECT, "access_token", {}, basic("notes-api")),
  "introspect as a public client": async (side) =>
    await post(side, INTROSPECT, { client_id: "phone", token: (await tokensOf(side, "phone")).access_token }),
  "introspect a token for one's own API": async (side) => {
    const { access_token: token } = await tokensOf(side, "phone", { scopes: ["openid", "notes:read"], resource: API });
    return await post(side, INTROSPECT, { token }, basic("notes-api"));
  },
  "introspect an expired access token": async (side) => {
    const { access_token: token } = await tokensOf(side);
    side.advance(HOUR + MINUTE);
    return await post(side, INTROSPECT, { token }, basic("wiki"));
  },
  "introspect after the revocation": async (side) => {
    const { access_token: token, refresh_token } = await tokensOf(side);
    await post(side, REVOKE, { token: refresh_token }, basic("wiki"));
    return await post(side, INTROSPECT, { token }, basic("wiki"));
  },
  "introspect a spent refresh token": async (side) => {
    const { refresh_token: token } = await tokensOf(side);
    await refresh(side, token);
    return await post(side, INTROSPECT, { token }, basic("wiki"));
  },
};

/** Reads who the person is, with a token in the header. */
function reading(which: Name | { text: string }, method = "GET", scheme = "Bearer", scopes = ["openid"]): Case {
  return async (side) => {
    const token = typeof which === "string" ? (await tokensOf(side, "wiki", { scopes }))[which] : which.text;
    return await side.client().request("/oauth/userinfo", { method, headers: { Authorization: `${scheme} ${token}` } });
  };
}

export const USERINFO_CASES: Record<string, Case> = {
  "userinfo": reading("access_token"),
  "userinfo with POST": reading("access_token", "POST"),
  "userinfo with more scopes": reading("access_token", "GET", "Bearer", ["openid", "profile", "email"]),
  "userinfo without openid": reading("access_token", "GET", "Bearer", ["email"]),
  "userinfo with an unknown token": reading({ text: UNKNOWN }),
  "userinfo with a refresh token": reading("refresh_token"),
  "userinfo with an ID token": reading("id_token"),
  "userinfo with another scheme": reading("access_token", "GET", "Basic"),
  "userinfo without a token": (side) => side.client().get("/oauth/userinfo"),
  "userinfo with a token in the form": async (side) =>
    await post(side, "/oauth/userinfo", { access_token: (await tokensOf(side)).access_token }),
  "userinfo with a token in the query": async (side) =>
    await side.client().get(`/oauth/userinfo?${encode({ access_token: (await tokensOf(side)).access_token })}`),
  "userinfo with an expired token": async (side) => {
    const { access_token } = await tokensOf(side);
    side.advance(HOUR + MINUTE);
    return await side.client().get("/oauth/userinfo", { Authorization: `Bearer ${access_token}` });
  },
  "userinfo after the revocation": async (side) => {
    const { access_token, refresh_token: token } = await tokensOf(side);
    await post(side, REVOKE, { token }, basic("wiki"));
    return await side.client().get("/oauth/userinfo", { Authorization: `Bearer ${access_token}` });
  },
  "userinfo with a token for an API": async (side) => {
    const { access_token } = await tokensOf(side, "phone", { scopes: ["openid", "notes:read"], resource: API });
    return await side.client().get("/oauth/userinfo", { Authorization: `Bearer ${access_token}` });
  },
  "userinfo after a refresh": async (side) => {
    const { refresh_token } = await tokensOf(side);
    const { access_token } = await tokensIn(await refresh(side, refresh_token), side);
    return await side.client().get("/oauth/userinfo", { Authorization: `Bearer ${access_token}` });
  },
};

/** Asks for a code: as a guest, or as a member. */
function asking(changes: Fields, who: "guest" | "member" = "guest"): Case {
  return async (side) => {
    const browser = who === "guest" ? side.client() : await side.member();
    return await browser.get(`/oauth/authorize?${encode({ ...GOOD_REQUEST, ...changes })}`);
  };
}

function asMember(changes: Fields): Case {
  return asking(changes, "member");
}

export const AUTHORIZE_CASES: Record<string, Case> = {
  "a guest": asking({}),
  "a guest, prompt=none": asking({ prompt: "none" }),
  "a guest, prompt=login": asking({ prompt: "login" }),
  "a guest, a login hint": asking({ login_hint: "ada@example.com" }),
  "an unknown client id": asking({ client_id: "unknown" }),
  "no client id": asking({ client_id: undefined }),
  "two client ids in the query": asking({ client_id: ["wiki", "wiki"] }),
  "an unregistered redirect URI": asking({ redirect_uri: "https://evil.example/callback" }),
  "a redirect URI with a slash more": asking({ redirect_uri: `${REDIRECT_URI}/` }),
  "a redirect URI with a query": asking({ redirect_uri: `${REDIRECT_URI}?a=1` }),
  "no redirect URI in the query": asking({ redirect_uri: undefined }),
  "two redirect URIs": asking({ redirect_uri: [REDIRECT_URI, REDIRECT_URI] }),
  "an unknown client id, prompt=none": asking({ client_id: "unknown", prompt: "none" }),
  "an unregistered redirect URI, prompt=none": asking({ redirect_uri: "https://evil.example/", prompt: "none" }),
  "no response type": asking({ response_type: undefined }),
  "the response type token": asking({ response_type: "token" }),
  "the response type code id_token": asking({ response_type: "code id_token" }),
  "an unknown response type": asking({ response_type: "unknown" }),
  "the response mode query": asking({ response_mode: "query" }),
  "the response mode fragment": asking({ response_mode: "fragment" }),
  "an unknown response mode": asking({ response_mode: "unknown" }),
  "no challenge": asking({ code_challenge: undefined, code_challenge_method: undefined }),
  "no challenge method": asking({ code_challenge_method: undefined }),
  "the challenge method plain": asking({ code_challenge_method: "plain" }),
  "a short challenge": asking({ code_challenge: "x".repeat(42) }),
  "a challenge with a space": asking({ code_challenge: `${"x".repeat(42)} ` }),
  "two states": asking({ state: ["s1", "s2"] }),
  "two scopes": asking({ scope: ["openid", "email"] }),
  "an unknown scope besides openid": asking({ scope: "openid unknown" }),
  "only an unknown scope": asking({ scope: "unknown" }),
  "prompt none and login": asking({ prompt: "none login" }),
  "an unknown prompt": asking({ prompt: "unknown" }),
  "a negative max_age": asking({ max_age: "-1" }),
  "a max_age that is no number": asking({ max_age: "soon" }),
  "a request object": asking({ request: "eyJ.eyJ.x" }),
  "a request URI": asking({ request_uri: "https://app.example/request" }),
  "a registration": asking({ registration: "{}" }),
  "an unknown parameter of a guest": asking({ unknown: "1" }),
  "an unknown resource in the query": asking({ resource: "https://other.example", scope: "openid" }),
  "an ID token hint that is none": asking({ id_token_hint: "x", prompt: "none" }),
  "a member": asMember({}),
  "a member, prompt=none": asMember({ prompt: "none" }),
  "a member without state": asMember({ state: undefined }),
  "a member, nonce": asMember({ nonce: "n-1", prompt: "none" }),
  "a member, max_age": asMember({ max_age: "10000", prompt: "none" }),
  "a member, max_age=0, prompt=none": asMember({ max_age: "0", prompt: "none" }),
  "a member, prompt=login": asMember({ prompt: "login" }),
  "a member, a login hint": asMember({ login_hint: "grace@example.com" }),
  "a member, locales": asMember({ ui_locales: "de en", claims_locales: "de" }),
  "a member, display": asMember({ display: "popup", prompt: "none" }),
  "a member, an unknown parameter": asMember({ unknown: "1", prompt: "none" }),
  "a member, POST": async (side) => await postAuthorize(await side.member(), {}),
  "a guest, POST": async (side) => await postAuthorize(side.client(), {}),
  "an unknown client id, POST": async (side) => await postAuthorize(side.client(), { client_id: "unknown" }),
  "HEAD": async (side) =>
    await (await side.member()).request(`/oauth/authorize?${encode({ ...GOOD_REQUEST, prompt: "none" })}`, {
      method: "HEAD",
    }),
};

/** Sends the request as a form. Foyer turns it into the same request with GET, as a browser then sends it. */
async function postAuthorize(browser: Awaited<ReturnType<Side["member"]>>, changes: Fields): Promise<Response> {
  const response = await browser.request("/oauth/authorize", {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: "https://app.example" },
    body: encode({ ...GOOD_REQUEST, prompt: "none", ...changes }),
  });
  const target = response.headers.get("Location");
  return target?.startsWith("/oauth/authorize?") ? await browser.get(target) : response;
}

const OUT = "https://app.example/out";

/** Sends a person to the page that logs out. */
function leaving(fields: Fields, hasHint = false): Case {
  return async (side) => {
    const hint = hasHint ? (await tokensOf(side)).id_token : undefined;
    return await side.client().get(`/oauth/logout?${encode({ id_token_hint: hint, ...fields })}`);
  };
}

export const LOGOUT_CASES: Record<string, Case> = {
  "log out, no parameters": leaving({}),
  "log out, only a state": leaving({ state: "s1" }),
  "log out, an ID token": leaving({}, true),
  "log out, an ID token of another form": leaving({ id_token_hint: "x" }),
  "log out, an address without a client": leaving({ post_logout_redirect_uri: OUT }),
  "log out, an address that is not registered": leaving({
    post_logout_redirect_uri: "https://evil.example/",
    client_id: "wiki",
  }),
  "log out, an address with a query": leaving({ post_logout_redirect_uri: `${OUT}?a=1`, client_id: "wiki" }),
  "log out, an unknown client": leaving({ post_logout_redirect_uri: OUT, client_id: "unknown" }),
  "log out, another client than that of the ID token": leaving({ client_id: "phone" }, true),
};
