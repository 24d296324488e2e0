import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import type { BackupManifest } from "./manifest.ts";
import type { Services } from "../../services/services.ts";
import { exportBackup, rowsOf } from "./export.ts";
import { restoreBackup, type RestoreOptions } from "./restore.ts";

/** Exports everything, or only the list of deleted accounts, and reports what else to copy. */
export async function reportExport(
  services: Services,
  { file, deletedOnly }: { file: string; deletedOnly: boolean },
): Promise<{ text: string; value: unknown }> {
  const manifest = await exportBackup(services, { file, ...deletedOnly && { tables: ["deleted_accounts"] } });
  const { size: bytes } = await Deno.stat(file);
  const value = { file, bytes, ...summaryOf(manifest) };
  if (deletedOnly) {
    const count = rowsOf(manifest, "deleted_accounts");
    return { text: `Accounts deleted in the last 90 days: ${count}, as hashes in ${file}.`, value };
  }
  const also = whatElseToCopy(services);
  const text = [
    `Exported to ${file} (${summaryText(manifest)}, ${megabytes(bytes)}).`,
    "What else to copy, in this order:",
    ...also.map((line, i) => `${i + 1}. ${line}`),
  ].join("\n");
  return { text, value: { ...value, also } };
}

/** Restores a backup, and reports what to know about the result. */
export async function reportImport(
  services: Services,
  options: RestoreOptions,
): Promise<{ text: string; value: unknown }> {
  const { manifest, deletedAgain } = await restoreBackup(services, options);
  const notes = notesOf(options, manifest);
  const text = [
    `Imported from ${options.file} (${summaryText(manifest)}), as of ${manifest.createdAt}.`,
    ...options.deleted === undefined ? [] : [`Accounts deleted since, and deleted again: ${deletedAgain}.`],
    ...notes,
  ].join("\n");
  return { text, value: { file: options.file, ...summaryOf(manifest), deletedAgain, notes } };
}

/** The files come after the database: those that are added meanwhile do no harm, and those of the backup are there. */
function whatElseToCopy({ config: { dataDir, s3 } }: Services): string[] {
  return [
    `The secret: APP_SECRET and APP_SECRET_PREVIOUS or, if APP_SECRET is not set, ${join(dataDir, "app_secret")}.`,
    s3 === undefined
      ? `The files: the folder ${join(dataDir, "objects")}, now and not before, such as with rsync -a.`
      : `The files: ${bucketsOf(s3)}, now and not before.`,
    "The settings: the environment of the service.",
  ];
}

function bucketsOf({ bucket, privateBucket }: NonNullable<Config["s3"]>): string {
  return privateBucket === undefined ? `the bucket ${bucket}` : `the buckets ${bucket} and ${privateBucket}`;
}

function notesOf({ isMove, deleted }: RestoreOptions, { createdAt }: BackupManifest): string[] {
  if (isMove) return ["Sessions, links and emails that wait go on. Do not start the old service again."];
  return [
    "Everyone logs in again. Links to reset a password or change an address, codes, and emails that waited have ended.",
    `As they were at ${createdAt}: passwords, passkeys, authenticator apps and API tokens, also those removed since.`,
    ...deleted === undefined
      ? ["Accounts that were deleted since are back too: there was no list of them (--deleted)."]
      : [],
  ];
}

function summaryOf(manifest: BackupManifest) {
  const { version, schema, createdAt, tables } = manifest;
  return {
    version,
    schema,
    createdAt,
    rows: Object.fromEntries(tables.map(({ table, rows }) => [table, rows])),
  };
}

function summaryText(manifest: BackupManifest): string {
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  return `accounts: ${rowsOf(manifest, "users")}, rows: ${rows}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
