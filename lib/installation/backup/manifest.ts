import { z } from "zod";
import type { Config } from "../../config/config.ts";

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

/** The settings of a service without which the passkeys and identities in its database say nothing. */
const SignInSettingsSchema = z.object({
  /** The domain of passkeys. */
  passkeyDomain: z.string(),
  /** By what each identity provider tells people apart, by the key of the provider. */
  subjects: z.record(z.string(), z.string()),
});

/** What a backup says about itself. */
export const BackupManifestSchema = z.object({
  format: z.literal(BACKUP_FORMAT),
  /** The version of Foyer that has written it. */
  version: z.string(),
  /** The last migration of the database. */
  schema: z.string(),
  createdAt: z.iso.datetime(),
  /** Missing in backups of earlier releases. */
  settings: SignInSettingsSchema.optional(),
  /** In the order in which the rows can be inserted. */
  tables: z.array(BackupTableSchema),
});

/** See {@linkcode signInSettings}. */
export type SignInSettings = z.infer<typeof SignInSettingsSchema>;
/** What a backup says about itself. */
export type BackupManifest = z.infer<typeof BackupManifestSchema>;
/** What a backup says about the rows of one table. */
export type BackupTable = z.infer<typeof BackupTableSchema>;

/** Returns the settings on which passkeys and identities depend. */
export function signInSettings({ passkeys, providers }: Pick<Config, "passkeys" | "providers">): SignInSettings {
  const subjects = providers.map(({ key, issuer, endpoints, oddities }) => [
    key,
    `${oddities?.claims?.sub?.join() ?? "sub"} at ${issuer ?? endpoints?.userinfoUrl}`,
  ]);
  return { passkeyDomain: passkeys.rpId, subjects: Object.fromEntries(subjects) };
}
