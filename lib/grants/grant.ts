import type { Transaction } from "kysely";
import { sql } from "kysely";
import { v7 } from "uuid";
import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Database, Db } from "../../db/schema.ts";
import { MINUTE_SECONDS, secondsAfter } from "../duration.ts";

/** How long a code works. */
export const CODE_SECONDS = MINUTE_SECONDS;

/** A grant to make. */
export interface NewGrant {
  consentId: string;
  userId: string;
  clientId: string;
  /** The public id of the session in which the person agreed. */
  sessionId: string;
  isOffline: boolean;
  scopes: string[];
  resource: string | null;
  /** Null for a device. */
  redirectUri: string | null;
  codeHash: string;
  /** When the code expires, if it is that of a device. */
  codeExpiresAt?: Date;
  codeChallenge: string | null;
  nonce: string | null;
  authTime: Date;
  acr: string;
  amr: string[];
  /** When an offline grant expires without a refresh; null for a grant that ends with the session. */
  expiresAt: Date | null;
  /** The address of the device that asked, and what it says it is. */
  device?: { address: string; userAgent: string | null };
  now: Date;
}

/** Inserts a grant whose code waits for its exchange. */
export async function insertGrant(trx: Transaction<Database>, grant: NewGrant): Promise<string> {
  const { now } = grant;
  const id = v7({ msecs: now.getTime() });
  await trx.insertInto("grants").values({
    id,
    consent_id: grant.consentId,
    user_id: grant.userId,
    client_id: grant.clientId,
    session_public_id: grant.sessionId,
    is_offline: grant.isOffline,
    scopes: grant.scopes,
    resource: grant.resource,
    redirect_uri: grant.redirectUri,
    code_hash: grant.codeHash,
    code_challenge: grant.codeChallenge,
    nonce: grant.nonce,
    code_expires_at: grant.codeExpiresAt ?? secondsAfter(now, CODE_SECONDS),
    auth_time: grant.authTime,
    acr: grant.acr,
    amr: grant.amr,
    generation_at: now,
    created_at: now,
    last_used_at: now,
    expires_at: grant.expiresAt,
    device_address: grant.device?.address,
    device_agent: grant.device?.userAgent,
  }).execute();
  return id;
}

/** A code that is exchanged. */
export interface SpentCode {
  /** The id of the grant. */
  id: string;
  /** The sealed key of the refresh tokens; null if the app gets none. */
  refreshKey: string | null;
  now: Date;
}

const updateSpent = prepare(
  (db, { id, refreshKey, now }: Placeholders<SpentCode>) =>
    db.updateTable("grants")
      .set({ code_spent_at: now, refresh_key: refreshKey, generation_at: now, last_used_at: now })
      .where("id", "=", id).where("code_spent_at", "is", null).returning("id"),
);

/** Spends the code of a grant. Of several concurrent calls, exactly one returns true. */
export async function spendCode(db: Db, values: SpentCode): Promise<boolean> {
  return (await updateSpent(db, values)).length === 1;
}

/** Ends a grant whose code was presented wrongly, unless the code has been exchanged meanwhile. */
export async function dropUnspent(db: Db, id: string): Promise<void> {
  await db.deleteFrom("grants").where("id", "=", id).where("code_spent_at", "is", null).execute();
}

/** A move of a grant to its next refresh token. */
interface Move {
  id: string;
  /** The number of the token that is presented. */
  generation: number;
  /** When an offline grant expires without another refresh. */
  expiresAt: Date | null;
  now: Date;
}

const updateGeneration = prepare((db, { id, generation, expiresAt, now }: Placeholders<Move>) =>
  db.updateTable("grants")
    .set((eb) => ({
      generation: eb("generation", "+", 1),
      generation_at: now,
      last_used_at: now,
      expires_at: sql<Date | null>`${expiresAt}::timestamptz`,
    }))
    .where("id", "=", id).where("generation", "=", generation).returning("id")
);

/** Moves a grant to its next refresh token. Of several concurrent calls, exactly one returns true. */
export async function moveGeneration(db: Db, values: Move): Promise<boolean> {
  return (await updateGeneration(db, values)).length === 1;
}

/** Whether the grant has not ended. */
export async function hasGrant(db: Db, { id, now }: { id: string; now: Date }): Promise<boolean> {
  const row = await db.selectFrom("grants").select("id").where("id", "=", id)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", now)])).executeTakeFirst();
  return row !== undefined;
}

/** Finds the number of the refresh token of a grant that is valid, and since when. Null if the grant has ended. */
export async function findGeneration(db: Db, id: string): Promise<{ generation: number; since: Date } | null> {
  const row = await db.selectFrom("grants").select(["generation", "generation_at"]).where("id", "=", id)
    .executeTakeFirst();
  return row === undefined ? null : { generation: row.generation, since: row.generation_at };
}
