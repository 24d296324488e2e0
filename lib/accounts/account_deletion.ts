import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import type { EventDetails } from "../activity/tables.ts";
import { mailLanguage, sendEmail } from "../mail/links/send_email.ts";
import { endAccess } from "../access/access_end.ts";
import { rememberDeletion } from "../users/deleted_account.ts";
import type { AddressRow } from "../users/user_row.ts";
import { deleteUserRow, expireUnconfirmed, leaseAccount, leaseDueAccounts } from "../users/user_changes.ts";
import { lockForAct, lockUser } from "../users/user_lock.ts";
import { type Actor, anonymizeEvents, recordEvent } from "../activity/events.ts";
import { MINUTE_SECONDS } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { errorFields } from "../log/log.ts";
import { clientsOfUser } from "../limits/counted_clients.ts";
import { forgetRequests } from "../limits/request_window.ts";
import { forgetRecipient } from "../mail/mail_limits.ts";
import { cancelMails } from "../mail/outbox.ts";
import type { Services } from "../services/services.ts";
import { deleteUploadsOf } from "../uploads/library.ts";

/** How long an account is leased to the instance that deletes it. After a failure, the next attempt follows then. */
const LEASE_SECONDS = 5 * MINUTE_SECONDS;
/** Accounts that one instance leases at a time. */
const BATCH_ACCOUNTS = 10;

/**
 * Deletes the closed accounts that are due, and those that were never confirmed: first the objects, then the row. Any
 * number of instances may do this at once, because each account is leased to one of them. From the lease on, the
 * account can no longer be kept.
 *
 * @returns the number of accounts leased.
 */
export async function deleteDueAccounts(services: Services): Promise<number> {
  const ids = await services.db.transaction().execute((trx) => leaseAccounts(trx, services));
  for (const id of ids) {
    try {
      await deleteAccount(services, id);
    } catch (error) {
      // Without the id: log lines outlive the account.
      services.log("error", "account not deleted, will retry", errorFields(error));
    }
  }
  return ids.length;
}

async function leaseAccounts(trx: Transaction<Database>, { databaseTime, now, config }: Services): Promise<string[]> {
  await expireUnconfirmed(trx, config, { databaseTime, limit: BATCH_ACCOUNTS });
  const ids = await leaseDueAccounts(trx, { databaseTime, seconds: LEASE_SECONDS, limit: BATCH_ACCOUNTS });
  for (const userId of ids) {
    await endAccess(trx, { userId }, { reason: "account_deleted", client: null, now: now() });
  }
  return ids;
}

/**
 * Deletes an account at once, on behalf of someone else. If the store fails, the account is due, and is deleted later.
 *
 * @throws {AppError} NOT_FOUND, also when a user acts who is not an admin now; LAST_ADMIN.
 */
export async function deleteAccountNow(
  services: Services,
  { userId, ...act }: Removal & { userId: string },
): Promise<void> {
  const { by } = act;
  const { db, databaseTime, now } = services;
  await db.transaction().execute(async (trx) => {
    await lockForAct(trx, { userId, by });
    if (await lockUser(trx, userId) === null) throw new AppError("NOT_FOUND", { reason: "user" });
    await leaseAccount(trx, { id: userId, databaseTime, seconds: LEASE_SECONDS });
    await endAccess(trx, { userId }, { reason: "account_deleted", client: null, by, now: now() });
  });
  await deleteAccount(services, userId, act);
}

/** Who deletes the account of someone else, and why. */
interface Removal {
  by: Actor;
  reason: string;
}

/** Does nothing more if another instance has deleted the account meanwhile. */
async function deleteAccount(services: Services, id: string, removal?: Removal): Promise<void> {
  await deleteUploadsOf(services, id);
  await services.db.transaction().execute(async (trx) => {
    const user = await trx.selectFrom("users").select(["id", "email", "email_verified"]).where("id", "=", id)
      .forUpdate()
      .executeTakeFirst();
    if (user === undefined) return;
    const language = await mailLanguage(trx, services, id);
    const { by, reason } = removal ?? {};
    const kind = by === undefined && await hasClosedItself(trx, id) ? "deletion" : "deleted_by_operator";
    await deleteUser(trx, user, services.now(), by && { by: await actorStillThere(trx, by), reason });
    // An address that was never confirmed may be that of someone who never registered.
    // And its counts stay, so that registering it again does not send it more emails.
    if (!user.email_verified) return;
    await forgetRecipient(trx, user.email);
    await sendEmail(trx, services, { kind, user: { email: user.email }, language });
  });
}

/** Whether it was the owner who closed the account. */
async function hasClosedItself(trx: Transaction<Database>, userId: string): Promise<boolean> {
  const last = await trx.selectFrom("events").select(["kind", "actor_id"]).where("user_id", "=", userId)
    .where("kind", "in", ["account.closing", "account.kept"]).orderBy("id", "desc").executeTakeFirst();
  return last?.kind === "account.closing" && last.actor_id === userId;
}

/** The admin may have been deleted while the files were. */
async function actorStillThere(trx: Transaction<Database>, by: Actor): Promise<Actor> {
  const { actorId = null } = by;
  if (actorId === null) return by;
  const actor = await trx.selectFrom("users").select("id").where("id", "=", actorId).forKeyShare().executeTakeFirst();
  return actor === undefined ? { actorId: null, client: null } : by;
}

/**
 * Deletes a user and the rows that identify them. Their events remain, anonymous. Their uploads lose their owner, and
 * the sweep deletes them. Cancels their queued emails, because these rows outlive their user. The lock keeps other
 * transactions from adding events.
 *
 * @throws {AppError} LAST_ADMIN.
 */
export async function deleteUser(
  trx: Transaction<Database>,
  { id, email }: Pick<AddressRow, "id" | "email">,
  now: Date,
  { by = { actorId: null, client: null }, reason }: { by?: Actor; reason?: string } = {},
): Promise<void> {
  await trx.selectFrom("users").select("id").where("id", "=", id).forUpdate().execute();
  await cancelMails(trx, { userId: id });
  const details: EventDetails = reason === undefined ? {} : { reason };
  await recordEvent(trx, { kind: "user.deleted", userId: id, ...by, details }, now);
  await anonymizeEvents(trx, id);
  await forgetRequests(trx, clientsOfUser({ id, email }));
  await deleteUserRow(trx, id);
  await rememberDeletion(trx, id, now);
}
