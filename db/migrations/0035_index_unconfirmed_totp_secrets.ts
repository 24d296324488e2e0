import { type Kysely, sql } from "kysely";

/** For the sweep of secrets that no code has confirmed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index totp_secrets_unconfirmed on totp_secrets (pending_until) where enabled_at is null`.execute(db);
}
