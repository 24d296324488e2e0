import { unixSeconds } from "../../duration.ts";
import type { Services } from "../../services/services.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import { checkAnyAccessToken } from "./access_token_check.ts";
import { isAlive } from "./live_grant.ts";
import { invalidRequest, OAuthError } from "./oauth_error.ts";
import { findPresentedGrant } from "./refresh.ts";
import { isRefreshToken } from "./refresh_token_format.ts";

/** What an app may know about a token. Source: RFC 7662, 2.2. */
export type Introspection = { active: false } | {
  active: true;
  iss: string;
  sub: string;
  aud: string;
  client_id: string;
  /** The email address, for whoever may know it. Mail servers compare it with the mailbox. */
  username?: string;
  scope: string;
  iat: number;
  exp?: number;
  jti?: string;
  token_type?: "Bearer";
};

/**
 * Says whether a token is alive, to the client that has it or whose resource it is for. Of all other tokens, no one
 * learns more than of a text that is no token.
 *
 * @throws {OAuthError} invalid_client for a public client: anyone can say they are one; invalid_request.
 */
export async function introspectToken(
  services: Services,
  client: RegisteredClient,
  { token }: { token?: string },
): Promise<Introspection> {
  if (client.isPublic) throw new OAuthError("invalid_client", "public client");
  if (token === undefined) throw invalidRequest("token is missing");
  if (isRefreshToken(token)) return await introspectRefreshToken(services, { client, token });
  const checked = await checkAnyAccessToken(services, token);
  if (checked === null) return { active: false };
  const { claims: { iss, sub, aud, client_id, scope, iat, exp, jti }, grant } = checked;
  if (client_id !== client.id && !client.resources.includes(aud)) return { active: false };
  const claims = services.config.registrations!.resources.get(aud)?.claims ?? scope.split(" ");
  const username = grant !== null && claims.includes("email") ? { username: grant.user.email } : {};
  return { active: true, iss, sub, aud, client_id, ...username, scope, iat, exp, jti, token_type: "Bearer" };
}

async function introspectRefreshToken(
  services: Services,
  { client, token }: { client: RegisteredClient; token: string },
): Promise<Introspection> {
  const { config: { baseUrl } } = services;
  const presented = await findPresentedGrant(services, { client, text: token });
  if (presented === null) return { active: false };
  const { grant, generation } = presented;
  if (generation !== grant.generation || !await isAlive(grant, { client, ...services })) return { active: false };
  return {
    active: true,
    iss: baseUrl,
    sub: grant.user.id,
    aud: baseUrl,
    client_id: client.id,
    scope: grant.scopes.join(" "),
    iat: unixSeconds(grant.generationAt),
    exp: unixSeconds(grant.expiresAt!),
  };
}
