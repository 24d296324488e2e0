import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { decodeJwt } from "jose";
import type { ActiveToken } from "../../lib/access/api_token.ts";
import { getSigningKey, prepareSigningKeys } from "../../lib/access/signing_keys.ts";
import { ENTRIES } from "../support/api/entries.ts";
import { type Entry, tokenAccessOf } from "../../lib/api/entry.ts";
import { findApiAccess } from "../../lib/authorization_server/tokens/api_access.ts";
import type { RegisteredClient } from "../../lib/config/registered_client.ts";
import { createJwtKeys, type JwtKey, signJwt } from "../../lib/crypto/jwt.ts";
import { MINUTE_SECONDS } from "../../lib/duration.ts";
import { ADMIN_SCOPE, type Scope, type TokenAccess } from "../../lib/schemas/scopes.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { USER_SCOPES } from "../support/app/api_tokens.ts";
import { connect, NOTES, REDIRECT_URI, refresh, RESOURCES, tokensIn } from "../support/app/authorization.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { BASE_URL, openSharedTestApp, openTestApp, openTestInstanceWith } from "../support/app/test_app.ts";
import { waitFor } from "../support/wait_for.ts";
import type { TestClient } from "../support/app/test_client.ts";

const FRONT_END = "https://front.example";
const APP = "assistant";
const CLIENTS_FILE = await writeClientsFile([{
  client_id: APP,
  client_name: "Assistant",
  redirect_uris: [REDIRECT_URI],
  scope: ["openid", ...USER_SCOPES, "notes:read"].join(" "),
  resources: [NOTES],
  access_ttl: 60,
}, {
  client_id: "own",
  client_name: "One of ours",
  redirect_uris: [REDIRECT_URI],
  first_party: true,
  scope: "openid profile:read",
}], RESOURCES);
const ENV = {
  CLIENTS_FILE,
  CORS_ORIGINS: FRONT_END,
  TOKEN_AUDIENCES: "https://wiki.example.com",
  SIGN_IN_CODES: "true",
};
const app = await openSharedTestApp(ENV);
await prepareSigningKeys(app.services);
const { db } = app.services;
let people = 0;

interface Connected {
  person: TestClient;
  userId: string;
  headers: { Authorization: string };
  token: string;
  refreshToken: string;
}

/** An app of someone new. */
async function connected(scopes: string[] = ["openid", "profile:read"]): Promise<Connected> {
  const { client: person, id: userId } = await registerVerifiedUser(app, `person-${++people}@example.com`);
  const { access_token: token, refresh_token: refreshToken } = await connect(app, person, APP, { scopes });
  return { person, userId, token, refreshToken, headers: bearer(token) };
}

function bearer(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}

async function read(token: string): Promise<[status: number, code?: string]> {
  const response = await app.client().get("/api/profile", bearer(token));
  if (response.status === 401) match(response.headers.get("WWW-Authenticate")!, /^Bearer error="invalid_token"/);
  return [response.status, (await response.json()).code];
}

/** The refusal of an app with this scope where it gives no access. */
function refusalOf(scope: Scope, access: TokenAccess, { ownAppsOnly }: Entry): unknown[] {
  if (ownAppsOnly) return [403, "SCOPE_MISSING", { scopes: [] }];
  const needed = access === "adminSession" ? ADMIN_SCOPE : access;
  if (needed === "session" || needed === scope) return [403, "SESSION_REQUIRED", {}];
  return [403, "SCOPE_MISSING", { scopes: needed === null ? [] : [needed] }];
}

Deno.test("each scope of an access token opens exactly the endpoints that it opens for API tokens, except one", async () => {
  for (const scope of USER_SCOPES) {
    const { headers, userId } = await connected(["openid", scope]);
    // For everyone else, the endpoints of admins do not exist.
    await db.updateTable("users").set({ role: "admin" }).where("id", "=", userId).execute();
    for (const [route, entry] of Object.entries(ENTRIES)) {
      if (entry.forApps !== undefined) continue;
      const access = tokenAccessOf(entry);
      const [method, pattern] = route.split(" ");
      const response = await app.client().request(pattern.replace(/\{\w+\*?\}/, "nothing"), { method, headers });
      const { code, details } = await response.json().catch(() => ({}));
      const isOpen = access === scope && !entry.ownAppsOnly;
      const cell = `${scope}: ${route}`;
      if (isOpen) ok(!["SCOPE_MISSING", "SESSION_REQUIRED", "UNAUTHENTICATED"].includes(code), cell);
      else deepStrictEqual([response.status, code, details], refusalOf(scope, access, entry), cell);
    }
  }
  deepStrictEqual(
    Object.entries(ENTRIES).filter(([, { ownAppsOnly }]) => ownAppsOnly).map(([key]) => key),
    ["GET /auth/check"],
  );
});

