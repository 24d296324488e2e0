import { type Migration, Migrator } from "kysely/migration";
import * as users from "./migrations/0001_create_users.ts";
import * as sessions from "./migrations/0002_create_sessions.ts";
import * as tokens from "./migrations/0003_create_tokens.ts";
import * as posts from "./migrations/0004_create_posts.ts";
import * as outbox from "./migrations/0005_create_outbox.ts";
import * as loginAttempts from "./migrations/0006_create_login_attempts.ts";
import * as submissions from "./migrations/0007_create_submissions.ts";
import * as rateLimits from "./migrations/0008_create_rate_limits.ts";
import type { Db } from "./schema.ts";

/** In the order of their names; what has once been released is never changed again. */
const MIGRATIONS: Record<string, Migration> = {
  "0001_create_users": users,
  "0002_create_sessions": sessions,
  "0003_create_tokens": tokens,
  "0004_create_posts": posts,
  "0005_create_outbox": outbox,
  "0006_create_login_attempts": loginAttempts,
  "0007_create_submissions": submissions,
  "0008_create_rate_limits": rateLimits,
};

/** Applies the migrations that are missing, all or none, under a lock that other instances wait for. */
export async function migrate(db: Db): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(MIGRATIONS) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
