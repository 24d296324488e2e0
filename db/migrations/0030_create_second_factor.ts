import { type Kysely, sql } from "kysely";

/** Stores authenticator apps, recovery codes and sign-ins that wait for one of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("totp_secrets")
    .addColumn("user_id", "text", (column) => column.primaryKey().references("users.id").onDelete("cascade"))
    .addColumn("secret", "text")
    .addColumn("last_step", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("enabled_at", "timestamptz")
    .addColumn("pending_secret", "text")
    .addColumn("pending_until", "timestamptz")
    .execute();
  await db.schema.createTable("recovery_codes")
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("code_hash", "text", (column) => column.notNull())
    .addColumn("created_at", "timestamptz", (column) => column.notNull())
    .addPrimaryKeyConstraint("recovery_codes_pkey", ["user_id", "code_hash"])
    .execute();
  await db.schema.createTable("second_step_challenges")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("method", "text", (column) => column.notNull())
    .addColumn("session_ids", sql`text[]`, (column) => column.notNull())
    .addColumn("tries", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("expires_at", "timestamptz", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("second_step_challenges_user_id").on("second_step_challenges").column("user_id")
    .execute();
  await db.schema.createIndex("second_step_challenges_expires_at").on("second_step_challenges").column("expires_at")
    .execute();
}
