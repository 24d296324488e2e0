import type { Transaction } from "kysely";
import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Database } from "../../db/schema.ts";
import type { Actor } from "../activity/events.ts";
import { AppError } from "../errors/errors.ts";
import {
  ADDRESS_COLUMNS,
  type AddressRow,
  CREDENTIALS_COLUMNS,
  type CredentialsRow,
  type FullUserRow,
  USER_COLUMNS,
} from "./user_row.ts";

const selectLockedCredentials = prepare((db, { id }: Placeholders<{ id: string }>) =>
  db.selectFrom("users").select(CREDENTIALS_COLUMNS).where("id", "=", id).forNoKeyUpdate()
);

/**
 * Locks the user's row until the transaction ends, and returns it with the password hash. A transaction that changes
 * several rows of a user takes this lock first. Otherwise two of them could deadlock, and a password could change
 * during a login. Only the end of the sessions that a browser presents needs no lock: they may belong to other users.
 * The lock does not block inserts that refer to the user, such as the events of these sessions.
 *
 * @returns null when there is no such user.
 */
export async function lockCredentials(trx: Transaction<Database>, id: string): Promise<CredentialsRow | null> {
  return (await selectLockedCredentials(trx, { id })).at(0) ?? null;
}

/** Locks the user's row like {@linkcode lockCredentials}, without the password hash. */
export async function lockUser(trx: Transaction<Database>, id: string): Promise<FullUserRow | null> {
  return await trx.selectFrom("users").select(USER_COLUMNS).where("id", "=", id).forNoKeyUpdate()
    .executeTakeFirst() ?? null;
}

/**
 * Begins an act of an operator on an account: locks its row like {@linkcode lockCredentials}, and that of the admin who
 * acts. Rows are locked in the order of their ids, so two admins who act on each other do not deadlock. The second one
 * finds that they are no admin any longer.
 *
 * @throws {AppError} NOT_FOUND when a user acts who is not an admin now.
 */
export async function lockForAct(
  trx: Transaction<Database>,
  { userId, by: { actorId = null } }: { userId: string; by: Actor },
): Promise<void> {
  const ids = actorId === null ? [userId] : [userId, actorId];
  const rows = await trx.selectFrom("users").select(["id", "role", "suspended_at", "deletion_due_at"])
    .where("id", "in", ids).orderBy("id").forNoKeyUpdate().execute();
  if (actorId === null) return;
  const actor = rows.find(({ id }) => id === actorId);
  const isAdmin = actor?.role === "admin" && actor.suspended_at === null && actor.deletion_due_at === null;
  if (!isAdmin) throw new AppError("NOT_FOUND", { reason: "page" });
}

/**
 * Begins an act that all admins hear of: locks their rows, in the order of their ids.
 *
 * @returns the ids.
 * @throws {AppError} NOT_FOUND when a user acts who is not an admin now.
 */
export async function lockAdmins(trx: Transaction<Database>, { actorId = null }: Actor): Promise<string[]> {
  const rows = await trx.selectFrom("users").select("id").where("role", "=", "admin").where("suspended_at", "is", null)
    .where("deletion_due_at", "is", null).orderBy("id").forNoKeyUpdate().execute();
  const ids = rows.map(({ id }) => id);
  if (actorId !== null && !ids.includes(actorId)) throw new AppError("NOT_FOUND", { reason: "page" });
  return ids;
}

/** Locks the user's row like {@linkcode lockCredentials}, by email address and without the password hash. */
export async function lockUserByEmail(trx: Transaction<Database>, email: string): Promise<AddressRow | null> {
  return await trx.selectFrom("users").select(ADDRESS_COLUMNS).where("email", "=", email).forNoKeyUpdate()
    .executeTakeFirst() ?? null;
}