Deno.test("an access token without a scope of the API opens nothing, not even what anyone may read", async () => {
  const { headers, token } = await connected(["openid"]);
  strictEqual((await app.client().get("/oauth/userinfo", headers)).status, 200);
  for (const path of ["/api/profile", "/api/users", "/api/health", "/auth/check", "/", "/dashboard"]) {
    const response = await app.client().get(path, headers);
    deepStrictEqual([response.status, (await response.json()).code], [403, "SCOPE_MISSING"], path);
  }
  strictEqual((await app.client().get("/nothing", headers)).status, 404);
  deepStrictEqual(await read(token), [403, "SCOPE_MISSING"]);
});

Deno.test("products accept the access tokens of the operator's own apps, without the role of admins", async () => {
  const { client: person, id } = await registerVerifiedUser(app, "own-app@example.com");
  await db.updateTable("users").set({ role: "admin" }).where("id", "=", id).execute();
  const { access_token } = await connect(app, person, "own", { scopes: ["openid", "profile:read"] });
  const response = await app.client().get("/auth/check", bearer(access_token));
  strictEqual(response.status, 204);
  const told = ["Id", "Role", "Session"].map((name) => response.headers.get(`X-Foyer-User-${name}`));
  deepStrictEqual(told, [id, "user", ""]);
});

Deno.test("a refusal for want of a token or of a scope says where apps get one", async () => {
  const { headers } = await connected(["openid", "profile:read"]);
  const metadata = `resource_metadata="${BASE_URL}/.well-known/oauth-protected-resource"`;
  const challenge = async (path: string, sent: HeadersInit = {}) =>
    (await app.client().get(path, sent)).headers.get("WWW-Authenticate");
  strictEqual(await challenge("/api/profile"), `Bearer ${metadata}`);
  strictEqual(await challenge("/api/profile", bearer("x.y.z")), `Bearer error="invalid_token", ${metadata}`);
  strictEqual(
    await challenge("/api/account", headers),
    `Bearer error="insufficient_scope", scope="account:read", ${metadata}`,
  );
  strictEqual(await challenge("/auth/check"), null);
});

Deno.test("an app of an admin acts as a user, and those of others find no administration", async () => {
  const { headers, userId, token } = await connected();
  strictEqual((await app.client().get("/api/admin/users", headers)).status, 404);
  await db.updateTable("users").set({ role: "admin" }).where("id", "=", userId).execute();
  strictEqual((await app.client().get("/api/admin/users", headers)).status, 403);
  const { user, isOfAdmin } = (await findApiAccess(app.services, token))!.token as ActiveToken;
  deepStrictEqual([user.id, user.role, isOfAdmin], [userId, "user", true]);
});

Deno.test("an access token alone decides for whom it acts, whatever cookies or origin come with it", async () => {
  const { headers, userId, token } = await connected(["openid", "profile:read", "profile:write"]);
  const { person: other } = await connected();
  const response = await other.send("PUT", "/api/profile", { bio: "By an app" }, {
    ...headers,
    Origin: "https://evil.example",
  });
  strictEqual(response.status, 200);
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  strictEqual((await response.json()).user.id, userId);
  const event = await db.selectFrom("events").selectAll().where("user_id", "=", userId)
    .where("kind", "=", "user.updated").executeTakeFirstOrThrow();
  strictEqual((event.details as { token?: string }).token, decodeJwt(token).gid);
  strictEqual(event.session_public_id, null);
});

