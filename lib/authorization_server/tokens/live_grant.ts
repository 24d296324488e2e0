import type { Expression } from "kysely";
import { type Placeholders, prepare } from "../../../db/prepared_query.ts";
import type { Db } from "../../../db/schema.ts";
import { isSecondFactorOverdue } from "../../access/second_factor_duty.ts";
import { SIGNING_KEY_IDS } from "../../access/signing_keys.ts";
import { admits, groupNamesAt } from "../../groups/membership.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import type { Services } from "../../services/services.ts";
import { type User, USER_COLUMNS, userOfRow } from "../../users/user_row.ts";

/** A grant, its person, and what decides whether it still counts. */
export interface FoundGrant {
  id: string;
  consentId: string;
  clientId: string;
  /** The public id of the session in which the person agreed. */
  sessionId: string;
  isOffline: boolean;
  scopes: string[];
  resource: string | null;
  /** Null for a device. */
  redirectUri: string | null;
  codeChallenge: string | null;
  nonce: string | null;
  codeExpiresAt: Date;
  codeSpentAt: Date | null;
  authTime: Date;
  acr: string;
  amr: string[];
  /** Sealed. */
  refreshKey: string | null;
  generation: number;
  generationAt: Date;
  createdAt: Date;
  /** When the grant expires: by itself, or with its session. Null if the session has ended. */
  expiresAt: Date | null;
  consentUsedAt: Date;
  user: User;
  /** When the profile was last changed. */
  userUpdatedAt: Date;
  isSuspended: boolean;
  /** The names of the groups that the person is in, in their order. */
  groups: string[];
  /** For {@linkcode getSigningKeys}. */
  signingKeyIds: string[];
}

function grantQuery(db: Db, now: Expression<Date>) {
  return db.selectFrom("grants").innerJoin("users", "users.id", "grants.user_id")
    .innerJoin("consents", "consents.id", "grants.consent_id")
    .leftJoin("sessions", "sessions.public_id", "grants.session_public_id")
    .select(USER_COLUMNS.map((column) => `users.${column}` as const))
    .select(["users.suspended_at", "users.updated_at", "consents.last_used_at as consent_used_at"])
    .select(["grants.id as grant_id", "grants.consent_id", "grants.client_id", "grants.session_public_id"])
    .select(["grants.is_offline", "grants.scopes", "grants.resource", "grants.redirect_uri", "grants.code_challenge"])
    .select(["grants.nonce", "grants.code_expires_at", "grants.code_spent_at", "grants.auth_time", "grants.acr"])
    .select(["grants.amr", "grants.refresh_key", "grants.generation", "grants.generation_at"])
    .select(["grants.created_at as granted_at", "grants.expires_at", "sessions.expires_at as session_expires_at"])
    .select([SIGNING_KEY_IDS.as("signing_key_ids"), groupNamesAt(now).as("group_names")]);
}

const selectById = prepare((db, { id, now }: Placeholders<{ id: string; now: Date }>) =>
  grantQuery(db, now).where("grants.id", "=", id)
);
const selectByCode = prepare((db, { codeHash, now }: Placeholders<{ codeHash: string; now: Date }>) =>
  grantQuery(db, now).where("grants.code_hash", "=", codeHash)
);

type UsedServices = Pick<Services, "config" | "db" | "now" | "objects">;

/** Finds a grant, or null if it has ended. */
export async function findGrant(services: UsedServices, id: string): Promise<FoundGrant | null> {
  return grantOfRow((await selectById(services.db, { id, now: services.now() })).at(0), services);
}

/** Finds the grant of a code, or null. */
export async function findGrantOfCode(services: UsedServices, codeHash: string): Promise<FoundGrant | null> {
  return grantOfRow((await selectByCode(services.db, { codeHash, now: services.now() })).at(0), services);
}

/**
 * Whether a grant counts now: it has not expired, nor has its session, and its person may log in and use the app. An
 * operator may have changed that in the database alone. While its person must set up a second factor, it does not.
 */
export async function isAlive(
  grant: FoundGrant,
  { client, ...services }: UsedServices & { client: RegisteredClient },
): Promise<boolean> {
  return mayBeUsed(grant, client, services) && !await isSecondFactorOverdue(services, grant.user);
}

function mayBeUsed(
  { expiresAt, isSuspended, user, resource, groups, acr }: FoundGrant,
  client: RegisteredClient,
  { config, now }: UsedServices,
): boolean {
  const places = [client, config.registrations!.resources.get(resource ?? "")];
  return expiresAt !== null && expiresAt > now() && !isSuspended && user.deletionDueAt === null &&
    (!client.requiresSecondFactor || acr === "2") &&
    places.every((place) => place === undefined || admits(place, groups));
}

type GrantRow = Awaited<ReturnType<typeof selectById>>[number];

function grantOfRow(row: GrantRow | undefined, services: UsedServices): FoundGrant | null {
  if (row === undefined) return null;
  return {
    id: row.grant_id,
    consentId: row.consent_id,
    clientId: row.client_id,
    sessionId: row.session_public_id,
    isOffline: row.is_offline,
    scopes: row.scopes,
    resource: row.resource,
    redirectUri: row.redirect_uri,
    codeChallenge: row.code_challenge,
    nonce: row.nonce,
    codeExpiresAt: row.code_expires_at,
    codeSpentAt: row.code_spent_at,
    authTime: row.auth_time,
    acr: row.acr,
    amr: row.amr,
    refreshKey: row.refresh_key,
    generation: row.generation,
    generationAt: row.generation_at,
    createdAt: row.granted_at,
    expiresAt: row.is_offline ? row.expires_at : row.session_expires_at,
    consentUsedAt: row.consent_used_at,
    user: userOfRow(row, services),
    userUpdatedAt: row.updated_at,
    isSuspended: row.suspended_at !== null,
    groups: row.group_names,
    signingKeyIds: row.signing_key_ids,
  };
}
