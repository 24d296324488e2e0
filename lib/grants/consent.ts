import type { Transaction } from "kysely";
import { v7 } from "uuid";
import type { Database, Db } from "../../db/schema.ts";
import { MINUTE_SECONDS, secondsAfter } from "../duration.ts";
import { endGrantsOfConsent } from "./grant_end.ts";

/** How often a consent records that its app is in use. */
const USED_INTERVAL_SECONDS = 5 * MINUTE_SECONDS;

/** What a person allows an app. */
export interface Allowance {
  /** All scopes. */
  scopes: string[];
  /** The resources that it may use, as URIs. */
  resources: string[];
  /** The scopes of resources, each with its resource. */
  resourceScopes: string[];
}

/** What a person allows an app now. */
export interface NewConsent extends Allowance {
  userId: string;
  clientId: string;
  now: Date;
}

/** The consent of a person and an app after an agreement, and what is new in it. */
export interface AddedConsent {
  id: string;
  isNew: boolean;
  added: Allowance;
}

/** A resource, and its scopes that a person allows an app. */
export interface AllowedResource {
  resource: string;
  scopes: string[];
}

/** A scope of a resource as consents store it. A URI has no space. */
export function resourceScope(resource: string, scope: string): string {
  return `${resource} ${scope}`;
}

/** Returns the resources that a person has allowed an app, each with the scopes recorded for it. */
export function allowedResources({ resources, resourceScopes }: Omit<Allowance, "scopes">): AllowedResource[] {
  return resources.map((resource) => {
    const start = resourceScope(resource, "");
    const scopes = resourceScopes.filter((each) => each.startsWith(start)).map((each) => each.slice(start.length));
    return { resource, scopes };
  });
}

/** Returns the part of an allowance that goes beyond another one. */
export function addedTo(known: Allowance, { scopes, resources, resourceScopes }: Allowance): Allowance {
  return {
    scopes: scopes.filter((each) => !known.scopes.includes(each)),
    resources: resources.filter((each) => !known.resources.includes(each)),
    resourceScopes: resourceScopes.filter((each) => !known.resourceScopes.includes(each)),
  };
}

/** Whether a person has allowed nothing. */
export function isEmpty({ scopes, resources, resourceScopes }: Allowance): boolean {
  return scopes.length + resources.length + resourceScopes.length === 0;
}

/** Finds what a person has allowed an app, or null. */
export async function findConsent(
  db: Db,
  { userId, clientId }: { userId: string; clientId: string },
): Promise<Allowance & { id: string } | null> {
  const row = await db.selectFrom("consents").select(["id", "scopes", "resources", "resource_scopes"])
    .where("user_id", "=", userId).where("client_id", "=", clientId).executeTakeFirst();
  return row === undefined ? null : { ...row, resourceScopes: row.resource_scopes };
}

/** Adds to what a person has allowed an app. Nothing is taken away. The caller holds the user's lock. */
export async function addConsent(
  trx: Transaction<Database>,
  { userId, clientId, now, ...allowance }: NewConsent,
): Promise<AddedConsent> {
  const known = await findConsent(trx, { userId, clientId });
  if (known === null) {
    const id = v7({ msecs: now.getTime() });
    await trx.insertInto("consents").values({
      id,
      user_id: userId,
      client_id: clientId,
      scopes: allowance.scopes,
      resources: allowance.resources,
      resource_scopes: allowance.resourceScopes,
      created_at: now,
      last_used_at: now,
    }).execute();
    return { id, isNew: true, added: allowance };
  }
  const added = addedTo(known, allowance);
  await trx.updateTable("consents").set({
    scopes: [...known.scopes, ...added.scopes],
    resources: [...known.resources, ...added.resources],
    resource_scopes: [...known.resourceScopes, ...added.resourceScopes],
    last_used_at: now,
  }).where("id", "=", known.id).execute();
  return { id: known.id, isNew: false, added };
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

/**
 * Removes a consent with its grants. Grants come first, as a refresh locks them. Returns the id of the app, or null.
 */
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
