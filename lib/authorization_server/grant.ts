import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import type { Client } from "../activity/client.ts";
import { recordEvent } from "../activity/events.ts";
import { createToken, hashToken } from "../crypto/token.ts";
import { secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { addConsent, type AddedConsent, type Allowance, isEmpty, resourceScope } from "../grants/consent.ts";
import { insertGrant } from "../grants/grant.ts";
import { sendAlert } from "../mail/links/alert.ts";
import type { MailServices } from "../mail/links/send_email.ts";
import type { Services } from "../services/services.ts";
import type { User } from "../users/user_row.ts";
import { lockUser } from "../users/user_lock.ts";
import { authenticationContext, type ProvedSession } from "./authentication_context.ts";
import { holdClient } from "../clients/registrations.ts";
import type { RegisteredClient } from "../config/registered_client.ts";
import { isSensitiveScope, OFFLINE_ACCESS, OWN_SCOPES } from "../clients/own_scopes.ts";

/** What an app asks for, after all checks. */
export interface GrantRequest {
  /** The scopes that it gets. */
  scopes: string[];
  /** The API that the access tokens are for; null for this service. */
  resource: string | null;
  /** Null for a device. */
  redirectUri: string | null;
  codeChallenge: string | null;
  nonce: string | null;
  /** The device that asks, if it does so with a code of its own. */
  device?: AskingDevice;
}

/** A device that asks for access with a code. */
export interface AskingDevice {
  codeHash: string;
  codeExpiresAt: Date;
  address: string;
  userAgent: string | null;
}

/** Who allows an app what. */
export interface Agreement {
  user: Pick<User, "id">;
  /** The session in which the person agrees. */
  session: ProvedSession;
  client: RegisteredClient;
  request: GrantRequest;
  /** Where the request comes from. By default, from where the session was opened. */
  from?: Client;
}

/** Returns the allowance that these scopes amount to. Scopes that are not our own are those of the resource. */
export function allowanceOf({ scopes, resource }: Pick<GrantRequest, "scopes" | "resource">): Allowance {
  if (resource === null) return { scopes, resources: [], resourceScopes: [] };
  const others = scopes.filter((scope) => !OWN_SCOPES.includes(scope));
  return { scopes, resources: [resource], resourceScopes: others.map((scope) => resourceScope(resource, scope)) };
}

/**
 * Allows an app what it asks for, and makes a grant. The event, and an alert for what goes beyond a name and an
 * address, come only when the person allows something for the first time.
 *
 * @returns the authorization code, which a device has no use for. Only its hash is stored.
 * @throws {AppError} UNAUTHENTICATED when the session has ended or the account has been deleted; NOT_FOUND when the app
 * has been deleted.
 */
export async function createGrant(
  trx: Transaction<Database>,
  services: MailServices & Pick<Services, "config">,
  { user: { id: userId }, session, client, request, from }: Agreement,
): Promise<string> {
  const now = services.now();
  if (await lockUser(trx, userId) === null) throw new AppError("UNAUTHENTICATED", { reason: "account" });
  const opened = await lockSession(trx, { id: session.id, now });
  await holdClient(trx, client);
  const { scopes, resource, redirectUri, codeChallenge, nonce, device } = request;
  // A device does not know when the session ends in which the person has agreed.
  const isOffline = device !== undefined || isOfflineRequest(client, scopes);
  const consent = await addConsent(trx, { userId, clientId: client.id, ...allowanceOf(request), now });
  const code = createToken();
  await insertGrant(trx, {
    consentId: consent.id,
    userId,
    clientId: client.id,
    sessionId: session.id,
    isOffline,
    scopes,
    resource,
    redirectUri,
    codeHash: device?.codeHash ?? hashToken(code),
    codeExpiresAt: device?.codeExpiresAt,
    device,
    codeChallenge,
    nonce,
    ...authenticationContext(session),
    expiresAt: isOffline ? offlineEnd(services.config, { createdAt: now, now }) : null,
    now,
  });
  const isNews = consent.isNew || !isEmpty(consent.added);
  const by = from ?? opened;
  const details = { app: client.id, scopes };
  if (isNews) {
    await recordEvent(trx, { kind: "app.authorized", userId, client: by, sessionId: session.id, details }, now);
  }
  // People can be talked into typing a code, also for an app that they know.
  if (device !== undefined || (isNews && isWorthAnAlert(client, { consent, isOffline }))) {
    await sendAlert(trx, services, { kind: "app_authorized", userId, client: by, now, details: { app: client.name } });
  }
  return code;
}

/** Whether a grant of these scopes outlives the session. */
export function isOfflineRequest({ grantLifetime }: RegisteredClient, scopes: string[]): boolean {
  return grantLifetime === "offline" || scopes.includes(OFFLINE_ACCESS);
}

/** When an offline grant expires that was made and used at these times. */
export function offlineEnd(
  { grantTtlSeconds, grantMaxSeconds }: Pick<Services["config"], "grantTtlSeconds" | "grantMaxSeconds">,
  { createdAt, now }: { createdAt: Date; now: Date },
): Date {
  const [afterUse, last] = [secondsAfter(now, grantTtlSeconds), secondsAfter(createdAt, grantMaxSeconds)];
  return afterUse < last ? afterUse : last;
}

/** Keeps the session from ending until the transaction does: what ends it must find the grant. */
async function lockSession(trx: Transaction<Database>, { id, now }: { id: string; now: Date }): Promise<Client> {
  const row = await trx.selectFrom("sessions").select(["client_address", "user_agent"])
    .where("public_id", "=", id).where("expires_at", ">", now).forKeyShare().executeTakeFirst();
  if (row === undefined) throw new AppError("UNAUTHENTICATED", { reason: "session" });
  return { address: row.client_address ?? "", userAgent: row.user_agent };
}

/** Apps that learn no more than who someone is, while they are logged in, cause no alert. */
function isWorthAnAlert(
  { isFirstParty }: RegisteredClient,
  { consent: { isNew, added }, isOffline }: { consent: AddedConsent; isOffline: boolean },
): boolean {
  if (isFirstParty) return false;
  const isNewlyOffline = isOffline && (isNew || added.scopes.includes(OFFLINE_ACCESS));
  return isNewlyOffline || added.resourceScopes.length > 0 || added.scopes.some(isSensitiveScope);
}
