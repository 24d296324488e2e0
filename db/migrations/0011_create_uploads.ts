import { type Kysely, sql } from "kysely";

/**
 * Gives every stored object a row. When a user is deleted, the row stays without its user, so that the sweep finds the
 * object and deletes it. The previous release deletes users without a look at this table, so it must not refuse that.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createType("upload_status").asEnum(["pending", "stored", "refused"]).execute();
  await db.schema.createTable("uploads")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("user_id", "text", (column) => column.references("users.id").onDelete("set null"))
    .addColumn("key", "text", (column) => column.notNull().unique())
    .addColumn("filename", "text", (column) => column.notNull())
    .addColumn("content_type", "text", (column) => column.notNull())
    .addColumn("declared_bytes", "bigint")
    .addColumn("bytes", "bigint", (column) => column.notNull())
    .addColumn("etag", "text")
    .addColumn("purpose", "text", (column) => column.notNull())
    .addColumn("status", sql`upload_status`, (column) => column.notNull().defaultTo("pending"))
    .addColumn("expires_at", "timestamptz", (column) => column.notNull())
    .addColumn("check_at", "timestamptz")
    .addColumn("deleted_at", "timestamptz")
    .addColumn("created_at", "timestamptz", (column) => column.notNull())
    .execute();
  // For the list and the quota of a user, which reads no other columns.
  await sql`create index uploads_user_id on uploads (user_id, id) include (status, bytes)`.execute(db);
  await db.schema.createIndex("uploads_check_at").on("uploads").column("check_at")
    .where("check_at", "is not", null).execute();
  await sql`create index uploads_without_user on uploads (id) where user_id is null and status <> 'refused'`.execute(
    db,
  );
  // Finds the profiles that show a stored image, whatever the origin of its address and the width of the image.
  await sql`
    create index users_stored_avatar on users (substring(avatar from 'images/avatar/([0-9a-f-]{36})'))
    where avatar is not null
  `.execute(db);
  await createStoreSweep(db);
}

/**
 * The one row is the progress of the sweep that lists the store. Objects from before this migration have no rows; the
 * sweep adds them. It starts two days later, so that an operator can look first at what it will do.
 */
async function createStoreSweep(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("store_sweep")
    .addColumn("id", "boolean", (column) => column.primaryKey().defaultTo(true).check(sql`id`))
    .addColumn("rows_since", "timestamptz", (column) => column.notNull().defaultTo(sql`now()`))
    .addColumn("next_at", "timestamptz", (column) => column.notNull().defaultTo(sql`now() + interval '48 hours'`))
    .addColumn("after_key", "text", (column) => column.notNull().defaultTo(""))
    .execute();
  await sql`insert into store_sweep default values`.execute(db);
}
