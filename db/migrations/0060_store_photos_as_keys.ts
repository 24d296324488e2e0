import { type Kysely, sql } from "kysely";

/** The key in the address of a public file that is stored here, if an upload has it. */
const KEY = "/(images/(?:avatar|post)/[0-9a-f-]{36}(?:-[0-9]+)?\\.webp|uploads/[^/]+/[0-9a-f-]{36}-[A-Za-z0-9._-]+)$";
/** Splits the key of a copy of an image, which has no row of its own, after the part that it shares with the image. */
const COPY = "^(images/(?:avatar|post)/[0-9a-f-]{36})-[0-9]+\\.webp$";

/**
 * Avatars that are stored here become keys, because the address of the store may change. Others stay addresses.
 * Instances of older releases show the initials of their people instead.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update users set avatar = substring(avatar from ${KEY}::text)
    where avatar is not null and exists (
      select from uploads
      where uploads.key = regexp_replace(substring(users.avatar from ${KEY}::text), ${COPY}::text, '\\1.webp')
    )
  `.execute(db);
}
