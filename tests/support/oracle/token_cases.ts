import { REDIRECT_URI } from "../app/authorization.ts";
import {
  API,
  basic,
  encode,
  exchange,
  post,
  refresh,
  SECRETS,
  type Side,
  tokensIn,
  tokensOf,
  VERIFIER,
} from "./side.ts";

/** One request to both servers, and what leads to it. */
export type Case = (side: Side) => Promise<Response>;

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const UNKNOWN = "x".repeat(43);
const MINUTE = 60;

/** Exchanges a new code with changes. */
function exchanging(changes: Parameters<typeof exchange>[3], clientId = "wiki"): Case {
  return async (side) => await exchange(side, await side.code(clientId), clientId, changes);
}

/** Exchanges a new code with other headers, and perhaps other fields. */
function presenting(headers: Record<string, string>, changes: Parameters<typeof exchange>[3] = {}): Case {
  return async (side) => await exchange(side, await side.code("wiki"), "wiki", changes, headers);
}

/** Refreshes a new token with changes. */
function refreshing(changes: Parameters<typeof refresh>[3], clientId = "wiki"): Case {
  return async (side) => await refresh(side, (await tokensOf(side, clientId)).refresh_token, clientId, changes);
}

export const CODE_CASES: Record<string, Case> = {
  "a good exchange": exchanging({}),
  "a good exchange of a public client": exchanging({}, "phone"),
  "no code": exchanging({ code: undefined }),
  "an empty code": exchanging({ code: "" }),
  "an unknown code": exchanging({ code: UNKNOWN }),
  "a code of another form": exchanging({ code: "%00 ü" }),
  "two codes": async (side) => {
    const code = await side.code("wiki");
    return await exchange(side, code, "wiki", { code: [code, code] });
  },
  "no redirect URI": exchanging({ redirect_uri: undefined }),
  "another redirect URI": exchanging({ redirect_uri: "https://app.example/other" }),
  "a redirect URI with a slash": exchanging({ redirect_uri: `${REDIRECT_URI}/` }),
  "a redirect URI in capitals": exchanging({ redirect_uri: REDIRECT_URI.toUpperCase() }),
  "no verifier": exchanging({ code_verifier: undefined }),
  "another verifier": exchanging({ code_verifier: "w".repeat(43) }),
  "a short verifier": exchanging({ code_verifier: "v".repeat(42) }),
  "a long verifier": exchanging({ code_verifier: "v".repeat(129) }),
  "a verifier with a space": exchanging({ code_verifier: `${"v".repeat(42)} ` }),
  "a verifier without a challenge": async (side) =>
    await exchange(side, await side.code("wiki", { hasChallenge: false })),
  "a code again at once": async (side) => {
    const code = await side.code("wiki");
    await exchange(side, code);
    return await exchange(side, code);
  },
  "a code again after half a minute": async (side) => {
    const code = await side.code("wiki");
    await exchange(side, code);
    side.advance(30);
    return await exchange(side, code);
  },
  "a refresh after a code was used again": async (side) => {
    const code = await side.code("wiki");
    const { refresh_token } = await tokensIn(await exchange(side, code), side);
    side.advance(30);
    await exchange(side, code);
    return await refresh(side, refresh_token);
  },
  "an expired code": async (side) => {
    const code = await side.code("wiki");
    side.advance(10 * MINUTE + 1);
    return await exchange(side, code);
  },
  "a code after a wrong verifier": async (side) => {
    const code = await side.code("wiki");
    await exchange(side, code, "wiki", { code_verifier: "w".repeat(43) });
    return await exchange(side, code);
  },
  "a code of another client": async (side) => await exchange(side, await side.code("phone")),
  "a code of another public client": async (side) => await exchange(side, await side.code("phone"), "one-time"),
  "no grant type": exchanging({ grant_type: undefined }),
  "two grant types": exchanging({ grant_type: ["authorization_code", "authorization_code"] }),
  "an unknown grant type": exchanging({ grant_type: "password" }),
  "a grant type that is not the client's": exchanging({ grant_type: "client_credentials" }),
  "a grant type in capitals": exchanging({ grant_type: "AUTHORIZATION_CODE" }),
  "an unknown parameter": exchanging({ unknown: "1" }),
  "a resource that was not granted": exchanging({ resource: API }),
  "an unknown resource": exchanging({ resource: "https://other.example" }),
  "a code for a resource": async (side) =>
    await exchange(side, await side.code("phone", { scopes: ["openid", "notes:read"], resource: API }), "phone"),
};

