import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import { COMMAND } from "../lib/config/command_name.ts";
import { ConfigError } from "../lib/config/config.ts";
import { type Log, messageOf } from "../lib/log/log.ts";
import type { Db } from "./schema.ts";

/**
 * All migrations, in the order of their names. Most starts have none to apply, so they are loaded only when one is
 * missing. A released migration never changes.
 */
const MIGRATIONS: Record<string, () => Promise<Migration>> = {
  "0001_create_users": () => import("./migrations/0001_create_users.ts"),
  "0002_create_sessions": () => import("./migrations/0002_create_sessions.ts"),
  "0003_create_tokens": () => import("./migrations/0003_create_tokens.ts"),
  "0004_create_posts": () => import("./migrations/0004_create_posts.ts"),
  "0005_create_outbox": () => import("./migrations/0005_create_outbox.ts"),
  "0006_create_login_attempts": () => import("./migrations/0006_create_login_attempts.ts"),
  "0007_create_submissions": () => import("./migrations/0007_create_submissions.ts"),
  "0008_create_rate_limits": () => import("./migrations/0008_create_rate_limits.ts"),
  "0009_keep_emails_of_deleted_users": () => import("./migrations/0009_keep_emails_of_deleted_users.ts"),
  "0010_add_next_to_tokens": () => import("./migrations/0010_add_next_to_tokens.ts"),
  "0011_create_uploads": () => import("./migrations/0011_create_uploads.ts"),
  "0012_add_session_facts": () => import("./migrations/0012_add_session_facts.ts"),
  "0013_create_devices": () => import("./migrations/0013_create_devices.ts"),
  "0014_create_events": () => import("./migrations/0014_create_events.ts"),
  "0015_create_provider_attempts": () => import("./migrations/0015_create_provider_attempts.ts"),
  "0016_create_emailed_codes": () => import("./migrations/0016_create_emailed_codes.ts"),
  "0017_add_account_columns": () => import("./migrations/0017_add_account_columns.ts"),
  "0018_index_age_of_mails": () => import("./migrations/0018_index_age_of_mails.ts"),
  "0019_create_address_tokens": () => import("./migrations/0019_create_address_tokens.ts"),
  "0020_add_idp_linked_at": () => import("./migrations/0020_add_idp_linked_at.ts"),
  "0021_add_deletion_lease_to_users": () => import("./migrations/0021_add_deletion_lease_to_users.ts"),
  "0022_add_next_to_provider_attempts": () => import("./migrations/0022_add_next_to_provider_attempts.ts"),
  "0023_add_identity_to_provider_attempts": () => import("./migrations/0023_add_identity_to_provider_attempts.ts"),
  "0024_create_api_tokens": () => import("./migrations/0024_create_api_tokens.ts"),
  "0025_add_suspended_at_to_users": () => import("./migrations/0025_add_suspended_at_to_users.ts"),
  "0026_create_signing_keys": () => import("./migrations/0026_create_signing_keys.ts"),
  "0027_add_consent_to_store_sweep": () => import("./migrations/0027_add_consent_to_store_sweep.ts"),
  "0028_create_passkeys": () => import("./migrations/0028_create_passkeys.ts"),
  "0029_create_spent_challenges": () => import("./migrations/0029_create_spent_challenges.ts"),
  "0030_create_second_factor": () => import("./migrations/0030_create_second_factor.ts"),
  "0031_create_factor_resets": () => import("./migrations/0031_create_factor_resets.ts"),
  "0032_create_identities": () => import("./migrations/0032_create_identities.ts"),
  "0033_add_provider_to_provider_attempts": () => import("./migrations/0033_add_provider_to_provider_attempts.ts"),
  "0034_add_content_hash_to_submissions": () => import("./migrations/0034_add_content_hash_to_submissions.ts"),
  "0035_index_unconfirmed_totp_secrets": () => import("./migrations/0035_index_unconfirmed_totp_secrets.ts"),
  "0036_add_state_to_uploads": () => import("./migrations/0036_add_state_to_uploads.ts"),
  "0037_index_unconfirmed_users": () => import("./migrations/0037_index_unconfirmed_users.ts"),
  "0038_add_turns_to_outbox": () => import("./migrations/0038_add_turns_to_outbox.ts"),
  "0039_index_actions_of_users": () => import("./migrations/0039_index_actions_of_users.ts"),
  "0040_add_request_id_to_events": () => import("./migrations/0040_add_request_id_to_events.ts"),
  "0041_create_instances": () => import("./migrations/0041_create_instances.ts"),
  "0042_add_answer_to_outbox": () => import("./migrations/0042_add_answer_to_outbox.ts"),
  "0043_index_events_with_address": () => import("./migrations/0043_index_events_with_address.ts"),
  "0044_create_audit_position": () => import("./migrations/0044_create_audit_position.ts"),
  "0045_add_administration": () => import("./migrations/0045_add_administration.ts"),
  "0046_create_deleted_accounts": () => import("./migrations/0046_create_deleted_accounts.ts"),
  "0047_create_name_words": () => import("./migrations/0047_create_name_words.ts"),
  "0048_add_registration_language": () => import("./migrations/0048_add_registration_language.ts"),
  "0049_index_administration": () => import("./migrations/0049_index_administration.ts"),
  "0050_index_foreign_hashes": () => import("./migrations/0050_index_foreign_hashes.ts"),
  "0051_create_webhooks": () => import("./migrations/0051_create_webhooks.ts"),
  "0052_create_webhook_deliveries": () => import("./migrations/0052_create_webhook_deliveries.ts"),
  "0053_create_grants": () => import("./migrations/0053_create_grants.ts"),
  "0054_index_requests_of_events": () => import("./migrations/0054_index_requests_of_events.ts"),
  "0055_create_logout_deliveries": () => import("./migrations/0055_create_logout_deliveries.ts"),
  "0056_create_search_terms": () => import("./migrations/0056_create_search_terms.ts"),
  "0057_add_link_number_to_uploads": () => import("./migrations/0057_add_link_number_to_uploads.ts"),
  "0058_count_mails_by_recipient": () => import("./migrations/0058_count_mails_by_recipient.ts"),
  "0059_pair_scopes_with_resources": () => import("./migrations/0059_pair_scopes_with_resources.ts"),
  "0060_store_photos_as_keys": () => import("./migrations/0060_store_photos_as_keys.ts"),
  "0061_add_secret_to_instances": () => import("./migrations/0061_add_secret_to_instances.ts"),
  "0062_index_end_of_ids": () => import("./migrations/0062_index_end_of_ids.ts"),
  "0063_mark_deliveries_in_progress": () => import("./migrations/0063_mark_deliveries_in_progress.ts"),
  "0064_add_last_seen_to_users": () => import("./migrations/0064_add_last_seen_to_users.ts"),
  "0065_create_first_admin": () => import("./migrations/0065_create_first_admin.ts"),
  "0066_create_groups": () => import("./migrations/0066_create_groups.ts"),
  "0067_add_groups_to_provider_attempts": () => import("./migrations/0067_add_groups_to_provider_attempts.ts"),
  "0068_create_clients": () => import("./migrations/0068_create_clients.ts"),
  "0069_add_second_factor_due_at": () => import("./migrations/0069_add_second_factor_due_at.ts"),
  "0070_create_device_codes": () => import("./migrations/0070_create_device_codes.ts"),
  "0071_add_second_factor_extension": () => import("./migrations/0071_add_second_factor_extension.ts"),
  "0072_create_client_logos": () => import("./migrations/0072_create_client_logos.ts"),
  "0073_create_login_link_tokens": () => import("./migrations/0073_create_login_link_tokens.ts"),
  "0074_add_trust_to_devices": () => import("./migrations/0074_add_trust_to_devices.ts"),
  "0075_create_client_documents": () => import("./migrations/0075_create_client_documents.ts"),
  "0076_add_links_to_emailed_codes": () => import("./migrations/0076_add_links_to_emailed_codes.ts"),
  "0077_cover_group_members": () => import("./migrations/0077_cover_group_members.ts"),
};
/** The names of all migrations, in their order. */
export const MIGRATION_NAMES: string[] = Object.keys(MIGRATIONS);
const LAST = MIGRATION_NAMES.at(-1)!;
const LOCK = "foyer migrations";

