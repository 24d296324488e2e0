import { MIGRATION_NAMES } from "../../db/migrate.ts";
import type { BackupManifest } from "./manifest.ts";
import type { Services } from "../services.ts";
import { readArchive } from "./archive_reader.ts";
import { SealedValues } from "./sealed_values.ts";

/**
 * Reads a whole backup and checks everything that does not depend on the database: nothing is written before that.
 *
 * @throws {Error} if it is damaged, if its schema is not known, or if APP_SECRET does not open what is sealed in it.
 */
export async function checkBackup(
  { config }: Pick<Services, "config">,
  file: string,
): Promise<BackupManifest> {
  const sealed = new SealedValues(config);
  const manifest = await readArchive(file, { read: (table, lines) => sealed.look(table, lines) });
  requireKnownSchema(file, manifest);
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

function requireKnownSchema(file: string, { schema, version }: BackupManifest): void {
  if (MIGRATION_NAMES.includes(schema)) return;
  throw new Error(
    `${file} has the schema ${schema} of Foyer ${version}, which this release does not know. Nothing was changed. ` +
      "Import it with that release, or a later one",
  );
}
