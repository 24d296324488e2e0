/** The queries on `submissions`, the table of idempotent actions. All times are those of the database. */
import { type Selectable, sql } from "kysely";
import type { SubmissionsTable } from "./tables.ts";
import { SECOND_MS, secondsAfter } from "../../duration.ts";
import type { Services } from "../../services/services.ts";
import type { RecordPlace } from "./record_place.ts";

/** How long a claim lasts after its owner last extended it. */
const CLAIM_SECONDS = 10;
/** Dates have milliseconds, while the database has microseconds. Also allows for clocks that run unevenly. */
const ROUNDING_SECONDS = 1;

/** The right to run an action. */
export interface Claim {
  /** By the clock of the database. */
  expiresAt: Date;
  /** By the monotonic clock of this process. */
  claimedAtMs: number;
}

/** Claims the action; returns null while another caller has claimed it or its record is kept. */
export async function claimKey(
  { db, databaseTime }: Services,
  { id, contentHash }: Pick<RecordPlace, "id" | "contentHash">,
): Promise<Claim | null> {
  const claimedAtMs = performance.now();
  const values = { outcome: null, content_hash: contentHash, expires_at: databaseTime(CLAIM_SECONDS) };
  const row = await db.insertInto("submissions").values({ id, ...values })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet(values).where(sql.ref<Date>("submissions.expires_at"), "<=", databaseTime())
    )
    .returning("expires_at").executeTakeFirst();
  return row === undefined ? null : { expiresAt: row.expires_at, claimedAtMs };
}

/** A claim or a record. The sealed outcome is null while the action runs. */
type SubmissionRow = Pick<Selectable<SubmissionsTable>, "outcome" | "content_hash">;

/** Returns the row of the action; undefined when no claim or record is valid. */
export function findRow({ db, databaseTime }: Services, id: string): Promise<SubmissionRow | undefined> {
  return db.selectFrom("submissions").select(["outcome", "content_hash"]).where("id", "=", id).where(
    "expires_at",
    ">",
    databaseTime(),
  )
    .executeTakeFirst();
}

/** Extends the claim of an action that is still running, so that only a dead process loses its claim. */
export async function extendClaim({ db, databaseTime }: Services, id: string): Promise<void> {
  await db.updateTable("submissions").set({ expires_at: databaseTime(CLAIM_SECONDS) })
    .where("id", "=", id).where("outcome", "is", null).execute();
}

/**
 * Gives up a claim, but keeps a newer one that another caller may have made since: it expires later than this one could
 * have been extended to.
 */
export async function dropClaim({ db }: Services, id: string, { expiresAt, claimedAtMs }: Claim): Promise<void> {
  const heldSeconds = (performance.now() - claimedAtMs) / SECOND_MS;
  const latestExpiry = secondsAfter(expiresAt, heldSeconds + ROUNDING_SECONDS);
  await db.deleteFrom("submissions").where("id", "=", id).where("expires_at", "<=", latestExpiry).execute();
}

/**
 * Stores the record of an action that has ended, in place of its claim.
 *
 * @returns false if there is no claim anymore: it lapsed, and another caller has run the action since.
 */
export async function storeRecord(
  { db, databaseTime }: Pick<Services, "db" | "databaseTime">,
  id: string,
  { sealed, keptSeconds }: { sealed: string; keptSeconds: number },
): Promise<boolean> {
  const values = { outcome: sealed, expires_at: databaseTime(keptSeconds) };
  const { numUpdatedRows } = await db.updateTable("submissions").set(values)
    .where("id", "=", id).where("outcome", "is", null).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes this record only: another caller may already be running the action again. */
export async function dropRecord({ db }: Services, id: string, sealed: string): Promise<void> {
  await db.deleteFrom("submissions").where("id", "=", id).where("outcome", "=", sealed).execute();
}