export const CLIENT_CASES: Record<string, Case> = {
  "no client": presenting({}),
  "an unknown client": presenting({}, { client_id: "unknown" }),
  "an unknown client with a secret": presenting(basic("unknown", "secret")),
  "a wrong secret": presenting(basic("wiki", "wrong")),
  "an empty secret": presenting(basic("wiki", "")),
  "no secret of a confidential client": presenting({}, { client_id: "wiki" }),
  "a wrong secret in the form": presenting({}, { client_id: "wiki", client_secret: "wrong" }),
  "a right secret in the form of a client for Basic": presenting({}, {
    client_id: "wiki",
    client_secret: SECRETS.wiki,
  }),
  "a secret of a public client": async (side) =>
    await exchange(side, await side.code("phone"), "phone", { client_secret: "secret" }),
  "Basic of a public client": async (side) =>
    await exchange(side, await side.code("phone"), "phone", { client_id: undefined }, basic("phone", "secret")),
  "two ways at once": presenting(basic("wiki"), { client_secret: SECRETS.wiki }),
  "Basic, and the same client in the form": presenting(basic("wiki"), { client_id: "wiki" }),
  "Basic, and another client in the form": presenting(basic("wiki"), { client_id: "phone" }),
  "Basic that is not base64": presenting({ Authorization: "Basic !!!" }),
  "Basic without a colon": presenting({ Authorization: `Basic ${btoa("wiki")}` }),
  "Basic without a value": presenting({ Authorization: "Basic" }),
  "Basic in small letters": presenting({ Authorization: basic("wiki").Authorization.replace("Basic", "basic") }),
  "Bearer instead of Basic": presenting({ Authorization: "Bearer x" }),
  "two client ids": async (side) =>
    await exchange(side, await side.code("phone"), "phone", { client_id: ["phone", "phone"] }),
  "the credentials in the query": async (side) => {
    const path = `/oauth/token?${encode({ client_id: "wiki", client_secret: SECRETS.wiki })}`;
    return await post(side, path, { grant_type: "authorization_code", code: await side.code("wiki") });
  },
  "JSON": async (side) =>
    await side.client().request("/oauth/token", {
      method: "POST",
      headers: { ...basic("wiki"), "Content-Type": "application/json" },
      body: JSON.stringify({ grant_type: "authorization_code", code: await side.code("wiki") }),
    }),
  "multipart": async (side) => {
    const body = new FormData();
    body.set("grant_type", "authorization_code");
    return await side.client().request("/oauth/token", { method: "POST", headers: basic("wiki"), body });
  },
  "no body": (side) =>
    side.client().request("/oauth/token", { method: "POST", headers: { ...basic("wiki"), ...FORM } }),
  "a body that is too large": exchanging({ padding: "x".repeat(70_000) }),
  "GET": (side) => side.client().get(`/oauth/token?${encode({ grant_type: "authorization_code" })}`, basic("wiki")),
};

export const REFRESH_CASES: Record<string, Case> = {
  "a good refresh": refreshing({}),
  "a good refresh of a public client": refreshing({}, "phone"),
  "no refresh token": refreshing({ refresh_token: undefined }),
  "an unknown refresh token": refreshing({ refresh_token: UNKNOWN }),
  "two refresh tokens": async (side) => {
    const { refresh_token } = await tokensOf(side);
    return await refresh(side, "", "wiki", { refresh_token: [refresh_token, refresh_token] });
  },
  "a changed refresh token": async (side) => {
    const { refresh_token: token } = await tokensOf(side);
    return await refresh(side, token.slice(0, -2) + (token.endsWith("AA") ? "BB" : "AA"));
  },
  "a refresh token of another client": async (side) =>
    await refresh(side, (await tokensOf(side, "phone")).refresh_token, "wiki"),
  "an access token as refresh token": async (side) => await refresh(side, (await tokensOf(side)).access_token),
  "an ID token as refresh token": async (side) => await refresh(side, (await tokensOf(side)).id_token),
  "a code as refresh token": async (side) => await refresh(side, await side.code("wiki")),
  "a refresh token again at once": async (side) => {
    const { refresh_token } = await tokensOf(side);
    await refresh(side, refresh_token);
    return await refresh(side, refresh_token);
  },
  "a refresh token again after two minutes": async (side) => {
    const { refresh_token } = await tokensOf(side);
    await refresh(side, refresh_token);
    side.advance(2 * MINUTE);
    return await refresh(side, refresh_token);
  },
  "the next refresh token after an old one": async (side) => {
    const { refresh_token } = await tokensOf(side);
    const next = await tokensIn(await refresh(side, refresh_token), side);
    side.advance(2 * MINUTE);
    await refresh(side, refresh_token);
    return await refresh(side, next.refresh_token);
  },
  "a part of the scopes": async (side) =>
    await refresh(side, (await tokensOf(side, "wiki", { scopes: ["openid", "email"] })).refresh_token, "wiki", {
      scope: "openid",
    }),
  "all scopes again after a part": async (side) => {
    const { refresh_token } = await tokensOf(side, "wiki", { scopes: ["openid", "email"] });
    const next = await tokensIn(await refresh(side, refresh_token, "wiki", { scope: "openid" }), side);
    return await refresh(side, next.refresh_token, "wiki", { scope: "openid email" });
  },
  "more scopes than were granted": refreshing({ scope: "openid email" }),
  "an unknown scope": refreshing({ scope: "openid unknown" }),
  "a refresh for a resource that was not granted": refreshing({ resource: API }),
  "a refresh token after its revocation": async (side) => {
    const { refresh_token } = await tokensOf(side);
    await post(side, "/oauth/revoke", { token: refresh_token }, basic("wiki"));
    return await refresh(side, refresh_token);
  },
  "a refresh token after the revocation of its access token": async (side) => {
    const { refresh_token, access_token } = await tokensOf(side);
    await post(side, "/oauth/revoke", { token: access_token }, basic("wiki"));
    return await refresh(side, refresh_token);
  },
  "a client that may not refresh": async (side) =>
    await refresh(side, (await tokensOf(side, "phone")).refresh_token, "one-time"),
  "a verifier with a refresh": refreshing({ code_verifier: VERIFIER }),
  "a wrong secret with a refresh": async (side) =>
    await post(side, "/oauth/token", {
      grant_type: "refresh_token",
      refresh_token: (await tokensOf(side)).refresh_token,
    }, basic("wiki", "wrong")),
};
