import { timingSafeEqual } from "node:crypto";
import type { Db } from "../../../db/schema.ts";
import type { Client } from "../../activity/client.ts";
import { hashToken } from "../../crypto/token.ts";
import { SECOND_MS } from "../../duration.ts";
import { createRefreshKey } from "../../grants/refresh_key.ts";
import { dropUnspent, spendCode, type SpentCode } from "../../grants/grant.ts";
import { endGrant, endOldestOffline, recordAppEnds } from "../../grants/grant_end.ts";
import type { Services } from "../../services/services.ts";
import { lockUser } from "../../users/user_lock.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import { findRequested, type RequestedAccess } from "./audience.ts";
import { findGrantOfCode, type FoundGrant, isAlive } from "./live_grant.ts";
import { invalidGrant, invalidRequest, OAuthError } from "./oauth_error.ts";
import { createRefreshToken } from "./refresh_token_format.ts";
import { findResponseKeys, issueTokens, type TokenResponse } from "./token_response.ts";

/** How long a second use of a code is taken for a lost response. After that, the first user may be a thief. */
const LOST_RESPONSE_MS = 10 * SECOND_MS;
const CODE = /^[A-Za-z0-9_-]{1,128}$/;
/** Source: RFC 7636, 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** What an app sends to exchange a code. */
export interface CodeExchange extends RequestedAccess {
  code?: string;
  redirectUri?: string;
  codeVerifier?: string;
}

/**
 * Exchanges an authorization code for tokens. Of several requests at once, exactly one gets them. An attempt of its own
 * client with another redirect URI or verifier spends the code.
 *
 * @throws {OAuthError} invalid_request, invalid_grant, unauthorized_client, invalid_target, invalid_scope.
 */
export async function exchangeCode(
  services: Services,
  { client, from }: { client: RegisteredClient; from: Client },
  { code, redirectUri, codeVerifier, ...requested }: CodeExchange,
): Promise<TokenResponse> {
  if (code === undefined) throw invalidRequest("code is missing");
  if (redirectUri === undefined) throw invalidRequest("redirect_uri is missing");
  if (codeVerifier !== undefined && !VERIFIER.test(codeVerifier)) throw invalidRequest("code_verifier is malformed");
  if (!client.grantTypes.includes("authorization_code")) throw new OAuthError("unauthorized_client", "no codes");
  const { db, now } = services;
  const grant = CODE.test(code) ? await findGrantOfCode(services, hashToken(code)) : null;
  if (grant === null || grant.redirectUri === null) throw invalidGrant("unknown code");
  if (grant.clientId !== client.id) throw invalidGrant("code of another client");
  if (grant.codeSpentAt !== null) throw await refuseSecondUse(services, { grant, usedAt: grant.codeSpentAt, from });
  if (grant.codeExpiresAt <= now()) throw invalidGrant("expired code");
  if (grant.redirectUri !== redirectUri || !isVerifiedBy(grant, codeVerifier)) {
    await dropUnspent(db, grant.id);
    throw invalidGrant(grant.redirectUri === redirectUri ? "wrong code_verifier" : "wrong redirect_uri");
  }
  return await issueFirstTokens(services, { client, grant, from }, requested.resources);
}

/**
 * Gives an app the first tokens of a grant. Of several requests at once, exactly one gets them.
 *
 * @param resources what the access token is for. Default: what was granted.
 * @throws {OAuthError} invalid_grant, invalid_target.
 */
export async function issueFirstTokens(
  services: Services,
  { client, grant, from }: { client: RegisteredClient; grant: FoundGrant; from: Client },
  resources: string[],
): Promise<TokenResponse> {
  const { db, config, now } = services;
  if (!await isAlive(grant, { client, ...services })) {
    throw invalidGrant("ended session, or the person may not use the app now");
  }
  const access = findRequested(config, { grant, client }, { resources });
  const keys = await findResponseKeys(services, { client, grant, access });
  const refresh = client.grantTypes.includes("refresh_token") ? await createRefreshKey(config, grant.id) : null;
  const spent = { id: grant.id, refreshKey: refresh?.sealed ?? null, now: now() };
  await (grant.isOffline ? spendOffline(services, { grant, spent, from }) : spend(db, spent));
  const refreshToken = refresh === null
    ? undefined
    : createRefreshToken({ grantId: grant.id, generation: grant.generation, key: refresh.key });
  return await issueTokens(services, { client, grant, access, keys, refreshToken, nonce: grant.nonce });
}

/** @throws {OAuthError} invalid_grant if another request has spent the code, or the grant has ended. */
async function spend(db: Db, spent: SpentCode): Promise<void> {
  if (!await spendCode(db, spent)) throw invalidGrant("code used by a request at the same time");
}

/** Spends the code of an offline grant. The oldest ones of the person at the app end if there are too many. */
async function spendOffline(
  { db }: Services,
  { grant, spent, from }: { grant: FoundGrant; spent: SpentCode; from: Client },
): Promise<void> {
  const { consentId, clientId, user: { id: userId } } = grant;
  const { now } = spent;
  await db.transaction().execute(async (trx) => {
    await lockUser(trx, userId);
    // Before the code, which is newer: grants are locked in the order of their ids.
    const hasEnded = await endOldestOffline(trx, { consentId, now });
    await spend(trx, spent);
    if (!hasEnded) return;
    await recordAppEnds(trx, { userId, clientIds: [clientId] }, { reason: "too_many", client: from, now });
  });
}

/** A verifier is required if there was a challenge, and refused if there was none. Source: RFC 9700, 2.1.1. */
function isVerifiedBy({ codeChallenge }: FoundGrant, codeVerifier: string | undefined): boolean {
  if (codeChallenge === null || codeVerifier === undefined) return codeChallenge === null && codeVerifier === undefined;
  const [expected, given] = [codeChallenge, hashToken(codeVerifier)].map((text) => new TextEncoder().encode(text));
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** A second use soon after the first one is a lost response. A later one ends the grant. Source: RFC 6749, 10.5. */
async function refuseSecondUse(
  { db, now: currentTime }: Services,
  { grant, usedAt, from }: { grant: FoundGrant; usedAt: Date; from: Client },
): Promise<OAuthError> {
  const now = currentTime();
  if (now.getTime() - usedAt.getTime() >= LOST_RESPONSE_MS) {
    await db.transaction().execute(async (trx) => {
      const app = await endGrant(trx, grant.id);
      if (app === null) return;
      const end = { reason: "code_reused", client: from, now } as const;
      await recordAppEnds(trx, { userId: grant.user.id, clientIds: [app] }, end);
    });
  }
  return invalidGrant("code used before");
}
