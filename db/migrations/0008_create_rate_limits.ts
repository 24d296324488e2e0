import { type Kysely, sql } from "kysely";

/**
 * Copies the running login windows, so that an upgrade grants no one five more attempts. The table `login_attempts`
 * stays for instances of the previous release that are still running; a later migration drops it.
 */
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
}
