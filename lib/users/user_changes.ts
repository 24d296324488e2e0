import type { Transaction, Updateable } from "kysely";
import { isLastAdmin } from "../../db/database_errors.ts";
import type { Database, DatabaseTime, Db } from "../../db/schema.ts";
import type { UsersTable } from "./tables.ts";
import { selectedOnce } from "../../db/selected_once.ts";
import type { Config } from "../config/config.ts";
import { AppError } from "../errors/errors.ts";
import type { ProfileTextName } from "../schemas/profile_rules.ts";
import { type FullUserRow, USER_COLUMNS } from "./user_row.ts";

/** The columns of a user that other rooms change. An address has a function of its own, `changeAddress`. */
export type UserChanges = Pick<
  Updateable<UsersTable>,
  | ProfileTextName
  | "avatar"
  | "language"
  | "registration_language"
  | "email_visible"
  | "password_hash"
  | "email_verified"
  | "provider"
  | "idp_id"
  | "idp_linked_at"
  | "deletion_due_at"
  | "role"
  | "suspended_at"
  | "suspension_reason"
>;

/**
 * Changes the row of a user, which the caller has locked, and returns it.
 *
 * @throws {AppError} LAST_ADMIN when no admin would be left.
 */
export async function updateUser(
  trx: Transaction<Database>,
  { id, now }: { id: string; now: Date },
  changes: UserChanges,
): Promise<FullUserRow> {
  return await keepingAnAdmin(() =>
    trx.updateTable("users").set({ ...changes, updated_at: now }).where("id", "=", id)
      .returning(USER_COLUMNS).executeTakeFirstOrThrow()
  );
}

/** Runs a statement that may remove an admin. The database refuses to remove the last one. */
async function keepingAnAdmin<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw isLastAdmin(error) ? new AppError("LAST_ADMIN") : error;
  }
}

/**
 * Deletes the row of a user, and with it what the database deletes by cascade.
 *
 * @throws {AppError} LAST_ADMIN.
 */
export async function deleteUserRow(trx: Transaction<Database>, id: string): Promise<void> {
  await keepingAnAdmin(() => trx.deleteFrom("users").where("id", "=", id).execute());
}

/** Stores the same password with another hash. Nothing has changed for the user. */
export async function replacePasswordHash(
  trx: Transaction<Database>,
  { id, passwordHash }: { id: string; passwordHash: string },
): Promise<void> {
  await trx.updateTable("users").set({ password_hash: passwordHash }).where("id", "=", id).execute();
}

/** Records that a person uses a session. Only lists show it, so it is no change of the account. */
export async function recordSeen(db: Db, { id, now }: { id: string; now: Date }): Promise<void> {
  await db.updateTable("users").set({ last_seen_at: now }).where("id", "=", id).execute();
}

/**
 * Stores by when a person must have a second factor, unless an earlier date is stored.
 *
 * @returns whether it is the first date of the person.
 */
export async function setSecondFactorDue(db: Db, { id, dueAt }: { id: string; dueAt: Date }): Promise<boolean> {
  const update = db.updateTable("users").set({ second_factor_due_at: dueAt }).where("id", "=", id);
  const { numUpdatedRows } = await update.where("second_factor_due_at", "is", null).executeTakeFirst();
  if (numUpdatedRows > 0n) return true;
  await update.where("second_factor_due_at", ">", dueAt).execute();
  return false;
}

/** Stores until when a person has more time to set up a second factor; null for no more. They hear of the new date. */
export async function extendSecondFactorTime(db: Db, { id, until }: { id: string; until: Date | null }): Promise<void> {
  await db.updateTable("users").set({ second_factor_extended_until: until, second_factor_announced_at: null })
    .where("id", "=", id).execute();
}

