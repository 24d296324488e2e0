import { type Kysely, sql } from "kysely";

/**
 * Marks emails and webhooks while they are being sent. Older releases do not. If an admin asks for one again while such
 * a release is sending it, it is sent twice, with the same id.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ["outbox", "webhook_deliveries"]) {
    await sql`alter table ${sql.table(table)} add column is_sending boolean not null default false`.execute(db);
  }
}
