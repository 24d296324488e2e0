import type { Kysely } from "kysely";

/** Stores the removals of second factors that wait, and the tokens of the links that start and stop them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("factor_resets")
    .addColumn("user_id", "text", (column) => column.primaryKey().references("users.id").onDelete("cascade"))
    .addColumn("due_at", "timestamptz", (column) => column.notNull())
    .addColumn("next_act_at", "timestamptz", (column) => column.notNull())
    .addColumn("client_address", "text", (column) => column.notNull())
    .addColumn("user_agent", "text")
    .execute();
  await db.schema.createIndex("factor_resets_next_act_at").on("factor_resets").column("next_act_at").execute();
  for (const table of ["factor_reset_tokens", "factor_reset_stop_tokens"]) {
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
}