/**
 * Applies the missing migrations, all or none, while other instances wait. Migrations of a newer release are allowed,
 * with a warning: they were applied before a rollback or during a rolling update.
 *
 * @throws {ConfigError} if the database was made by a version that cannot be upgraded: it has an unknown migration that
 * does not come after all of ours.
 */
export async function migrate(db: Db, log: Log): Promise<void> {
  if (await isUpToDate(db)) return;
  await db.connection().execute(async (connection) => {
    // Taken before the list of applied migrations is read, because a newer release may still be migrating. The migrator
    // takes its own lock too late for that.
    await sql`select pg_advisory_lock(hashtext(${LOCK}))`.execute(connection);
    try {
      const newer = await findNewerMigrations(connection);
      if (newer.length > 0) log("warn", "the database has migrations of a newer release", { migrations: newer });
      const migrator = await createMigrator(connection, newer);
      const startedAt = performance.now();
      const { error, results = [] } = await migrator.migrateToLatest();
      if (error instanceof Error && error.message.startsWith(OTHER_MIGRATIONS)) throw notUpgradable(error);
      if (error !== undefined) throw error;
      const applied = results.map(({ migrationName }) => migrationName);
      const durationMs = Math.round(performance.now() - startedAt);
      if (applied.length > 0) log("info", "migrations applied", { migrations: applied, durationMs });
    } finally {
      await sql`select pg_advisory_unlock(hashtext(${LOCK}))`.execute(connection);
    }
  });
}

