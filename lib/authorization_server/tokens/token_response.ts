import { v7 } from "uuid";
import { getSigningKeys } from "../../access/signing_keys.ts";
import { type JwtKey, signJwt } from "../../crypto/jwt.ts";
import { unixSeconds } from "../../duration.ts";
import type { Services } from "../../services/services.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import { type Access, scopesOfAudience } from "./audience.ts";
import { claimsOfResource, claimsOfScopes } from "./claims.ts";
import type { FoundGrant } from "./live_grant.ts";

/** The type in the header of access tokens. Source: RFC 9068, 2.1. */
export const ACCESS_TOKEN_TYPE = "at+jwt";

/** The response to a token request. Source: RFC 6749, 5.1; OpenID Connect Core, 3.1.3.3. */
export interface TokenResponse {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  scope: string;
  id_token?: string;
  refresh_token?: string;
}

/** The keys that sign a response. */
export interface ResponseKeys {
  accessKey: JwtKey;
  /** Null without an ID token. */
  idKey: JwtKey | null;
}

/** Finds the keys that sign a response. Call it before a code is spent: without keys, the app can try again. */
export async function findResponseKeys(
  services: Services,
  { client, grant, access }: { client: RegisteredClient; grant: FoundGrant; access: Access },
): Promise<ResponseKeys> {
  const idAlgorithms = access.granted.includes("openid") ? [client.idTokenAlgorithm] : [];
  const [accessKey, idKey = null] = await getSigningKeys(services, ["ES256", ...idAlgorithms], grant.signingKeyIds);
  return { accessKey, idKey };
}

/** What a response is about. */
export interface IssuedTokens {
  client: RegisteredClient;
  grant: FoundGrant;
  access: Access;
  keys: ResponseKeys;
  refreshToken?: string;
  /** Only in the first ID token of a grant. */
  nonce?: string | null;
}

/** Signs the tokens of a response. */
export async function issueTokens(services: Services, issued: IssuedTokens): Promise<TokenResponse> {
  const { client, access, keys: { idKey }, refreshToken } = issued;
  const [accessToken, idToken] = await Promise.all([
    signAccessToken(services, issued),
    idKey === null ? undefined : signIdToken(services, issued, idKey),
  ]);
  return {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: client.accessTtlSeconds,
    scope: access.scopes.join(" "),
    ...idToken !== undefined && { id_token: idToken },
    ...refreshToken !== undefined && { refresh_token: refreshToken },
  };
}

/** Source: RFC 9068, 2.2. */
async function signAccessToken(
  { config, now: currentTime }: Services,
  { client, grant, access, keys: { accessKey } }: IssuedTokens,
): Promise<string> {
  const now = currentTime();
  const issuedAt = unixSeconds(now);
  const { audience } = access;
  const claims = {
    ...claimsOfResource(grant, { claims: config.registrations!.resources.get(audience)?.claims ?? [], client }),
    iss: config.baseUrl,
    sub: grant.user.id,
    aud: audience,
    client_id: client.id,
    iat: issuedAt,
    exp: issuedAt + client.accessTtlSeconds,
    jti: v7({ msecs: now.getTime() }),
    scope: scopesOfAudience(config, access).join(" "),
    ...proofOf(grant),
    gid: grant.id,
  };
  return await signJwt(claims, accessKey, ACCESS_TOKEN_TYPE);
}

/** Source: OpenID Connect Core, 2 and 12.2. */
async function signIdToken(
  { config: { baseUrl, idTokenTtlSeconds }, now }: Services,
  { client, grant, access, nonce = null }: IssuedTokens,
  key: JwtKey,
): Promise<string> {
  const issuedAt = unixSeconds(now());
  const claims = {
    ...client.hasIdTokenClaims && claimsOfScopes(grant, { scopes: access.granted, client }),
    iss: baseUrl,
    sub: grant.user.id,
    aud: client.id,
    iat: issuedAt,
    exp: issuedAt + idTokenTtlSeconds,
    sid: grant.sessionId,
    ...proofOf(grant),
    ...nonce !== null && { nonce },
  };
  return await signJwt(claims, key);
}

/** How and when the person proved who they are before they agreed. */
function proofOf({ authTime, acr, amr }: FoundGrant) {
  return { auth_time: unixSeconds(authTime), acr, ...amr.length > 0 && { amr } };
}
