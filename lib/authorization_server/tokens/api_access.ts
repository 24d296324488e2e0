import type { ActiveToken } from "../../access/api_token.ts";
import { errorFields } from "../../log/log.ts";
import { isConsentUseDue, markConsentUsed } from "../../grants/consent.ts";
import type { RateLimit } from "../../limits/rate_limit.ts";
import { SCOPES } from "../../schemas/scopes.ts";
import type { Services } from "../../services/services.ts";
import { OWN_SCOPES } from "../../clients/own_scopes.ts";
import { checkAccessToken } from "./access_token_check.ts";
import { useGrant } from "./grant_limit.ts";

/** What an app may do at our own API. */
export interface ApiAccess {
  token: ActiveToken;
  /** The state of the policy `token`. Null if it is off. */
  limit: RateLimit | null;
  /** Records that the app is in use. Call it after the response: only the list of connected apps shows it. */
  markUsed(): Promise<void>;
}

/**
 * Finds out for whom an app acts at our own API, and counts the request under the policy `token`. Only the scopes of
 * the API count that the app may still ask for, because the file may have changed since. Never that of admins.
 *
 * @returns null if it is no access token for this service, or if its grant has ended.
 */
export async function findApiAccess(services: Services, accessToken: string): Promise<ApiAccess | null> {
  const { config, db, now, log } = services;
  const checked = await checkAccessToken(services, accessToken);
  if (checked === null || checked.claims.aud !== config.baseUrl) return null;
  const { claims, grant, client } = checked;
  const granted = claims.scope.split(" ");
  const scopes = SCOPES.filter((scope) =>
    OWN_SCOPES.includes(scope) && granted.includes(scope) && client.scopes.includes(scope)
  );
  const { user, consentId, consentUsedAt } = grant;
  return {
    token: {
      id: grant.id,
      scopes,
      lastUsedAt: consentUsedAt,
      isOfAdmin: user.role === "admin",
      isOfApp: true,
      isOfOwnApp: client.isFirstParty,
      // A leaked token must not make its holder an admin.
      user: { ...user, role: "user" },
    },
    limit: await useGrant(services, grant.id),
    async markUsed() {
      if (!isConsentUseDue(consentUsedAt, now())) return;
      await markConsentUsed(db, { id: consentId, now: now() })
        .catch((error) => log("warn", "last use of an app not recorded", errorFields(error)));
    },
  };
}
