import { PGlite } from "@electric-sql/pglite";
import { Kysely, PGliteDialect } from "kysely";
import { migrate } from "../../db/migrate.ts";
import type { Database } from "../../db/schema.ts";

/** Names the file that {@linkcode writeDatabaseTemplate} has written. */
const TEMPLATE_VARIABLE = "TEST_DATABASE_TEMPLATE";

/**
 * Writes a migrated, empty embedded database to a file. Test files that start from it save the seconds that creating one
 * takes.
 *
 * @returns the environment variable through which tests find the file.
 */
export async function writeDatabaseTemplate(path: string): Promise<Record<string, string>> {
  const pglite = await PGlite.create();
  const db = new Kysely<Database>({ dialect: new PGliteDialect({ pglite }) });
  await migrate(db, () => {});
  const dump = await pglite.dumpDataDir("none");
  await Deno.writeFile(path, dump.stream());
  await db.destroy();
  return { [TEMPLATE_VARIABLE]: path };
}

/** Returns the contents for a new database, or undefined if the tests run without a template. */
export async function readDatabaseTemplate(): Promise<Blob | undefined> {
  const path = Deno.env.get(TEMPLATE_VARIABLE);
  return path ? new Blob([await Deno.readFile(path)]) : undefined;
}
