import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { createRemoteJWKSet, customFetch, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import * as openid from "openid-client";
import { getSigningKey } from "../../lib/access/signing_keys.ts";
import type { RegisteredClient } from "../../lib/config/registered_client.ts";
import { signJwt } from "../../lib/crypto/jwt.ts";
import { unixSeconds } from "../../lib/duration.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import {
  client,
  connect,
  errorOf,
  NOTES,
  openAuthorizationApp,
  postForm,
  SECRETS,
  tokensIn,
} from "../support/app/authorization.ts";
import { askAsService, postAsService, SERVICE_SECRET, serviceApp, serviceToken } from "../support/app/service_apps.ts";
import { BASE_URL, openTestApp } from "../support/app/test_app.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";

/** Programs that act as themselves, by the grant type client_credentials: their tokens, wherever they are presented. */

const PLAIN = "https://plain.example";
const BOTH = ["authorization_code", "refresh_token", "client_credentials"];
const app = await openAuthorizationApp({}, [
  serviceApp("robot", { scope: "users:read users:invite" }),
  serviceApp("clerk", { scope: "openid profile users:read notes:read notes:write", resources: [NOTES, PLAIN] }),
  serviceApp("portal-and-robot", { scope: "openid email users:read", grant_types: BOTH, redirect_uris: [] }),
  client("public-app", { scope: "openid users:read" }),
], [{ resource: PLAIN, name: "Plain" }, {
  resource: "https://others.example",
  name: "Others",
  scopes: { "others:read": "See others" },
}]);
const { services } = app;
const clients = services.config.registrations!.clients as Map<string, RegisteredClient>;

function introspect(token: string, id: string): Promise<Record<string, unknown>> {
  return postAsService(app, "/oauth/introspect", id, { token }).then((response) => response.json());
}

Deno.test("a program gets an access token that names the program, and nothing else", async () => {
  const response = await askAsService(app, "robot");
  deepStrictEqual([response.status, response.headers.get("Cache-Control")], [200, "no-store"]);
  const { access_token, ...others } = await response.json();
  deepStrictEqual(others, { token_type: "Bearer", expires_in: 300, scope: "users:read users:invite" });
  const now = unixSeconds(services.now());
  const { jti, ...claims } = decodeJwt(access_token);
  match(String(jti), /^[\da-f-]{36}$/);
  deepStrictEqual(claims, {
    iss: BASE_URL,
    sub: "client:robot",
    aud: BASE_URL,
    client_id: "robot",
    iat: now,
    exp: now + 300,
    scope: "users:read users:invite",
  });
  strictEqual(decodeProtectedHeader(access_token).typ, "at+jwt");
  const keys = createRemoteJWKSet(new URL(`${BASE_URL}/.well-known/jwks.json`), {
    [customFetch]: (url) => app.client().get(new URL(url).pathname),
  });
  await jwtVerify(access_token, keys, { issuer: BASE_URL, audience: BASE_URL, currentDate: services.now() });
});

Deno.test("a program gets the scopes and the resource that it asks for, within its own", async () => {
  const given = async (id: string, fields: Record<string, string> = {}) => {
    const { access_token, scope } = await tokensIn(askAsService(app, id, fields));
    const claims = decodeJwt(access_token);
    strictEqual(claims.scope, scope);
    return [claims.aud, scope];
  };
  deepStrictEqual(await given("robot", { scope: "users:invite users:invite" }), [BASE_URL, "users:invite"]);
  for (const resource of [BASE_URL, `${BASE_URL}/`]) {
    deepStrictEqual(await given("robot", { resource }), [BASE_URL, "users:read users:invite"]);
  }
  deepStrictEqual(await given("clerk"), [BASE_URL, "users:read"], "what people allow is left out");
  deepStrictEqual(await given("clerk", { resource: NOTES, scope: "notes:write" }), [NOTES, "notes:write"]);
  deepStrictEqual(await given("clerk", { resource: NOTES }), [NOTES, ""], "no scope is the default");
  deepStrictEqual(await given("clerk", { resource: PLAIN }), [PLAIN, ""]);
  const refused: [id: string, fields: Record<string, string>, error: string][] = [
    ["robot", { scope: "account:read" }, "invalid_scope"],
    ["robot", { scope: "users:read admin" }, "invalid_scope"],
    ["robot", { scope: "notes:read" }, "invalid_scope"],
    ["clerk", { scope: "openid" }, "invalid_scope"],
    ["clerk", { scope: "notes:read" }, "invalid_scope"],
    ["clerk", { scope: "users:invite" }, "invalid_scope"],
    ["clerk", { resource: NOTES, scope: "users:read" }, "invalid_scope"],
    ["clerk", { resource: PLAIN, scope: "notes:read" }, "invalid_scope"],
    ["clerk", { scope: 'users:read "' }, "invalid_request"],
    ["robot", { resource: NOTES }, "invalid_target"],
    ["robot", { resource: `${BASE_URL}/api` }, "invalid_target"],
    ["clerk", { resource: "https://others.example" }, "invalid_target"],
    ["clerk", { resource: "https://unknown.example" }, "invalid_target"],
  ];
  for (const [id, fields, error] of refused) {
    deepStrictEqual(await errorOf(askAsService(app, id, fields)), [400, error], `${id} ${JSON.stringify(fields)}`);
  }
  const two = new URLSearchParams([
    ...Object.entries({ client_id: "clerk", client_secret: SERVICE_SECRET }),
    ["grant_type", "client_credentials"],
    ["resource", NOTES],
    ["resource", PLAIN],
  ]);
  const response = app.client().request("/oauth/token", { method: "POST", body: two });
  deepStrictEqual(await errorOf(response), [400, "invalid_target"]);
});

