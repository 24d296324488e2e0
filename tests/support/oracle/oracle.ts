import { type Configuration, errors, Provider } from "oidc-provider";
import { hashToken } from "../../../lib/crypto/token.ts";
import { unixSeconds } from "../../../lib/duration.ts";
import { REDIRECT_URI } from "../app/authorization.ts";
import { createClient } from "../app/test_client.ts";
import { API, type CodeOptions, encode, GOOD_REQUEST, SECRETS, type Side, VERIFIER } from "./side.ts";

const ACCOUNT = "ada";

/** The library oidc-provider with the clients of the table, and its own tokens. */
export interface Oracle extends Side {
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts oidc-provider at the paths of ours. */
export async function startOracle(): Promise<Oracle> {
  using reserved = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const issuer = `http://localhost:${reserved.addr.port}`;
  reserved.close();
  // It warns about settings for development.
  const { warn, info } = console;
  console.warn = console.info = () => {};
  const provider = new Provider(issuer, await configuration());
  Object.assign(console, { warn, info });
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith("/interaction/")) return await next();
    await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: ACCOUNT } });
  });
  const server = provider.listen(reserved.addr.port, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));

  const realNow = Date.now;
  let offsetMs = 0;
  const client = () => createClient({ server: issuer, origin: issuer, address: "127.0.0.1" });
  return {
    name: "oidc-provider",
    issuer,
    client,
    async member() {
      const person = client();
      // The provider asks who it is, and finishes at once.
      let answer = await person.get(`/oauth/authorize?${encode(GOOD_REQUEST)}`);
      while (answer.headers.get("location")?.startsWith("/") || answer.headers.get("location")?.startsWith(issuer)) {
        const { pathname, search } = new URL(answer.headers.get("location")!, issuer);
        answer = await person.get(pathname + search);
      }
      return person;
    },
    async code(clientId, options) {
      return await createCode(provider, clientId, options);
    },
    advance(seconds) {
      offsetMs += seconds * 1000;
      Date.now = () => realNow() + offsetMs;
    },
    async [Symbol.asyncDispose]() {
      Date.now = realNow;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function configuration(): Promise<Configuration> {
  const common = { redirect_uris: [REDIRECT_URI], response_types: ["code" as const], post_logout_redirect_uris: [] };
  const both = ["authorization_code", "refresh_token"];
  return {
    clients: [
      {
        ...common,
        client_id: "wiki",
        client_secret: SECRETS.wiki,
        grant_types: both,
        post_logout_redirect_uris: ["https://app.example/out"],
      },
      { ...common, client_id: "phone", grant_types: both, token_endpoint_auth_method: "none" },
      { ...common, client_id: "one-time", grant_types: ["authorization_code"], token_endpoint_auth_method: "none" },
      { ...common, client_id: "notes-api", client_secret: SECRETS["notes-api"], grant_types: ["authorization_code"] },
      {
        client_id: "robot",
        client_secret: SECRETS.robot,
        redirect_uris: [],
        response_types: [],
        grant_types: ["client_credentials"],
      },
    ],
    scopes: ["openid", "offline_access", "profile", "email"],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    jwks: { keys: [await signingKey("RSASSA-PKCS1-v1_5")] },
    cookies: { keys: [crypto.randomUUID()], long: { sameSite: "none" } },
    responseTypes: ["code"],
    pkce: { required: () => true },
    issueRefreshToken: (_ctx, client) => Promise.resolve(client.grantTypeAllowed("refresh_token")),
    rotateRefreshToken: true,
    enableHttpPostMethods: true,
    routes: {
      authorization: "/oauth/authorize",
      token: "/oauth/token",
      userinfo: "/oauth/userinfo",
      revocation: "/oauth/revoke",
      introspection: "/oauth/introspect",
      end_session: "/oauth/logout",
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => client.clientId === token.clientId },
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) =>
          client.clientAuthMethod !== "none" &&
          (client.clientId === token.clientId ||
            (client.clientId === "notes-api" && "aud" in token && token.aud === API)),
      },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx, resource) => {
          if (resource !== API) throw new errors.InvalidTarget();
          return { scope: "notes:read notes:write", audience: API, accessTokenFormat: "opaque" };
        },
        useGrantedResource: () => true,
      },
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({ sub, name: "Ada Lovelace", email: "ada@example.com", email_verified: true }),
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ accountId: oidc.session!.accountId, clientId: oidc.client!.clientId });
      grant.addOIDCScope("openid email profile");
      grant.addResourceScope(API, "notes:read");
      await grant.save();
      return grant;
    },
  };
}

async function signingKey(name: "RSASSA-PKCS1-v1_5") {
  const algorithm = { name, hash: "SHA-256", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
  const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const { key_ops: _all, ext: _always, ...jwk } = await crypto.subtle.exportKey("jwk", privateKey);
  return { ...jwk, kty: "RSA" as const, use: "sig" };
}

/** Allows an app something, as the end of an interaction does. */
async function createCode(
  provider: Provider,
  clientId: string,
  { scopes = ["openid"], resource = null, hasChallenge = true }: CodeOptions = {},
): Promise<string> {
  const client = (await provider.Client.find(clientId))!;
  const grant = new provider.Grant({ accountId: ACCOUNT, clientId });
  grant.addOIDCScope(scopes.filter((scope) => !scope.startsWith("notes:")).join(" "));
  if (resource !== null) {
    grant.addResourceScope(resource, scopes.filter((scope) => scope.startsWith("notes:")).join(" "));
  }
  const grantId = await grant.save();
  const code = new provider.AuthorizationCode({
    accountId: ACCOUNT,
    client,
    grantId,
    redirectUri: REDIRECT_URI,
    scope: scopes.join(" "),
    authTime: unixSeconds(new Date(Date.now())),
    gty: "authorization_code",
    ...resource !== null && { resource },
    ...hasChallenge && { codeChallenge: hashToken(VERIFIER), codeChallengeMethod: "S256" },
    // deno-lint-ignore no-explicit-any -- the types leave out what the library itself sets
  } as any);
  return await code.save();
}