/** Returns the people whose date for a second factor comes, and notes that they have been told. */
export async function claimSecondFactorDates(
  trx: Transaction<Database>,
  { until, now, limit }: { until: ReturnType<DatabaseTime>; now: Date; limit: number },
) {
  const due = trx.selectFrom("users").select("id").where("second_factor_due_at", "<=", until)
    .where((eb) =>
      eb.or([eb("second_factor_extended_until", "is", null), eb("second_factor_extended_until", "<=", until)])
    )
    .where("second_factor_announced_at", "is", null).orderBy("second_factor_due_at").limit(limit)
    .forUpdate().skipLocked();
  return await trx.updateTable("users").set({ second_factor_announced_at: now }).where("id", "=", selectedOnce(due))
    .returning(["id", "email", "role", "email_verified", "suspended_at", "deletion_due_at"])
    .execute();
}

/**
 * Keeps an account whose deletion is due at `firstDueAt` or later, unless the deletion has begun. Returns whether there
 * was one to keep.
 */
export async function keepAccount(
  trx: Transaction<Database>,
  { id, firstDueAt, now }: { id: string; firstDueAt: Date; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await trx.updateTable("users").set({ deletion_due_at: null, updated_at: now })
    .where("id", "=", id).where("deletion_due_at", ">=", firstDueAt).where("deletion_lease_ends_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** When accounts that were never confirmed are deleted. */
export interface UnconfirmedAge extends Pick<Config, "unverifiedKeptSeconds" | "invitationTtlSeconds"> {}

/**
 * Makes the deletion of accounts due that were never confirmed, if they are old enough. An account without a password
 * is an invitation, which also lives as long as its link.
 */
export async function expireUnconfirmed(
  trx: Transaction<Database>,
  { unverifiedKeptSeconds, invitationTtlSeconds }: UnconfirmedAge,
  { databaseTime, limit }: { databaseTime: DatabaseTime; limit: number },
): Promise<void> {
  if (unverifiedKeptSeconds === 0) return;
  // An operator has made an admin on purpose, perhaps before they accept their invitation.
  const old = trx.selectFrom("users").select("id").where("email_verified", "=", false)
    .where("role", "=", "user").where("deletion_due_at", "is", null).where(
      "created_at",
      "<=",
      databaseTime(-unverifiedKeptSeconds),
    )
    .where((where) =>
      where.or([
        where("password_hash", "is not", null),
        where("created_at", "<=", databaseTime(-invitationTtlSeconds)),
      ])
    )
    .orderBy("created_at").limit(limit).forNoKeyUpdate().skipLocked();
  await trx.updateTable("users").set({ deletion_due_at: databaseTime() }).where("id", "=", selectedOnce(old)).execute();
}

/** Leases closed accounts whose deletion is due, and returns their ids. From then on, they can no longer be kept. */
export async function leaseDueAccounts(
  trx: Transaction<Database>,
  { databaseTime, seconds, limit }: { databaseTime: DatabaseTime; seconds: number; limit: number },
): Promise<string[]> {
  const due = trx.selectFrom("users").select("id").where("deletion_due_at", "<=", databaseTime())
    .where((where) =>
      where.or([where("deletion_lease_ends_at", "is", null), where("deletion_lease_ends_at", "<=", databaseTime())])
    )
    .orderBy("deletion_due_at").limit(limit).forNoKeyUpdate().skipLocked();
  const leased = await trx.updateTable("users").set({ deletion_lease_ends_at: databaseTime(seconds) })
    .where("id", "=", selectedOnce(due)).returning("id").execute();
  return leased.map(({ id }) => id);
}

/**
 * Leases one account for its deletion, as {@linkcode leaseDueAccounts} does, whether or not it is closing.
 *
 * @throws {AppError} LAST_ADMIN.
 */
export async function leaseAccount(
  trx: Transaction<Database>,
  { id, databaseTime, seconds }: { id: string; databaseTime: DatabaseTime; seconds: number },
): Promise<void> {
  const lease = { deletion_due_at: databaseTime(), deletion_lease_ends_at: databaseTime(seconds) };
  await keepingAnAdmin(() => trx.updateTable("users").set(lease).where("id", "=", id).execute());
}

/** Empties the avatar of a user if it is this one. */
export async function removeAvatar(
  db: Db,
  { id, avatar, now }: { id: string; avatar: string; now: Date },
): Promise<void> {
  await db.updateTable("users").set({ avatar: null, updated_at: now }).where("id", "=", id).where("avatar", "=", avatar)
    .execute();
}
