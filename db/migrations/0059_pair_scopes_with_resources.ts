import { type Kysely, sql } from "kysely";

/** Scopes that belong to no resource. */
const OWN = [
  "openid",
  "profile",
  "email",
  "offline_access",
  "profile:read",
  "profile:write",
  "users:read",
  "users:invite",
  "uploads:read",
  "uploads:write",
  "account:read",
];

/**
 * The scopes of resources that people have allowed apps, each with its resource. A consent for one resource says which it
 * was. One for several does not, so people are asked again. Older releases can write rows without it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("consents")
    .addColumn("resource_scopes", sql`text[]`, (column) => column.notNull().defaultTo(sql`'{}'`))
    .execute();
  await sql`
    update consents set resource_scopes = array(
      select resources[1] || ' ' || scope from unnest(scopes) as scope where scope <> all(${OWN}::text[])
    ) where cardinality(resources) = 1
  `.execute(db);
}
