import { requireAudiences, requireRegistrations } from "../config/features.ts";
import { ListSchema } from "../schemas/list.ts";
import {
  AccessTokenSchema,
  AccessTokenView,
  ApiTokenList,
  ApiTokenSchema,
  CreatedApiToken,
  TokenForm,
  TokenRequestForm,
} from "../access/schema.ts";
import { CheckQuery } from "../schemas/navigation.ts";
import {
  DiscoveryDocument,
  IntrospectionView,
  PublicKeySet,
  TokenResponseView,
  UserinfoView,
} from "../authorization_server/schema.ts";
import { entries } from "./entry.ts";

/** Tokens of programs and products. */
export const TOKENS = entries({
  "GET /api/tokens": {
    operationId: "listTokens",
    summary: "List your API tokens",
    description: "Newest first, without the tokens themselves.",
    caller: "session",
    whileClosing: "refused",
    query: ListSchema,
    returns: { 200: ApiTokenList },
    sends: ["Link"],
  },
  "POST /api/tokens": {
    operationId: "createToken",
    summary: "Create an API token",
    description: "Requires a recent proof. `token` is never shown again.",
    caller: "session",
    whileClosing: "refused",
    body: ApiTokenSchema,
    returns: { 201: CreatedApiToken },
    errors: ["REAUTHENTICATION_REQUIRED", "TOO_MANY"],
    isRepeatable: true,
    limit: "security",
  },
  "DELETE /api/tokens/{id}": {
    operationId: "deleteToken",
    summary: "End an API token",
    caller: "session",
    whileClosing: "refused",
    returns: { 204: null },
    errors: ["NOT_FOUND"],
    limit: "security",
  },
  "GET /auth/check": {
    operationId: "checkRequest",
    summary: "Tell a reverse proxy who sends a request",
    description:
      "For nginx auth_request, Caddy forward_auth and Traefik ForwardAuth. 401 also for a user who has not confirmed the " +
      "address.",
    caller: "public",
    tokens: "profile:read",
    // Products take the sender for the person. No one has allowed an app to use products in their name.
    refusesApps: true,
    whileClosing: "open",
    query: CheckQuery,
    returns: { 204: null, 303: null },
    errors: ["FORBIDDEN"],
    sends: [
      "X-Foyer-User-Id",
      "X-Foyer-User-Email",
      "X-Foyer-User-Email-Verified",
      "X-Foyer-User-Name",
      "X-Foyer-User-Picture",
      "X-Foyer-User-Role",
      "X-Foyer-User-Groups",
    ],
  },
  "POST /auth/token": {
    operationId: "createAccessToken",
    summary: "Get an access token for a product",
    description:
      "The audience must be listed in TOKEN_AUDIENCES. Pages of a product get tokens for their own origin only. Your " +
      "address must be confirmed.",
    caller: "session",
    whileClosing: "refused",
    requireFeature: requireAudiences,
    body: AccessTokenSchema,
    returns: { 200: AccessTokenView },
    errors: ["EMAIL_NOT_VERIFIED"],
    limit: { none: "It stores nothing, and products need a new token every few minutes" },
  },
});

const AS_CLIENT = { presents: "client", errors: ["invalid_request", "invalid_client"] } as const;
const WITH_ACCESS_TOKEN = {
  presents: "accessToken",
  errors: ["invalid_request", "invalid_token", "insufficient_scope"],
} as const;
const COUNTED_BY_GRANT = {
  none: "It stores nothing, and requests with one grant count under the policy token",
} as const;

/** What apps call that sign people in with this service. */
export const AUTHORIZATION_SERVER = entries({
  "POST /oauth/token": {
    operationId: "createAppTokens",
    summary: "Get tokens as an app",
    description: "Exchanges a code, or a refresh token. Wrong client authentications count.",
    caller: "public",
    whileClosing: "open",
    requireFeature: requireRegistrations,
    form: TokenRequestForm,
    forApps: {
      ...AS_CLIENT,
      errors: [
        ...AS_CLIENT.errors,
        "invalid_grant",
        "unauthorized_client",
        "unsupported_grant_type",
        "invalid_scope",
        "invalid_target",
      ],
    },
    returns: { 200: TokenResponseView },
    limit: "client",
  },
  "GET /oauth/userinfo": {
    operationId: "getUserinfo",
    summary: "Read who uses an app",
    description: "With an access token of an app, for this service.",
    caller: "public",
    whileClosing: "open",
    requireFeature: requireRegistrations,
    forApps: WITH_ACCESS_TOKEN,
    returns: { 200: UserinfoView },
  },
  "POST /oauth/userinfo": {
    operationId: "getUserinfoWithPost",
    summary: "Read who uses an app, with POST",
    caller: "public",
    whileClosing: "open",
    requireFeature: requireRegistrations,
    forApps: WITH_ACCESS_TOKEN,
    returns: { 200: UserinfoView },
    limit: COUNTED_BY_GRANT,
  },
  "POST /oauth/revoke": {
    operationId: "endGrant",
    summary: "End a grant of an app",
    description: "With a refresh token or an access token of the app. Nothing happens with any other token.",
    caller: "public",
    whileClosing: "open",
    requireFeature: requireRegistrations,
    forApps: AS_CLIENT,
    form: TokenForm,
    returns: { 200: null },
    limit: "client",
  },
  "POST /oauth/introspect": {
    operationId: "checkToken",
    summary: "Find out whether a token is alive",
    description: "For confidential apps: their own tokens, and those for their resources.",
    caller: "public",
    whileClosing: "open",
    requireFeature: requireRegistrations,
    forApps: AS_CLIENT,
    form: TokenForm,
    returns: { 200: IntrospectionView },
    limit: "client",
  },
});

/** What apps read about this service before they use it. Scripts of every origin may read it. */
export const DISCOVERY = entries({
  "GET /.well-known/jwks.json": {
    operationId: "listKeys",
    summary: "Return the public keys of tokens",
    description: "A JSON Web Key Set. Access tokens are signed with ES256, ID tokens with RS256 or ES256.",
    caller: "public",
    whileClosing: "open",
    returns: { 200: PublicKeySet },
  },
  "GET /.well-known/openid-configuration": {
    operationId: "getOpenidConfiguration",
    summary: "Return where and how apps sign people in",
    description: "OpenID Connect Discovery. The same as `/.well-known/oauth-authorization-server`.",
    caller: "public",
    whileClosing: "open",
    requireFeature: requireRegistrations,
    returns: { 200: DiscoveryDocument },
  },
  "GET /.well-known/oauth-authorization-server": {
    operationId: "getAuthorizationServer",
    summary: "Return where and how apps get tokens",
    description: "The metadata of RFC 8414.",
    caller: "public",
    whileClosing: "open",
    requireFeature: requireRegistrations,
    returns: { 200: DiscoveryDocument },
  },
});