Deno.test("only a client with a secret and with this grant type gets such a token", async () => {
  const ask = (fields: Record<string, string>) =>
    postForm(app, "/oauth/token", { grant_type: "client_credentials", ...fields });
  deepStrictEqual(await errorOf(ask({ client_id: "wiki", client_secret: SECRETS[0] })), [400, "unauthorized_client"]);
  deepStrictEqual(await errorOf(ask({ client_id: "public-app" })), [400, "unauthorized_client"]);
  deepStrictEqual(await errorOf(ask({ client_id: "robot", client_secret: "wrong" })), [401, "invalid_client"]);
  deepStrictEqual(await errorOf(ask({ client_id: "robot" })), [401, "invalid_client"]);
  const robot = clients.get("robot")!;
  try {
    // As an app that was made in the browser, before its first secret.
    clients.set("robot", { ...robot, isPublic: true, secretHashes: [] });
    deepStrictEqual(await errorOf(ask({ client_id: "robot" })), [400, "unauthorized_client"]);
  } finally {
    clients.set("robot", robot);
  }
  const authorize = new URLSearchParams({
    response_type: "code",
    client_id: "robot",
    redirect_uri: "https://a.example",
  });
  strictEqual((await app.client().get(`/oauth/authorize?${authorize}`)).status, 400);
});

Deno.test("introspection tells the program and its resource that the token is alive, and no one else", async () => {
  const token = await serviceToken(app, "robot", { scope: "users:read" });
  const { jti, iat, exp, ...others } = await introspect(token, "robot");
  deepStrictEqual(others, {
    active: true,
    iss: BASE_URL,
    sub: "client:robot",
    aud: BASE_URL,
    client_id: "robot",
    scope: "users:read",
    token_type: "Bearer",
  });
  deepStrictEqual({ jti, iat, exp }, (({ jti, iat, exp }) => ({ jti, iat, exp }))(decodeJwt(token)));
  deepStrictEqual(await introspect(token, "clerk"), { active: false });
  const forNotes = await serviceToken(app, "clerk", { resource: NOTES, scope: "notes:read" });
  const asNotes = await postForm(app, "/oauth/introspect", {
    client_id: "notes-api",
    client_secret: SECRETS[0],
    token: forNotes,
  });
  const { active, sub, username, scope } = await asNotes.json();
  deepStrictEqual([active, sub, username, scope], [true, "client:clerk", undefined, "notes:read"]);
});

Deno.test("a program that left the file, lost its secrets or the grant type has a dead token", async () => {
  const token = await serviceToken(app, "robot");
  const robot = clients.get("robot")!;
  const isAlive = async () => (await introspect(token, "clerk-of-robot")).active;
  clients.set("clerk-of-robot", { ...clients.get("clerk")!, id: "clerk-of-robot", resources: [BASE_URL] });
  try {
    strictEqual(await isAlive(), true);
    for (const change of [{ secretHashes: [] }, { isPublic: true }, { grantTypes: robot.grantTypes.slice(1) }]) {
      clients.set("robot", { ...robot, ...change });
      strictEqual(await isAlive(), false, JSON.stringify(change));
    }
    clients.delete("robot");
    strictEqual(await isAlive(), false);
    clients.set("robot", robot);
    strictEqual(await isAlive(), true);
    app.advance(300);
    strictEqual(await isAlive(), false, "it expires");
  } finally {
    clients.set("robot", robot);
    clients.delete("clerk-of-robot");
  }
});

