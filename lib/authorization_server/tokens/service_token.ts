import { v7 } from "uuid";
import { getSigningKey } from "../../access/signing_keys.ts";
import type { Config } from "../../config/config.ts";
import { isService, type RegisteredClient, serviceName } from "../../config/registered_client.ts";
import { signJwt } from "../../crypto/jwt.ts";
import { unixSeconds } from "../../duration.ts";
import { SERVICE_SCOPES } from "../../schemas/scopes.ts";
import type { Services } from "../../services/services.ts";
import { namedResource } from "../resource_uri.ts";
import { parseScope, type RequestedAccess } from "./audience.ts";
import { countServiceUse } from "./grant_limit.ts";
import { OAuthError } from "./oauth_error.ts";
import { ACCESS_TOKEN_TYPE, type TokenResponse } from "./token_response.ts";

/**
 * Gives an app an access token of its own, for no person. There is no grant, so there is nothing to refresh or to
 * revoke: the token expires soon. Source: RFC 6749, 4.4.
 *
 * @throws {OAuthError} unauthorized_client, invalid_scope, invalid_target, invalid_request.
 * @throws {AppError} RATE_LIMITED.
 */
export async function issueServiceToken(
  services: Services,
  client: RegisteredClient,
  requested: RequestedAccess,
): Promise<TokenResponse> {
  if (!isService(client)) throw new OAuthError("unauthorized_client", "no tokens without a person");
  const { config, now: currentTime } = services;
  const { audience, scopes } = findServiceAccess(config, client, requested);
  await countServiceUse(services, client.id);
  const key = await getSigningKey(services, "ES256");
  const now = currentTime();
  const issuedAt = unixSeconds(now);
  const scope = scopes.join(" ");
  const claims = {
    iss: config.baseUrl,
    sub: serviceName(client.id),
    aud: audience,
    client_id: client.id,
    iat: issuedAt,
    exp: issuedAt + client.accessTtlSeconds,
    jti: v7({ msecs: now.getTime() }),
    scope,
  };
  const accessToken = await signJwt(claims, key, ACCESS_TOKEN_TYPE);
  return { access_token: accessToken, token_type: "Bearer", expires_in: client.accessTtlSeconds, scope };
}

/**
 * Returns what a token is for. Without `scope`, it has all scopes that the app may have here, or the default ones of a
 * resource.
 */
function findServiceAccess(
  { baseUrl, registrations }: Pick<Config, "baseUrl" | "registrations">,
  client: RegisteredClient,
  { scope, resources }: RequestedAccess,
): { audience: string; scopes: string[] } {
  const [audience = baseUrl, ...others] = new Set(
    resources.map((each) => namedResource(each, [baseUrl, ...client.resources])),
  );
  const resource = client.resources.includes(audience) ? registrations!.resources.get(audience) : undefined;
  if (others.length > 0 || (audience !== baseUrl && resource === undefined)) {
    throw new OAuthError("invalid_target", "not a resource of the client", "The client may not use this resource");
  }
  const known: readonly string[] = resource === undefined ? SERVICE_SCOPES : [...resource.scopes.keys()];
  const allowed = client.scopes.filter((each) => known.includes(each));
  const defaults = resource === undefined ? allowed : allowed.filter((each) => resource.defaultScopes.includes(each));
  const scopes = scope === undefined ? defaults : parseScope(scope);
  const isForAudienceOnly = resource !== undefined && scope === undefined;
  if (scopes.some((each) => !allowed.includes(each)) || (scopes.length === 0 && !isForAudienceOnly)) {
    throw new OAuthError("invalid_scope", "not a scope of the client here", "The client may not have this scope");
  }
  return { audience, scopes };
}
