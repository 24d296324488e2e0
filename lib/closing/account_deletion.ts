import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { sendEmail } from "../links/send_email.ts";
import { endAccess } from "../access/access_end.ts";
import { deleteUser } from "../users/user.ts";
import { expireUnconfirmed, leaseDueAccounts } from "../users/user_changes.ts";
import { MINUTE_SECONDS } from "../duration.ts";
import { errorFields } from "../log.ts";
import type { Services } from "../services.ts";
import { deleteUploadsOf } from "../uploads/library.ts";

/** How long an account is leased to the instance that deletes it. After a failure, the next attempt follows then. */
const LEASE_SECONDS = 5 * MINUTE_SECONDS;
/** Accounts that one instance leases at a time. */
const BATCH_ACCOUNTS = 10;

/**
 * Deletes the closed accounts that are due, and those that were never confirmed: first the objects, then the row. Any number of instances may do this at
 * once, because each account is leased to one of them. From the lease on, the account can no longer be kept.
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

/** Does nothing more if another instance has deleted the account meanwhile. */
async function deleteAccount(services: Services, id: string): Promise<void> {
  await deleteUploadsOf(services, id);
  await services.db.transaction().execute(async (trx) => {
    const user = await trx.selectFrom("users").select(["id", "email", "email_verified"]).where("id", "=", id)
      .forUpdate()
      .executeTakeFirst();
    if (user === undefined) return;
    await deleteUser(trx, user, services.now());
    // An address that was never confirmed may be that of someone who never registered.
    if (user.email_verified) await sendEmail(trx, services, { kind: "deletion", user: { email: user.email } });
  });
}
