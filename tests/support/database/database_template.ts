import { PGlite } from "@electric-sql/pglite";
import { Kysely, PGliteDialect, PostgresDialect } from "kysely";
import pg from "pg";
import { openDatabase } from "../../../db/connection.ts";
import { migrate } from "../../../db/migrate.ts";
import type { Database } from "../../../db/schema.ts";
import { copyFolder } from "./copy_folder.ts";

/** Names what the templates are: the file and the folder of the embedded engine, and the database on the server. */
const TEMPLATE_FILE_VARIABLE = "TEST_DATABASE_TEMPLATE";
const TEMPLATE_FOLDER_VARIABLE = "TEST_DATABASE_FOLDER_TEMPLATE";
const SERVER_TEMPLATE_VARIABLE = "TEST_SERVER_TEMPLATE";

/**
 * Writes a migrated, empty embedded database to a file. Test files that start from it save the seconds that creating
 * one takes.
 *
 * @returns the environment variable through which tests find the file.
 */
export async function writeDatabaseTemplate(path: string): Promise<Record<string, string>> {
  const pglite = await PGlite.create();
  const db = new Kysely<Database>({ dialect: new PGliteDialect({ pglite }) });
  await migrate(db, () => {});
  // PostgreSQL copies new databases from these. Without them, reading the file takes half of the time.
  await pglite.exec("update pg_database set datistemplate = false");
  for (const unused of ["template0", "template1"]) await pglite.exec(`drop database ${unused}`);
  const dump = await pglite.dumpDataDir("none");
  await Deno.writeFile(path, dump.stream());
  await db.destroy();
  return { [TEMPLATE_FILE_VARIABLE]: path };
}

let template: Promise<Blob> | undefined;

/** Returns the contents for a new database, or undefined if the tests run without a template. */
export async function readDatabaseTemplate(): Promise<Blob | undefined> {
  const path = Deno.env.get(TEMPLATE_FILE_VARIABLE);
  return path ? await (template ??= readOnce(path)) : undefined;
}

/** The engine copies what it needs, so all databases of a test process start from the same bytes. */
async function readOnce(path: string): Promise<Blob> {
  const { buffer } = await Deno.readFile(path);
  return Object.assign(new Blob(), { arrayBuffer: () => Promise.resolve(buffer) }); // a Blob would copy it three times
}

/**
 * Creates a folder with a migrated, empty embedded database. App processes that start from it save two thirds of the
 * CPU time of a first start.
 *
 * @returns the environment variable through which tests find the folder.
 */
export async function createDatabaseFolder(path: string): Promise<Record<string, string>> {
  const database = await openDatabase({ directory: path, log: () => {} });
  await database.migrate().finally(() => database.close());
  return { [TEMPLATE_FOLDER_VARIABLE]: path };
}

/** Copies the template to a folder that does not exist yet. Does nothing if the tests run without a template. */
export async function copyDatabaseFolder(path: string): Promise<void> {
  const template = Deno.env.get(TEMPLATE_FOLDER_VARIABLE);
  if (template) await copyFolder(template, path);
}

/**
 * Creates a migrated, empty database on a server. Test files copy it in a tenth of the time that the migrations take.
 *
 * @returns the environment variable through which tests find the database.
 */
export async function createServerTemplate(serverUrl: string): Promise<Record<string, string>> {
  const name = "foyer_template";
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name} template template0`).finally(() => client.end());
  const url = new URL(serverUrl);
  url.pathname = name;
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url.href, max: 1 }) }),
  });
  await migrate(db, () => {}).finally(() => db.destroy());
  return { [SERVER_TEMPLATE_VARIABLE]: name };
}

/**
 * Returns the name of the database to copy. No one may be connected to it: no one can connect to template0, and a
 * connection to template1 would make the copy fail.
 */
export function serverTemplate(): string {
  return Deno.env.get(SERVER_TEMPLATE_VARIABLE) || "template0";
}
