import { type Kysely, sql } from "kysely";

/** The login attempts move along: an upgrade must not give anyone five more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("rate_limits")
    .addColumn("policy", "text", (column) => column.notNull())
    .addColumn("client", "text", (column) => column.notNull())
    .addColumn("requests", "integer", (column) => column.notNull())
    .addColumn("window_ends_at", "timestamptz", (column) => column.notNull())
    .addPrimaryKeyConstraint("rate_limits_pkey", ["policy", "client"])
    .execute();
  await db.schema.createIndex("rate_limits_window_ends_at").on("rate_limits").column("window_ends_at").execute();
  await sql`
    insert into rate_limits (policy, client, requests, window_ends_at)
    select 'login', 'address:' || client_address, attempts, window_ends_at from login_attempts
  `.execute(db);
  await db.schema.dropTable("login_attempts").execute();
}