/** How the migrator says that the database has other migrations than ours. */
const OTHER_MIGRATIONS = "corrupted migrations";

function notUpgradable(cause: Error): ConfigError {
  return new ConfigError(
    `The database cannot be upgraded: ${cause.message}. It was made by a commit between releases, whose migrations were ` +
      "changed later. Databases of 0.1.0, and of commits since e2aa50a0 (22 November 2026), can be upgraded. This one " +
      "works only with the commit that made it",
    { cause },
  );
}

/** Finds the migrations of newer releases that the database has. */
export async function findNewerMigrations(db: Db): Promise<string[]> {
  return (await appliedMigrations(db)).filter((name) => name > LAST);
}

/**
 * Requires a database that a service of this version, or a newer one, has migrated.
 *
 * @throws {Error} that says what to do.
 */
export async function requireMigrated(db: Db): Promise<void> {
  const applied = await appliedMigrations(db);
  if (MIGRATION_NAMES.every((name) => applied.includes(name))) return;
  throw new Error(
    applied.length === 0
      ? "The database is empty. Run the command with all the settings of the service. Example: DATABASE_URL=..."
      : `The database is older than this version. Start the service of this version first, or run: ${COMMAND} migrate`,
  );
}

/**
 * Whether exactly our migrations are applied, which is so at most starts. The migrator would read the catalog several
 * times to find that out, which takes a fifth of the time of a start. No lock is needed, because a release applies its
 * migrations in one transaction.
 */
async function isUpToDate(db: Db): Promise<boolean> {
  return (await appliedMigrations(db)).join() === MIGRATION_NAMES.join();
}

/** What one migration took. */
export interface MigrationRun {
  name: string;
  durationMs: number;
  /** How many rows it has written or deleted. */
  rows: number;
}

/** Brings an empty database to the schema of an earlier release, whose last migration this is. */
export async function migrateTo(db: Db, last: string): Promise<void> {
  const { error } = await (await createMigrator(db, [])).migrateTo(last);
  if (error !== undefined) throw error;
}

/**
 * Applies the missing migrations, all or none, as {@linkcode migrate} does, and tells what each takes.
 *
 * @throws {Error} that names the migration that fails.
 */
export async function migrateEach(db: Db): Promise<MigrationRun[]> {
  const applied = await appliedMigrations(db);
  const missing = Object.entries(MIGRATIONS).filter(([name]) => !applied.includes(name));
  return await db.transaction().execute(async (trx) => {
    const runs: MigrationRun[] = [];
    for (const [name, load] of missing) {
      const startedAt = performance.now();
      const rowsBefore = await countChangedRows(trx);
      await (await load()).up(trx).catch((error) => {
        throw new Error(`The migration ${name} fails: ${messageOf(error)}`, { cause: error });
      });
      await sql`insert into kysely_migration (name, timestamp) values (${name}, now()::text)`.execute(trx);
      const rows = Math.max(0, await countChangedRows(trx) - rowsBefore);
      runs.push({ name, durationMs: Math.round(performance.now() - startedAt), rows });
    }
    return runs;
  });
}

/** Counts what was written and deleted and is not reported yet, without the records of migrations. */
async function countChangedRows(trx: Db): Promise<number> {
  const { rows: [{ changed }] } = await sql<{ changed: number }>`
    select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::float8 as changed from pg_stat_xact_user_tables
    where relname <> 'kysely_migration'
  `.execute(trx);
  return changed;
}

/**
 * Runs migrations in the first schema of the search path, and does not record them: for a schema that is filled with a
 * backup of an earlier release.
 *
 * @param after the last migration that this schema has; null if it is empty.
 * @param last the last one to run.
 */
export async function runMigrations(db: Db, { after, last }: { after: string | null; last: string }): Promise<void> {
  for (const [name, load] of Object.entries(MIGRATIONS)) {
    if ((after === null || name > after) && name <= last) await (await load()).up(db);
  }
}

async function createMigrator(db: Db, newer: string[]) {
  const { Migrator } = await import("kysely/migration");
  const ours = Object.entries(MIGRATIONS).map(async ([name, load]) => [name, await load()] as const);
  const migrations: Record<string, Migration> = Object.fromEntries(await Promise.all(ours));
  for (const name of newer) migrations[name] = ALREADY_APPLIED;
  return new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
}

/** A placeholder for a migration that this release does not know. It never runs. */
const ALREADY_APPLIED: Migration = { up: () => Promise.resolve() };

/** Returns the names of the applied migrations, in their order. */
async function appliedMigrations(db: Db): Promise<string[]> {
  const { rows: [{ exists }] } = await sql<{ exists: boolean }>`
    select to_regclass('kysely_migration') is not null as exists
  `.execute(db);
  if (!exists) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name).sort();
}
