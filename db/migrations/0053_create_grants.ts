import { type Kysely, sql } from "kysely";

/**
 * What people have allowed apps: one consent for each app, and a grant for each sign-in. A grant names its session without a
 * foreign key, because an offline grant outlives the session.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sessions add column second_factor text`.execute(db);
  await db.schema.createTable("consents")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("client_id", "text", (column) => column.notNull())
    .addColumn("scopes", sql`text[]`, (column) => column.notNull())
    .addColumn("resources", sql`text[]`, (column) => column.notNull())
    .addColumn("created_at", "timestamptz", (column) => column.notNull())
    .addColumn("last_used_at", "timestamptz", (column) => column.notNull())
    .addUniqueConstraint("consents_user_id_client_id", ["user_id", "client_id"])
    .execute();
  await db.schema.createIndex("consents_client_id").on("consents").column("client_id").execute();
  await db.schema.createTable("grants")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("consent_id", "text", (column) => column.notNull().references("consents.id").onDelete("cascade"))
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("client_id", "text", (column) => column.notNull())
    .addColumn("session_public_id", "text", (column) => column.notNull())
    .addColumn("is_offline", "boolean", (column) => column.notNull())
    .addColumn("scopes", sql`text[]`, (column) => column.notNull())
    .addColumn("resource", "text")
    .addColumn("redirect_uri", "text", (column) => column.notNull())
    .addColumn("code_hash", "text", (column) => column.unique())
    .addColumn("code_challenge", "text")
    .addColumn("nonce", "text")
    .addColumn("code_expires_at", "timestamptz", (column) => column.notNull())
    .addColumn("code_spent_at", "timestamptz")
    .addColumn("auth_time", "timestamptz", (column) => column.notNull())
    .addColumn("acr", "text", (column) => column.notNull())
    .addColumn("amr", sql`text[]`, (column) => column.notNull())
    .addColumn("refresh_key", "text")
    .addColumn("generation", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("generation_at", "timestamptz", (column) => column.notNull())
    .addColumn("created_at", "timestamptz", (column) => column.notNull())
    .addColumn("last_used_at", "timestamptz", (column) => column.notNull())
    .addColumn("expires_at", "timestamptz")
    .execute();
  await db.schema.createIndex("grants_consent_id").on("grants").column("consent_id").execute();
  await db.schema.createIndex("grants_user_id").on("grants").column("user_id").execute();
  await db.schema.createIndex("grants_session_public_id").on("grants").column("session_public_id").execute();
  await db.schema.createIndex("grants_expires_at").on("grants").column("expires_at")
    .where("expires_at", "is not", null).execute();
  await sql`create index grants_unspent on grants (code_expires_at) where code_spent_at is null`.execute(db);
}
