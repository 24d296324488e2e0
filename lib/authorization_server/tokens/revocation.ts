import type { Client } from "../../activity/client.ts";
import { endGrant, recordAppEnds } from "../../grants/grant_end.ts";
import type { Services } from "../../services/services.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import { checkAnyAccessToken } from "./access_token_check.ts";
import type { FoundGrant } from "./live_grant.ts";
import { invalidRequest, OAuthError } from "./oauth_error.ts";
import { findPresentedGrant } from "./refresh.ts";
import { isRefreshToken } from "./refresh_token_format.ts";

/**
 * Ends the grant of a refresh token or an access token of this client. Nothing happens with every other token. Source:
 * RFC 7009, 2.
 *
 * @throws {OAuthError} invalid_request; unsupported_token_type for a token of this client for no person, which has no
 * grant to end.
 */
export async function revokeToken(
  services: Services,
  { client, from }: { client: RegisteredClient; from: Client },
  { token }: { token?: string },
): Promise<void> {
  if (token === undefined) throw invalidRequest("token is missing");
  const grant = await findOwnGrant(services, { client, token });
  if (grant === null) return;
  await services.db.transaction().execute(async (trx) => {
    const app = await endGrant(trx, grant.id);
    if (app === null) return;
    const end = { reason: "revoked", client: from, now: services.now() } as const;
    await recordAppEnds(trx, { userId: grant.user.id, clientIds: [app] }, end);
  });
}

async function findOwnGrant(
  services: Services,
  { client, token }: { client: RegisteredClient; token: string },
): Promise<FoundGrant | null> {
  if (isRefreshToken(token)) return (await findPresentedGrant(services, { client, text: token }))?.grant ?? null;
  const checked = await checkAnyAccessToken(services, token);
  if (checked === null || checked.client.id !== client.id) return null;
  if (checked.grant === null) throw new OAuthError("unsupported_token_type", "a token for no person");
  return checked.grant;
}
