import { type Kysely, sql } from "kysely";

/**
 * Finds the ways in which passwords of other systems are hashed, without a look at the hashes: the start of each, up to its
 * salt. Hashes of our own begin with a number and are not in the index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index users_foreign_hash on users ((regexp_replace(password_hash, '\\$[^$]*\\$[^$]*$', '') collate "C"))
    where password_hash like '$%'
  `.execute(db);
}
