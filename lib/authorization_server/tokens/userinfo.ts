import type { RegisteredClient } from "../../config/registered_client.ts";
import type { RateLimit } from "../../limits/rate_limit.ts";
import type { Services } from "../../services/services.ts";
import { checkAccessToken } from "./access_token_check.ts";
import { claimsOfScopes, type PersonClaims } from "./claims.ts";
import { useGrant } from "./grant_limit.ts";
import { OAuthError } from "./oauth_error.ts";

/** What an app reads about the person, and the limit of its grant. */
export interface UserinfoResult {
  claims: PersonClaims & { sub: string };
  client: RegisteredClient;
  limit: RateLimit | null;
}

/**
 * Returns the claims of the scopes of an access token. A token for a resource opens nothing here. Source: OpenID
 * Connect Core, 5.3. The caller refuses a request above the limit.
 *
 * @throws {OAuthError} invalid_token, insufficient_scope.
 */
export async function readUserinfo(services: Services, accessToken: string): Promise<UserinfoResult> {
  const { baseUrl } = services.config;
  const checked = await checkAccessToken(services, accessToken);
  if (checked === null) throw new OAuthError("invalid_token", "bad access token or ended grant");
  const { claims: { aud, scope }, grant, client } = checked;
  if (aud !== baseUrl) throw new OAuthError("invalid_token", "access token for a resource");
  const limit = await useGrant(services, grant.id);
  const scopes = scope.split(" ");
  if (!scopes.includes("openid")) throw new OAuthError("insufficient_scope", "no openid");
  return { claims: { sub: grant.user.id, ...claimsOfScopes(grant, { scopes, client }) }, client, limit };
}
