import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { restartAuditLog } from "../activity/audit_log.ts";
import { cancelMails } from "../mail/outbox.ts";
import type { BackupManifest } from "./manifest.ts";
import type { Services } from "../services.ts";
import { killAllLinks } from "../uploads/private/links.ts";
import { restartStoreSweep } from "../uploads/store_sweep.ts";
import { findDeleted } from "../users/deleted_account.ts";
import { deleteUser } from "../users/user.ts";
import { readArchive } from "./archive_reader.ts";
import { checkBackup } from "./check.ts";
import { inSchema } from "./earlier_schema.ts";
import { setTriggers } from "./bare_tables.ts";
import { deleteLeftovers, insertRows, requireNobody, restartCounters } from "./restored_rows.ts";
import { isRestored } from "./tables.ts";

const DELETED_ACCOUNTS = "deleted_accounts";

/** What to restore. */
export interface RestoreOptions {
  /** The path of the backup. */
  file: string;
  /** Whether the service has not run since the backup. Then sessions, links and emails that wait are restored too. */
  isMove: boolean;
  /** The path of a later backup, or of one of the table `deleted_accounts` alone: who is deleted in it stays so. */
  deleted?: string;
}

/** What a restore has done. */
export interface Restored {
  manifest: BackupManifest;
  /** Accounts of the backup that had been deleted since. */
  deletedAgain: number;
}

/**
 * Restores a backup into a database without accounts, all or nothing.
 *
 * @throws {Error} if the database holds an account, and as {@linkcode checkBackup} does. Then nothing is changed.
 */
export async function restoreBackup(services: Services, options: RestoreOptions): Promise<Restored> {
  const { file, isMove, deleted } = options;
  const manifest = await checkBackup(services, file);
  // Neither its schema nor the secret matters: the list may come from a later release.
  const list = deleted === undefined ? undefined : await readArchive(deleted, { read: () => Promise.resolve() });
  return await services.longWork((db) =>
    db.transaction().execute(async (trx) => {
      await requireNobody(trx);
      await deleteLeftovers(trx);
      const tables = manifest.tables.map(({ table }) => table);
      await inSchema(trx, { schema: manifest.schema, tables }, () =>
        insertArchive(trx, {
          file,
          manifest,
          wants: (table) => isRestored(table, { isMove }),
        }));
      await restartCounters(trx);
      await restartStoreSweep(trx, services);
      await restartAuditLog(trx, { writesOlder: isMove });
      if (!isMove) {
        await cancelMails(trx, {});
        await killAllLinks(trx);
      }
      if (list !== undefined) {
        await insertArchive(trx, { file: deleted!, manifest: list, wants: (table) => table === DELETED_ACCOUNTS });
      }
      return { manifest, deletedAgain: await deleteAgain(trx, services) };
    })
  );
}

/** Inserts rows of a backup. The hashes are checked again: the file may have changed since the first look. */
async function insertArchive(
  trx: Transaction<Database>,
  { file, manifest, wants }: { file: string; manifest: BackupManifest; wants: (table: string) => boolean },
): Promise<void> {
  const tables = new Map(manifest.tables.map((each) => [each.table, each]));
  const read = async (table: string, lines: string[]) => {
    if (wants(table) && tables.has(table)) await insertRows(trx, tables.get(table)!, lines);
  };
  const { createdAt } = await readArchive(file, { read });
  if (createdAt !== manifest.createdAt) throw new Error(`${file} was replaced meanwhile. Nothing was changed`);
}

/** Deletes the accounts that had been deleted since the backup, as their deletion did. The sweep deletes their objects. */
async function deleteAgain(trx: Transaction<Database>, { now }: Services): Promise<number> {
  const users = await findDeleted(trx);
  await setTriggers(trx, ["users"], "disable"); // a rule against the deletion does not count: it has happened
  for (const user of users) await deleteUser(trx, user, now());
  await setTriggers(trx, ["users"], "enable");
  return users.length;
}
