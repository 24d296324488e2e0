import type { Kysely } from "kysely";

/** Links beside codes. They work in the browser that asked for the code, which has a cookie. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("emailed_codes")
    .addColumn("link_hash", "text")
    .addColumn("request_hash", "text")
    .addColumn("link_next", "text")
    .execute();
  await db.schema.createIndex("emailed_codes_link_hash").on("emailed_codes").column("link_hash").unique().execute();
}
