import type { Transaction } from "kysely";
import type { Database, Db } from "../../../db/schema.ts";
import { restartAuditLog } from "../../activity/audit_log.ts";
import { endTrust } from "../../activity/trusted_device.ts";
import { voidLinksExceptInvitations } from "../../mail/links/emailed_token.ts";
import { cancelMails } from "../../mail/outbox.ts";
import type { BackupManifest, BackupTable } from "./manifest.ts";
import type { Services } from "../../services/services.ts";
import { killAllLinks } from "../../uploads/private/links.ts";
import { restartStoreSweep } from "../../uploads/store_sweep.ts";
import { findDeleted } from "../../users/deleted_account.ts";
import { deleteUser } from "../../accounts/account_deletion.ts";
import { readArchive, type Signer } from "./archive_reader.ts";
import { inSchema } from "./earlier_schema.ts";
import { listColumns } from "./export.ts";
import { setTriggers, withBareTables } from "./bare_tables.ts";
import { deleteLeftovers, insertRows, requireNobody, restartCounters } from "./restored_rows.ts";
import { isOurs, isRestored } from "./restored_tables.ts";
import { MIGRATION_NAMES } from "../../../db/migrate.ts";
import { SealedValues } from "./sealed_values.ts";

const DELETED_ACCOUNTS = "deleted_accounts";

/** What to restore. */
export interface RestoreOptions {
  /** The path of the backup. */
  file: string;
  /**
   * Whether the service has not run since the backup. Then sessions, links, emails that wait and the trust in devices
   * are restored too.
   */
  isMove: boolean;
  /** The path of a later backup, or of one of the table `deleted_accounts` alone: who is deleted in it stays so. */
  deleted?: string;
  /** Whether both may be unsigned. */
  acceptsUnsigned?: boolean;
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
  const { file, isMove, deleted, acceptsUnsigned } = options;
  const signer = acceptsUnsigned ? "anyone" : services.config;
  const manifest = await checkBackup(services, { file, signer });
  // Neither its schema nor the secret matters: the list may come from a later release.
  const list = deleted === undefined
    ? undefined
    : await readArchive(deleted, { signer, read: () => Promise.resolve() });
  return await services.longWork((db) =>
    db.transaction().execute(async (trx) => {
      await requireNobody(trx);
      await deleteLeftovers(trx);
      const tables = manifest.tables.map(({ table }) => table);
      await inSchema(trx, { schema: manifest.schema, tables }, () =>
        insertArchive(trx, {
          file,
          signer,
          manifest,
          wants: (table) => isRestored(table, { isMove }),
        }));
      await restartCounters(trx);
      await restartStoreSweep(trx, services);
      await restartAuditLog(trx, { writesOlder: isMove });
      if (!isMove) {
        await cancelMails(trx, {});
        await voidLinksExceptInvitations(trx);
        await killAllLinks(trx);
        await endTrust(trx); // a device may have been forgotten since
      }
      if (list !== undefined) {
        const wants = (table: string) => table === DELETED_ACCOUNTS;
        await insertArchive(trx, { file: deleted!, signer, manifest: list, wants });
      }
      return { manifest, deletedAgain: await deleteAgain(trx, services) };
    })
  );
}

/**
 * Fills a database that has the schema of a backup, and nobody in it, with all rows as they are.
 *
 * @throws {Error} if the backup is damaged, or names a table or a column that its schema does not have.
 */
export async function fillFromBackup(
  db: Db,
  { file, manifest }: { file: string; manifest: BackupManifest },
): Promise<void> {
  requireOurTables(file, manifest);
  await db.transaction().execute(async (trx) => {
    const tables = manifest.tables.map(({ table }) => table);
    await deleteLeftovers(trx, tables);
    await withBareTables(
      trx,
      tables,
      () => insertArchive(trx, { file, signer: "anyone", manifest, wants: () => true }),
    );
    await restartCounters(trx);
  });
}

/** Inserts rows of a backup. Everything is checked again: the file may have changed since the first look. */
async function insertArchive(
  trx: Transaction<Database>,
  { file, signer, manifest, wants }: {
    file: string;
    signer: Signer;
    manifest: BackupManifest;
    wants: (table: string) => boolean;
  },
): Promise<void> {
  const tables = new Map(manifest.tables.filter(({ table }) => wants(table)).map((each) => [each.table, each]));
  for (const each of tables.values()) await requireOurColumns(trx, file, each);
  const read = async (table: string, lines: string[]) => {
    const columns = tables.get(table);
    if (columns !== undefined) await insertRows(trx, columns, lines);
  };
  const { createdAt } = await readArchive(file, { signer, read });
  if (createdAt !== manifest.createdAt) throw new Error(`${file} was replaced meanwhile. Nothing was changed`);
}

/** Otherwise, names in the file could reach any column. */
async function requireOurColumns(
  trx: Transaction<Database>,
  file: string,
  { table, columns }: BackupTable,
): Promise<void> {
  const ours = await listColumns(trx, table);
  const other = columns.find((column) => !ours.includes(column));
  if (other === undefined) return;
  throw new Error(
    `${file} names the column ${JSON.stringify(other)} of ${table}, which its schema does not have. ` +
      "Nothing was changed",
  );
}

/**
 * Deletes the accounts that had been deleted since the backup, as their deletion did. The sweep deletes their objects.
 */
async function deleteAgain(trx: Transaction<Database>, { now }: Services): Promise<number> {
  const users = await findDeleted(trx);
  await setTriggers(trx, ["users"], "disable"); // a rule against the deletion does not count: it has happened
  for (const user of users) await deleteUser(trx, user, now());
  await setTriggers(trx, ["users"], "enable");
  return users.length;
}

/**
 * Reads a whole backup and checks everything that does not depend on the database: nothing is written before that.
 *
 * @throws {Error} if it is damaged or not signed, if its schema or a table is not known, or if APP_SECRET does not open
 * what is sealed in it.
 */
async function checkBackup(
  { config }: Pick<Services, "config">,
  { file, signer }: { file: string; signer: Signer },
): Promise<BackupManifest> {
  const sealed = new SealedValues(config);
  const manifest = await readArchive(file, { signer, read: (table, lines) => sealed.look(table, lines) });
  requireKnownSchema(file, manifest);
  requireOurTables(file, manifest);
  const unreadable = sealed.unreadable();
  if (unreadable.length === 0) return manifest;
  throw new Error(
    `APP_SECRET does not open what is sealed in ${file}: ${
      unreadable.join(", ")
    }. Nothing was changed. Set APP_SECRET ` +
      "to the value that the service had at the backup (or copy the file app_secret of its DATA_DIR), or add that value " +
      "to APP_SECRET_PREVIOUS",
  );
}

/**
 * Requires a schema that this release can migrate.
 *
 * @throws {Error} that names the release of the backup.
 */
export function requireKnownSchema(file: string, { schema, version }: BackupManifest): void {
  if (MIGRATION_NAMES.includes(schema)) return;
  throw new Error(
    `${file} has the schema ${schema} of Foyer ${version}, which this release does not know. Nothing was changed. ` +
      "Import it with that release, or a later one",
  );
}

function requireOurTables(file: string, { tables }: BackupManifest): void {
  const other = tables.find(({ table }) => !isOurs(table));
  if (other !== undefined) {
    throw new Error(`${file} names the table ${other.table}, which no export has. Nothing was changed`);
  }
}
