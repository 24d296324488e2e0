import type { ActiveToken } from "../../access/api_token.ts";
import type { ServiceToken } from "../../access/service.ts";
import { errorFields } from "../../log/log.ts";
import { isConsentUseDue, markConsentUsed } from "../../grants/consent.ts";
import type { RateLimit } from "../../limits/rate_limit.ts";
import { SCOPES, SERVICE_SCOPES } from "../../schemas/scopes.ts";
import type { Services } from "../../services/services.ts";
import { OWN_SCOPES } from "../../clients/own_scopes.ts";
import { checkAnyAccessToken, type CheckedAccessToken, type CheckedServiceToken } from "./access_token_check.ts";
import { useGrant, useService } from "./grant_limit.ts";

/** What an app may do at our own API. */
export interface ApiAccess {
  token: ActiveToken | ServiceToken;
  /** The state of the policy `token`. Null if it is off. */
  limit: RateLimit | null;
  /** Records that the app is in use. Call it after the response: only the list of connected apps shows it. */
  markUsed(): Promise<void>;
}

/**
 * Finds out for whom an app acts at our own API, or that it acts as itself, and counts the request under the policy
 * `token`. Only the scopes count that the app may still ask for, because the file may have changed since.
 *
 * @returns null if it is no access token for this service, or if its grant has ended.
 */
export async function findApiAccess(services: Services, accessToken: string): Promise<ApiAccess | null> {
  const checked = await checkAnyAccessToken(services, accessToken);
  if (checked === null || checked.claims.aud !== services.config.baseUrl) return null;
  return await (checked.grant === null ? serviceAccess(services, checked) : grantAccess(services, checked));
}

async function serviceAccess(
  services: Services,
  { claims, client }: CheckedServiceToken,
): Promise<ApiAccess> {
  const scopes = stillAllowed(SERVICE_SCOPES, { claims, client });
  return {
    token: { clientId: client.id, name: client.name, scopes, user: null },
    limit: await useService(services, client.id),
    markUsed: () => Promise.resolve(),
  };
}

/** The scope of admins is none that an app can have for a person. */
async function grantAccess(
  services: Services,
  { claims, client, grant }: CheckedAccessToken,
): Promise<ApiAccess> {
  const { db, now, log } = services;
  const { user, consentId, consentUsedAt } = grant;
  return {
    token: {
      id: grant.id,
      scopes: stillAllowed(SCOPES.filter((scope) => OWN_SCOPES.includes(scope)), { claims, client }),
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

/** Returns the scopes that a token has, as far as its app may still have them. */
function stillAllowed<Name extends string>(
  known: readonly Name[],
  { claims, client }: Pick<CheckedAccessToken, "claims" | "client">,
): Name[] {
  const granted = claims.scope.split(" ");
  return known.filter((scope) => granted.includes(scope) && client.scopes.includes(scope));
}
