import { type Kysely, sql } from "kysely";

/**
 * The audit log has each event in the order of the commits. Ids are given before a commit, so they cannot be the position:
 * an event with a lower id may become visible later. Events from before this migration have no number and are not written.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("events").addColumn("transaction_id", sql`xid8`).execute();
  await sql`alter table events alter column transaction_id set default pg_current_xact_id()`.execute(db);
  await db.schema.createIndex("events_transaction_id").on("events").columns(["transaction_id", "id"]).execute();
  await db.schema.createTable("audit_position")
    .addColumn("only_row", "boolean", (column) => column.primaryKey().defaultTo(true).check(sql`only_row`))
    .addColumn("transaction_id", sql`xid8`, (column) => column.notNull().defaultTo(sql`'0'`))
    .addColumn("event_id", "text", (column) => column.notNull().defaultTo(""))
    .execute();
  await sql`insert into audit_position default values`.execute(db);
}
