import { type Kysely, sql } from "kysely";

/**
 * Tells emails and webhooks that are being sent from those that are due soon. Older releases do not set it: meanwhile,
 * what they send may be sent once more, under the same id, if an admin asks for it at that moment.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ["outbox", "webhook_deliveries"]) {
    await sql`alter table ${sql.table(table)} add column is_sending boolean not null default false`.execute(db);
  }
}
