import type { Client } from "../../activity/client.ts";
import { recordEvent } from "../../activity/events.ts";
import { SECOND_MS } from "../../duration.ts";
import { isConsentUseDue, markConsentUsed } from "../../grants/consent.ts";
import { findGeneration, moveGeneration } from "../../grants/grant.ts";
import { endGrant } from "../../grants/grant_end.ts";
import { openRefreshKey } from "../../grants/refresh_key.ts";
import { sendAlert } from "../../mail/links/alert.ts";
import type { Services } from "../../services/services.ts";
import { lockUser } from "../../users/user_lock.ts";
import { offlineEnd } from "../grant.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import { findRequested, type RequestedAccess } from "./audience.ts";
import { countGrantUse } from "./grant_limit.ts";
import { findGrant, type FoundGrant, isAlive } from "./live_grant.ts";
import { invalidGrant, invalidRequest, OAuthError } from "./oauth_error.ts";
import { createRefreshToken, isWrittenWith, parseRefreshToken } from "./refresh_token_format.ts";
import { findResponseKeys, issueTokens, type TokenResponse } from "./token_response.ts";

/** What an app sends to get new tokens. */
export interface RefreshRequest extends RequestedAccess {
  refreshToken?: string;
}

/** A grant whose refresh token is presented. */
export interface PresentedGrant {
  grant: FoundGrant;
  /** The number of the token. */
  generation: number;
  key: Uint8Array;
}

/**
 * Gets new tokens with a refresh token. Of twenty requests at once, all succeed and get the same next token, and so
 * does a request whose response was lost, for REFRESH_GRACE_SECONDS. A token that is older ends the grant.
 *
 * @throws {OAuthError} invalid_request, invalid_grant, unauthorized_client, invalid_scope, invalid_target.
 * @throws {AppError} RATE_LIMITED.
 */
export async function refreshGrant(
  services: Services,
  { client, from }: { client: RegisteredClient; from: Client },
  { refreshToken, ...requested }: RefreshRequest,
): Promise<TokenResponse> {
  if (refreshToken === undefined) throw invalidRequest("refresh_token is missing");
  if (!client.grantTypes.includes("refresh_token")) throw new OAuthError("unauthorized_client", "no refresh tokens");
  const presented = await findPresentedGrant(services, { client, text: refreshToken });
  if (presented === null) throw invalidGrant("unknown refresh token");
  const { grant, key } = presented;
  const { config, now } = services;
  if (!await isAlive(grant, { client, ...services })) {
    throw invalidGrant("ended session or grant, or the person may not use the app now");
  }
  await countGrantUse(services, grant.id);
  const access = findRequested(config, { grant, client }, requested);
  const keys = await findResponseKeys(services, { client, grant, access });
  const generation = await advance(services, presented);
  if (generation === null) {
    await endReused(services, { presented, client, from });
    throw invalidGrant("refresh token used before");
  }
  if (isConsentUseDue(grant.consentUsedAt, now())) {
    await markConsentUsed(services.db, { id: grant.consentId, now: now() });
  }
  const next = createRefreshToken({ grantId: grant.id, generation, key });
  return await issueTokens(services, { client, grant, access, keys, refreshToken: next });
}

/** Finds the grant of a refresh token of this client. Returns null for every token that we have not written for it. */
export async function findPresentedGrant(
  services: Pick<Services, "db" | "config" | "now" | "objects">,
  { client, text }: { client: RegisteredClient; text: string },
): Promise<PresentedGrant | null> {
  const parsed = parseRefreshToken(text);
  const grant = parsed && await findGrant(services, parsed.grantId);
  if (parsed === null || grant === null || grant.refreshKey === null) return null;
  const key = await openRefreshKey(services.config, { id: grant.id, sealed: grant.refreshKey });
  if (key === null || !isWrittenWith(parsed, key) || grant.clientId !== client.id) return null;
  return { grant, generation: parsed.generation, key };
}

/**
 * Moves the grant to its next token, unless a request has just done so. One conditional update decides.
 *
 * @returns the number of the next token; null if the presented one is too old.
 */
async function advance(
  { db, config, now: currentTime }: Services,
  { grant, generation }: PresentedGrant,
): Promise<number | null> {
  const now = currentTime();
  const expiresAt = grant.isOffline ? offlineEnd(config, { createdAt: grant.createdAt, now }) : null;
  if (generation === grant.generation && await moveGeneration(db, { id: grant.id, generation, expiresAt, now })) {
    return generation + 1;
  }
  const current = await findGeneration(db, grant.id);
  if (current === null) throw invalidGrant("ended grant");
  // Only a database that has lost its last writes knows fewer tokens than an app holds.
  if (generation >= current.generation) throw invalidGrant("refresh token of a later state");
  return isRepeatable({ generation, current, now }, config) ? current.generation : null;
}

/** Whether a token may be repeated: it is the one before the valid one, which has not been so for long. */
function isRepeatable(
  { generation, current, now }: {
    generation: number;
    current: { generation: number; since: Date };
    now: Date;
  },
  { refreshGraceSeconds }: Pick<Services["config"], "refreshGraceSeconds">,
): boolean {
  const ageMs = now.getTime() - current.since.getTime();
  return generation + 1 === current.generation && ageMs <= refreshGraceSeconds * SECOND_MS;
}

/** Ends a grant of which an old token was used: the app has lost its state, or someone else has the token. */
async function endReused(
  services: Services,
  { presented: { grant }, client, from }: { presented: PresentedGrant; client: RegisteredClient; from: Client },
): Promise<void> {
  const userId = grant.user.id;
  await services.db.transaction().execute(async (trx) => {
    if (await lockUser(trx, userId) === null || await endGrant(trx, grant.id) === null) return;
    const now = services.now();
    const details = { app: client.id };
    await recordEvent(trx, { kind: "grant.reused", userId, actorId: null, client: from, details }, now);
    await sendAlert(trx, services, { kind: "grant_reused", userId, client: from, now, details: { app: client.name } });
  });
}
