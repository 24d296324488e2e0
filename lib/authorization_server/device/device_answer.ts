import type { Principal } from "../../access/principal.ts";
import { recordEvent } from "../../activity/events.ts";
import { findClient } from "../../clients/registrations.ts";
import { DEVICE_GRANT, type RegisteredClient, type Resource } from "../../config/registered_client.ts";
import { MINUTE_SECONDS, SECOND_MS } from "../../duration.ts";
import { AppError } from "../../errors/errors.ts";
import { answerDeviceRequest, claimDeviceRequest, type DeviceRequest } from "../../grants/device_code.ts";
import { countUse, rateLimited } from "../../limits/rate_limit.ts";
import type { Services } from "../../services/services.ts";
import { lockUser } from "../../users/user_lock.ts";
import { authorizeUse } from "../authorize/authorization.ts";
import { createGrant } from "../grant.ts";

/** A request that a person has claimed, and the app that makes it. */
export interface ClaimedDevice extends Pick<DeviceRequest, "id" | "address" | "userAgent" | "createdAt" | "expiresAt"> {
  client: RegisteredClient;
  /** Only scopes that the client may still get. */
  scopes: string[];
  resource: Resource | null;
  /** How long ago the device asked. */
  minutesAgo: number;
}

/**
 * Finds the request of a code that a person types, and reserves it for them for the life of the code.
 *
 * @throws {AppError} INVALID_TOKEN for a code that is unknown, expired or answered, or claimed by someone else.
 */
export async function claimDevice(
  services: Services,
  { id: userId }: { id: string },
  userCode: string,
): Promise<ClaimedDevice> {
  const { config, db, now } = services;
  const request = await claimDeviceRequest(db, { userCode, userId, now: now() }, config);
  const client = request && await findClient(services, request.clientId);
  if (!client?.grantTypes.includes(DEVICE_GRANT)) throw new AppError("INVALID_TOKEN");
  const { scopes, resource: uri, ...facts } = request!;
  const resource = uri === null ? null : config.registrations!.resources.get(uri);
  if (resource === undefined || (uri !== null && !client.resources.includes(uri))) throw new AppError("INVALID_TOKEN");
  const minutesAgo = Math.floor((now().getTime() - facts.createdAt.getTime()) / (MINUTE_SECONDS * SECOND_MS));
  return { ...facts, client, scopes: scopes.filter((scope) => client.scopes.includes(scope)), resource, minutesAgo };
}

/**
 * Allows a device what it asks for. The caller has made sure that no other step comes first. The grant waits for the
 * device to fetch it.
 *
 * @throws {AppError} INVALID_TOKEN when it has been answered or has expired; RATE_LIMITED; UNAUTHENTICATED when the
 * session has ended in the meantime.
 */
export async function allowDevice(
  services: Services,
  { user, session, client: from }: Principal,
  { id, client, scopes, resource, address, userAgent, expiresAt }: ClaimedDevice,
): Promise<void> {
  const counted = await countUse(services, authorizeUse({ user, client }));
  if (counted?.isExceeded) throw rateLimited(counted);
  const device = { codeHash: id, codeExpiresAt: expiresAt, address, userAgent };
  const request = {
    scopes,
    resource: resource?.uri ?? null,
    redirectUri: null,
    codeChallenge: null,
    nonce: null,
    device,
  };
  await services.db.transaction().execute(async (trx) => {
    const now = services.now();
    // The user comes first, as in a deletion. Another answer at the same time is found before a grant is made.
    await lockUser(trx, user.id);
    await requireAnswered(answerDeviceRequest(trx, { id, userId: user.id, answer: "allowed", now }));
    await createGrant(trx, services, { user, session, client, request, from });
    const details = { app: client.id };
    await recordEvent(trx, {
      kind: "device.approved",
      userId: user.id,
      client: from,
      sessionId: session.id,
      details,
    }, now);
  });
}

/**
 * Refuses a device what it asks for.
 *
 * @throws {AppError} INVALID_TOKEN when it has been answered or has expired.
 */
export async function denyDevice(
  { db, now }: Pick<Services, "db" | "now">,
  { user }: Pick<Principal, "user">,
  { id }: Pick<ClaimedDevice, "id">,
): Promise<void> {
  await requireAnswered(answerDeviceRequest(db, { id, userId: user.id, answer: "denied", now: now() }));
}

async function requireAnswered(answering: Promise<boolean>): Promise<void> {
  if (!await answering) throw new AppError("INVALID_TOKEN");
}
