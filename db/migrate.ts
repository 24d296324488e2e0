import { sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import type { Log } from "../lib/log.ts";
import * as users from "./migrations/0001_create_users.ts";
import * as sessions from "./migrations/0002_create_sessions.ts";
import * as tokens from "./migrations/0003_create_tokens.ts";
import * as posts from "./migrations/0004_create_posts.ts";
import * as outbox from "./migrations/0005_create_outbox.ts";
import * as loginAttempts from "./migrations/0006_create_login_attempts.ts";
import * as submissions from "./migrations/0007_create_submissions.ts";
import * as rateLimits from "./migrations/0008_create_rate_limits.ts";
import * as emailsOfDeletedUsers from "./migrations/0009_keep_emails_of_deleted_users.ts";
import * as nextOfTokens from "./migrations/0010_add_next_to_tokens.ts";
import * as uploads from "./migrations/0011_create_uploads.ts";
import * as sessionFacts from "./migrations/0012_add_session_facts.ts";
import * as devices from "./migrations/0013_create_devices.ts";
import * as events from "./migrations/0014_create_events.ts";
import * as providerAttempts from "./migrations/0015_create_provider_attempts.ts";
import * as emailedCodes from "./migrations/0016_create_emailed_codes.ts";
import * as accountColumns from "./migrations/0017_add_account_columns.ts";
import * as ageOfMails from "./migrations/0018_index_age_of_mails.ts";
import * as addressTokens from "./migrations/0019_create_address_tokens.ts";
import * as idpLinkedAt from "./migrations/0020_add_idp_linked_at.ts";
import * as deletionLeases from "./migrations/0021_add_deletion_lease_to_users.ts";
import * as nextOfAttempts from "./migrations/0022_add_next_to_provider_attempts.ts";
import * as identityOfAttempts from "./migrations/0023_add_identity_to_provider_attempts.ts";
import * as apiTokens from "./migrations/0024_create_api_tokens.ts";
import * as suspendedAt from "./migrations/0025_add_suspended_at_to_users.ts";
import * as signingKeys from "./migrations/0026_create_signing_keys.ts";
import * as consentToSweep from "./migrations/0027_add_consent_to_store_sweep.ts";
import * as passkeys from "./migrations/0028_create_passkeys.ts";
import * as spentChallenges from "./migrations/0029_create_spent_challenges.ts";
import * as secondFactor from "./migrations/0030_create_second_factor.ts";
import * as factorResets from "./migrations/0031_create_factor_resets.ts";
import * as identities from "./migrations/0032_create_identities.ts";
import * as providerOfAttempts from "./migrations/0033_add_provider_to_provider_attempts.ts";
import * as contentOfSubmissions from "./migrations/0034_add_content_hash_to_submissions.ts";
import * as unconfirmedTotpSecrets from "./migrations/0035_index_unconfirmed_totp_secrets.ts";
import type { Db } from "./schema.ts";

/** In the order of their names. A released migration never changes. */
const MIGRATIONS: Record<string, Migration> = {
  "0001_create_users": users,
  "0002_create_sessions": sessions,
  "0003_create_tokens": tokens,
  "0004_create_posts": posts,
  "0005_create_outbox": outbox,
  "0006_create_login_attempts": loginAttempts,
  "0007_create_submissions": submissions,
  "0008_create_rate_limits": rateLimits,
  "0009_keep_emails_of_deleted_users": emailsOfDeletedUsers,
  "0010_add_next_to_tokens": nextOfTokens,
  "0011_create_uploads": uploads,
  "0012_add_session_facts": sessionFacts,
  "0013_create_devices": devices,
  "0014_create_events": events,
  "0015_create_provider_attempts": providerAttempts,
  "0016_create_emailed_codes": emailedCodes,
  "0017_add_account_columns": accountColumns,
  "0018_index_age_of_mails": ageOfMails,
  "0019_create_address_tokens": addressTokens,
  "0020_add_idp_linked_at": idpLinkedAt,
  "0021_add_deletion_lease_to_users": deletionLeases,
  "0022_add_next_to_provider_attempts": nextOfAttempts,
  "0023_add_identity_to_provider_attempts": identityOfAttempts,
  "0024_create_api_tokens": apiTokens,
  "0025_add_suspended_at_to_users": suspendedAt,
  "0026_create_signing_keys": signingKeys,
  "0027_add_consent_to_store_sweep": consentToSweep,
  "0028_create_passkeys": passkeys,
  "0029_create_spent_challenges": spentChallenges,
  "0030_create_second_factor": secondFactor,
  "0031_create_factor_resets": factorResets,
  "0032_create_identities": identities,
  "0033_add_provider_to_provider_attempts": providerOfAttempts,
  "0034_add_content_hash_to_submissions": contentOfSubmissions,
  "0035_index_unconfirmed_totp_secrets": unconfirmedTotpSecrets,
};
const LAST = Object.keys(MIGRATIONS).at(-1)!;
const LOCK = "foyer migrations";

/**
 * Applies the missing migrations, all or none, while other instances wait. Migrations of a newer release are allowed, with
 * a warning: they were applied before a rollback or during a rolling update.
 *
 * @throws if the database has an unknown migration that does not come after all of ours.
 */
export async function migrate(db: Db, log: Log): Promise<void> {
  if (await isUpToDate(db)) return;
  await db.connection().execute(async (connection) => {
    // Taken before the list of applied migrations is read, because a newer release may still be migrating. The migrator
    // takes its own lock too late for that.
    await sql`select pg_advisory_lock(hashtext(${LOCK}))`.execute(connection);
    try {
      const newer = (await appliedMigrations(connection)).filter((name) => name > LAST);
      if (newer.length > 0) log("warn", "the database has migrations of a newer release", { migrations: newer });
      const known = { ...MIGRATIONS, ...Object.fromEntries(newer.map((name) => [name, ALREADY_APPLIED])) };
      const migrator = new Migrator({ db: connection, provider: { getMigrations: () => Promise.resolve(known) } });
      const { error } = await migrator.migrateToLatest();
      if (error !== undefined) throw error;
    } finally {
      await sql`select pg_advisory_unlock(hashtext(${LOCK}))`.execute(connection);
    }
  });
}

/**
 * Whether exactly our migrations are applied, as at most starts. The migrator would read the catalogue several times to
 * find that out, which takes a fifth of the time of a start. No lock is needed, because a release applies its migrations
 * in one transaction.
 */
async function isUpToDate(db: Db): Promise<boolean> {
  return (await appliedMigrations(db)).join() === Object.keys(MIGRATIONS).join();
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