/** Changes what a token of ours says, and signs it with a key of ours. */
async function forged(
  token: string,
  { claims = {}, type = "at+jwt", key }: { claims?: Record<string, unknown>; type?: string; key?: JwtKey },
): Promise<string> {
  return await signJwt({ ...decodeJwt(token), ...claims }, key ?? await getSigningKey(app.services, "ES256"), type);
}

Deno.test("a token with another type, key, issuer, audience, person or app opens nothing", async () => {
  const { token } = await connected();
  const { client: stranger } = await registerVerifiedUser(app, "stranger@example.com");
  const ours = await getSigningKey(app.services, "ES256");
  const { privateKey } = await createJwtKeys("ES256");
  deepStrictEqual(await read(await forged(token, {})), [200, undefined], "unchanged");
  const idToken = (await connect(app, stranger, APP, { scopes: ["openid", "profile:read"] })).id_token;
  const { accessToken } = await (await stranger.send("POST", "/auth/token", { audience: "https://wiki.example.com" }))
    .json();
  const cases: Record<string, string> = {
    "an ID token": idToken,
    "an access token of POST /auth/token": accessToken,
    "a token of that kind for this service": await forged(accessToken, { claims: { aud: BASE_URL }, type: "JWT" }),
    "the type JWT": await forged(token, { type: "JWT" }),
    "the type of logout tokens": await forged(token, { type: "logout+jwt" }),
    "another key": await forged(token, { key: { ...ours, privateKey } }),
    "a key that we do not have": await forged(token, { key: { ...ours, id: crypto.randomUUID(), privateKey } }),
    "a key for ID tokens": await forged(token, { key: await getSigningKey(app.services, "RS256") }),
    "another issuer": await forged(token, { claims: { iss: "https://evil.example" } }),
    "the audience of a resource": await forged(token, { claims: { aud: NOTES } }),
    "an audience with a slash": await forged(token, { claims: { aud: `${BASE_URL}/` } }),
    "several audiences": await forged(token, { claims: { aud: [BASE_URL, NOTES] } }),
    "another app": await forged(token, { claims: { client_id: "other" } }),
    "another grant": await forged(token, { claims: { gid: crypto.randomUUID() } }),
    "no grant": await forged(token, { claims: { gid: undefined } }),
    "no expiry": await forged(token, { claims: { exp: undefined } }),
    "no signature": `${btoa('{"alg":"none","typ":"at+jwt"}').replaceAll("=", "")}.${token.split(".")[1]}.`,
    "a changed claim": token.replace(/\.[^.]+\./, `.${token.split(".")[1].slice(0, -4)}AAAA.`),
  };
  for (const [name, text] of Object.entries(cases)) deepStrictEqual(await read(text), [401, "UNAUTHENTICATED"], name);
});

Deno.test("a token for a resource opens nothing here, and one for this service from the same grant does", async () => {
  const { client: person } = await registerVerifiedUser(app, "two-audiences@example.com");
  const scopes = ["openid", "profile:read", "notes:read"];
  const tokens = await connect(app, person, APP, { scopes, resource: NOTES });
  deepStrictEqual(await read(tokens.access_token), [401, "UNAUTHENTICATED"]);
  const own = await tokensIn(refresh(app, APP, tokens.refresh_token, { resource: BASE_URL }));
  deepStrictEqual(await read(own.access_token), [200, undefined]);
  const narrowed = await tokensIn(
    refresh(app, APP, own.refresh_token!, { resource: BASE_URL, scope: "openid notes:read" }),
  );
  deepStrictEqual(await read(narrowed.access_token), [403, "SCOPE_MISSING"]);
});

Deno.test("an expired token opens nothing, and a refreshed one does", async () => {
  const { token, refreshToken } = await connected();
  app.advance(59);
  deepStrictEqual(await read(token), [200, undefined]);
  app.advance(1);
  deepStrictEqual(await read(token), [401, "UNAUTHENTICATED"]);
  deepStrictEqual(await read((await tokensIn(refresh(app, APP, refreshToken))).access_token), [200, undefined]);
});

