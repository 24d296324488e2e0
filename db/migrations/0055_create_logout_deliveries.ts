import type { Kysely } from "kysely";

/**
 * What apps must hear about sessions that have ended, and which apps are missing from CLIENTS_FILE. `subject` is a user
 * without a foreign key: an app must hear it after the account has been deleted too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("logout_deliveries")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("client_id", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("session_public_id", "text", (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("next_attempt_at", "timestamptz", (column) => column.notNull())
    .addColumn("queued_at", "timestamptz", (column) => column.notNull())
    .addUniqueConstraint("logout_deliveries_client_id_session", ["client_id", "session_public_id"])
    .execute();
  await db.schema.createIndex("logout_deliveries_due").on("logout_deliveries").columns(["client_id", "next_attempt_at"])
    .execute();
  await db.schema.createTable("missing_clients")
    .addColumn("client_id", "text", (column) => column.primaryKey())
    .addColumn("missing_since", "timestamptz", (column) => column.notNull())
    .execute();
}