Deno.test("nothing that is about a person accepts such a token", async () => {
  const token = await serviceToken(app, "portal-and-robot", { scope: "users:read" });
  const headers = { Authorization: `Bearer ${token}` };
  const userinfo = await app.client().get("/oauth/userinfo", headers);
  deepStrictEqual(await errorOf(userinfo), [401, "invalid_token"]);
  for (const grant_type of ["refresh_token", "authorization_code", "urn:ietf:params:oauth:grant-type:device_code"]) {
    const fields = {
      grant_type,
      refresh_token: token,
      code: token,
      device_code: token,
      redirect_uri: "https://a.example",
    };
    const [status] = await errorOf(postAsService(app, "/oauth/token", "portal-and-robot", fields));
    strictEqual(status, 400, grant_type);
  }
  const exchange = { grant_type: "urn:ietf:params:oauth:grant-type:token-exchange", subject_token: token };
  deepStrictEqual(
    await errorOf(postAsService(app, "/oauth/token", "portal-and-robot", exchange)),
    [400, "unsupported_grant_type"],
  );
});

Deno.test("such a token cannot be revoked, which only its own program learns", async () => {
  const token = await serviceToken(app, "robot");
  const revoke = (id: string, text: string) => postAsService(app, "/oauth/revoke", id, { token: text });
  deepStrictEqual(await errorOf(revoke("robot", token)), [400, "unsupported_token_type"]);
  strictEqual((await revoke("clerk", token)).status, 200);
  strictEqual((await introspect(token, "robot")).active, true);
  app.advance(300);
  strictEqual((await revoke("robot", token)).status, 200, "an expired one is no token");
});

Deno.test("what a person allowed an app stays that person's, also once the app acts as itself too", async () => {
  const { client: person, id } = await registerVerifiedUser(app, "of-both@example.com");
  const wiki = clients.get("wiki")!;
  const { access_token } = await connect(app, person, "wiki", { scopes: ["openid", "email"] });
  try {
    clients.set("wiki", { ...wiki, grantTypes: [...wiki.grantTypes, "client_credentials"] });
    const userinfo = await app.client().get("/oauth/userinfo", { Authorization: `Bearer ${access_token}` });
    strictEqual((await userinfo.json()).sub, id);
    const forge = async (claims: Record<string, unknown>) => {
      const key = await getSigningKey(services, "ES256");
      const token = await signJwt({ ...decodeJwt(access_token), ...claims }, key, "at+jwt");
      const answer = await postForm(app, "/oauth/introspect", {
        client_id: "wiki",
        client_secret: SECRETS[0],
        token,
      });
      return (await answer.json()).active;
    };
    strictEqual(await forge({}), true);
    strictEqual(await forge({ gid: undefined }), false, "a person without a grant");
    strictEqual(await forge({ gid: undefined, sub: "client:robot" }), false, "the name of another program");
    strictEqual(await forge({ gid: "client:wiki", sub: "client:wiki" }), false);
    strictEqual(await forge({ gid: undefined, sub: "client:wiki" }), true, "a program's own");
  } finally {
    clients.set("wiki", wiki);
  }
});

Deno.test("openid-client gets a token by the client credentials grant", async () => {
  const config = await openid.discovery(new URL(BASE_URL), "robot", SERVICE_SECRET, undefined, {
    execute: [openid.allowInsecureRequests],
    [openid.customFetch]: (url, init) => app.client().request(new URL(url).pathname, init as RequestInit),
  });
  const tokens = await openid.clientCredentialsGrant(config, { scope: "users:read" });
  deepStrictEqual([tokens.token_type, tokens.scope, tokens.claims()], ["bearer", "users:read", undefined]);
  strictEqual((await openid.tokenIntrospection(config, tokens.access_token)).sub, "client:robot");
});

Deno.test("requests for tokens count under the policy token, together for one program", async () => {
  const file = await writeClientsFile([
    serviceApp("robot", { scope: "users:read" }),
    serviceApp("other", {
      scope: "users:read",
    }),
  ]);
  await using limited = await openTestApp({ CLIENTS_FILE: file, LIMIT_TOKEN: "2/60" });
  for (const status of [200, 200, 429]) strictEqual((await askAsService(limited, "robot")).status, status);
  strictEqual((await askAsService(limited, "other")).status, 200);
  limited.advance(60);
  strictEqual((await askAsService(limited, "robot")).status, 200);
});