Deno.test("a token of an ended grant, or of a person who may not log in, opens nothing", async () => {
  const ends: Record<string, (by: Connected) => Promise<unknown>> = {
    "the app revokes it": ({ refreshToken }) =>
      app.client().request("/oauth/revoke", {
        method: "POST",
        body: new URLSearchParams({ client_id: APP, token: refreshToken }),
      }),
    "the person logs out": ({ person }) => person.request("/auth/logout", { method: "POST" }),
    "the person disconnects the app": async ({ person }) => {
      const { data: [{ id }] } = await (await person.get("/api/account/apps")).json();
      await person.request(`/api/account/apps/${id}`, { method: "DELETE" });
    },
    "an operator suspends the person in the database": ({ userId }) =>
      db.updateTable("users").set({ suspended_at: app.services.now() }).where("id", "=", userId).execute(),
    "the account is closing": ({ person }) => person.request("/api/account", { method: "DELETE" }),
    "the session expires in the database": ({ userId }) =>
      db.updateTable("sessions").set({ expires_at: app.services.now() }).where("user_id", "=", userId).execute(),
  };
  for (const [name, end] of Object.entries(ends)) {
    const by = await connected();
    deepStrictEqual(await read(by.token), [200, undefined], `before: ${name}`);
    await end(by);
    deepStrictEqual(await read(by.token), [401, "UNAUTHENTICATED"], name);
  }
});

Deno.test("an app that left the file opens nothing, and one that lost a scope has lost it at once", async () => {
  const { token } = await connected();
  const clients = app.services.config.registrations!.clients as Map<string, RegisteredClient>;
  const client = clients.get(APP)!;
  try {
    clients.set(APP, { ...client, scopes: client.scopes.filter((scope) => scope !== "profile:read") });
    deepStrictEqual(await read(token), [403, "SCOPE_MISSING"]);
    clients.delete(APP);
    deepStrictEqual(await read(token), [401, "UNAUTHENTICATED"]);
    await using without = await openTestInstanceWith(app, { registrations: null });
    strictEqual((await without.client().get("/api/profile", bearer(token))).status, 401);
  } finally {
    clients.set(APP, client);
  }
  deepStrictEqual(await read(token), [200, undefined]);
});

Deno.test("CORS is that of the API: origins of apps may not call it", async () => {
  const { headers } = await connected();
  const allowed = async (origin: string) => {
    const response = await app.client().get("/api/profile", { ...headers, Origin: origin });
    strictEqual(response.status, 200);
    return response.headers.get("Access-Control-Allow-Origin");
  };
  strictEqual(await allowed(FRONT_END), FRONT_END);
  strictEqual(await allowed(new URL(REDIRECT_URI).origin), null);
});

Deno.test("requests with one grant count under the policy token, here and at userinfo", async () => {
  await using limited = await openTestApp({ ...ENV, LIMIT_TOKEN: "3/60" });
  await prepareSigningKeys(limited.services);
  const { client } = await registerVerifiedUser(limited, "limited@example.com");
  const { access_token } = await connect(limited, client, APP, { scopes: ["openid", "profile:read"] });
  const get = (path: string) => limited.client().get(path, bearer(access_token));
  strictEqual((await get("/oauth/userinfo")).status, 200);
  const second = await get("/api/profile");
  deepStrictEqual([second.status, second.headers.get("RateLimit")], [200, '"token";r=1;t=60']);
  strictEqual((await get("/api/profile")).status, 200);
  const last = await get("/api/profile");
  deepStrictEqual([last.status, last.headers.get("RateLimit")], [429, '"token";r=0;t=60']);
  const other = await connect(limited, client, APP, { scopes: ["openid", "profile:read"] });
  strictEqual((await limited.client().get("/api/profile", bearer(other.access_token))).status, 200);
});

Deno.test("the list of connected apps says when an app last used the API", async () => {
  const { person, token } = await connected();
  const lastUse = async () => (await (await person.get("/api/account/apps")).json()).data[0].lastUsedAt;
  const before = await lastUse();
  await db.updateTable("grants").set({ is_offline: true, expires_at: new Date(2100, 0) }).execute();
  app.advance(5 * MINUTE_SECONDS);
  strictEqual((await read(await forged(token, { claims: { exp: decodeJwt(token).exp! + 600 } })))[0], 200);
  await waitFor("the time of the last use", async () => await lastUse() === before + 5 * MINUTE_SECONDS, {
    timeoutMs: 10_000,
  });
});
