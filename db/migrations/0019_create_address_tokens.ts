import type { Kysely } from "kysely";

/** Single-use tokens that also store the address they were emailed to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ["email_change_tokens", "not_me_tokens"]) {
    await db.schema.createTable(table)
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("user_id", "text", (column) => column.notNull().references("users.id").onDelete("cascade"))
      .addColumn("token_hash", "text", (column) => column.notNull().unique())
      .addColumn("email", "text", (column) => column.notNull())
      .addColumn("created_at", "timestamptz", (column) => column.notNull())
      .addColumn("expires_at", "timestamptz", (column) => column.notNull())
      .addColumn("used", "boolean", (column) => column.notNull().defaultTo(false))
      .execute();
    await db.schema.createIndex(`${table}_user_id`).on(table).column("user_id").execute();
    await db.schema.createIndex(`${table}_expires_at`).on(table).column("expires_at").execute();
  }
  await db.schema.createIndex("not_me_tokens_email").on("not_me_tokens").column("email").execute();
}
