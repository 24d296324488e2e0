import { z } from "zod";

/** The format of backups that this release writes. */
export const BACKUP_FORMAT = "foyer backup 1";

/** The rows of one table in a backup. */
const BackupTableSchema = z.object({
  table: z.string().regex(/^[a-z][a-z_0-9]*$/),
  /** The columns that every row has. */
  columns: z.array(z.string()),
  rows: z.int().min(0),
  /** Of the file, in hexadecimal digits. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** What a backup says about itself. */
export const BackupManifestSchema = z.object({
  format: z.literal(BACKUP_FORMAT),
  /** The version of Foyer that has written it. */
  version: z.string(),
  /** The last migration of the database. */
  schema: z.string(),
  createdAt: z.iso.datetime(),
  /** In the order in which the rows can be inserted. */
  tables: z.array(BackupTableSchema),
});

/** What a backup says about itself. */
export type BackupManifest = z.infer<typeof BackupManifestSchema>;
/** What a backup says about the rows of one table. */
export type BackupTable = z.infer<typeof BackupTableSchema>;
