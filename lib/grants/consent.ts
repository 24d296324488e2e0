import type { Transaction } from "kysely";
import { v7 } from "uuid";
import type { Database, Db } from "../../db/schema.ts";
import { MINUTE_SECONDS, secondsAfter } from "../duration.ts";
import { endGrantsOfConsent } from "./grant_end.ts";

/** How often a consent records that its app is in use. */
const USED_INTERVAL_SECONDS = 5 * MINUTE_SECONDS;

/** What a person has allowed an app. */
export interface Consent {
  id: string;
  scopes: string[];
  resources: string[];
  createdAt: Date;
}

/** What a person allows an app now. */
export interface NewConsent {
  userId: string;
  clientId: string;
  scopes: string[];
  resources: string[];
  now: Date;
}

/** The consent of a person and an app after an agreement, and what is new in it. */
export interface AddedConsent {
  id: string;
  isNew: boolean;
  addedScopes: string[];
  addedResources: string[];
}

/** Finds what a person has allowed an app, or null. */
export async function findConsentOf(
  db: Db,
  { userId, clientId }: { userId: string; clientId: string },
): Promise<Consent | null> {
  const row = await db.selectFrom("consents").select(["id", "scopes", "resources", "created_at"])
    .where("user_id", "=", userId).where("client_id", "=", clientId).executeTakeFirst();
  if (row === undefined) return null;
  const { created_at: createdAt, ...consent } = row;
  return { ...consent, createdAt };
}

/** Adds to what a person has allowed an app. Nothing is taken away. The caller holds the user's lock. */
export async function addConsent(
  trx: Transaction<Database>,
  { userId, clientId, scopes, resources, now }: NewConsent,
): Promise<AddedConsent> {
  const known = await findConsentOf(trx, { userId, clientId });
  if (known === null) {
    const id = v7({ msecs: now.getTime() });
    await trx.insertInto("consents").values({
      id,
      user_id: userId,
      client_id: clientId,
      scopes,
      resources,
      created_at: now,
      last_used_at: now,
    }).execute();
    return { id, isNew: true, addedScopes: scopes, addedResources: resources };
  }
  const addedScopes = scopes.filter((scope) => !known.scopes.includes(scope));
  const addedResources = resources.filter((resource) => !known.resources.includes(resource));
  await trx.updateTable("consents").set({
    scopes: [...known.scopes, ...addedScopes],
    resources: [...known.resources, ...addedResources],
    last_used_at: now,
  }).where("id", "=", known.id).execute();
  return { id: known.id, isNew: false, addedScopes, addedResources };
}

/** Whether a consent is due to record that its app is in use. */
export function isConsentUseDue(lastUsedAt: Date, now: Date): boolean {
  return secondsAfter(lastUsedAt, USED_INTERVAL_SECONDS) <= now;
}

/** Records that an app is in use. Of concurrent requests, one writes. */
export async function markConsentUsed(db: Db, { id, now }: { id: string; now: Date }): Promise<void> {
  await db.updateTable("consents").set({ last_used_at: now }).where("id", "=", id)
    .where("last_used_at", "<=", secondsAfter(now, -USED_INTERVAL_SECONDS)).execute();
}

/** Removes a consent with its grants. Grants come first, as a refresh locks them. Returns the id of the app, or null. */
export async function removeConsent(
  trx: Transaction<Database>,
  { id, userId, now }: { id: string; userId: string; now: Date },
): Promise<string | null> {
  await endGrantsOfConsent(trx, { id, userId }, now);
  const removed = await trx.deleteFrom("consents").where("id", "=", id).where("user_id", "=", userId)
    .returning("client_id").executeTakeFirst();
  return removed?.client_id ?? null;
}

/** Removes the consents that a user has given since an act. The caller has ended all grants. */
export async function removeConsentsSince(
  trx: Transaction<Database>,
  { userId, since }: { userId: string; since: Date },
): Promise<void> {
  await trx.deleteFrom("consents").where("user_id", "=", userId).where("created_at", ">=", since).execute();
}
