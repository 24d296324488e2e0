import { type ExpressionBuilder, sql, type Transaction } from "kysely";
import { wakeAfterCommit } from "../../db/after_commit.ts";
import type { Database, Db } from "../../db/schema.ts";
import { validationFailed } from "../errors/errors.ts";
import { isServed } from "../services/object_store.ts";
import type { Services } from "../services/services.ts";
import { visibilityOf } from "./object_key.ts";

/** Matches the key of a stored photo of any width, and its address. An index of the users uses the same pattern. */
const STORED_AVATAR = "images/avatar/([0-9a-f-]{36})";

/** Object keys, as this service makes them, need no percent-encoding. */
const PLAIN_KEY = /^[\w./-]+$/;

/**
 * Returns what a row keeps of a parsed web address that is to be an avatar: the key of a file stored here, or an https
 * address. The address of a stored file is made when it is read, because BASE_URL and the store may change.
 *
 * On our own origin only stored files are allowed, because the browser of everyone who sees the avatar requests its
 * address, with cookies. Percent-encoding is refused there: it could hide a slash or dots from this check. No one else
 * could see a private file.
 *
 * @returns null if the address may not be an avatar.
 */
export function storedAvatar(
  avatar: string,
  { config, objects }: Pick<Services, "config" | "objects">,
): string | null {
  const { origin, protocol, pathname } = new URL(avatar);
  const store = new URL(objects.publicUrl(""));
  const folders = [
    ...origin === config.baseUrl ? ["/files/"] : [],
    ...origin === store.origin ? [store.pathname] : [],
  ].filter((folder) => pathname.startsWith(folder));
  const keys = folders.map((folder) => pathname.slice(folder.length));
  if (keys.some((key) => visibilityOf(key) === "private")) return null;
  const key = keys.find((key) => PLAIN_KEY.test(key));
  if (key !== undefined) return isServed(config, key) ? key : null;
  if (origin !== config.baseUrl) return protocol === "https:" || origin === store.origin ? avatar : null;
  return !pathname.includes("%") && folders.length > 0 ? avatar : null;
}

/**
 * Makes sure that a photo that is about to be shown is not deleted. Call it in the transaction that shows it, after
 * locking the user.
 *
 * @throws {AppError} VALIDATION_FAILED when it is deleted already.
 */
export async function keepAvatar(trx: Transaction<Database>, avatar: string): Promise<void> {
  const key = storedAvatarKey(avatar);
  if (key === null) return;
  const row = await trx.selectFrom("uploads").select("state").where("key", "=", key).forShare()
    .executeTakeFirst();
  if (row === undefined || row.state === "stored") return;
  throw validationFailed({ avatar: [{ rule: "deletedPhoto" }] });
}

/** Schedules the deletion of a replaced photo, which stays while a profile shows it. */
export async function releaseAvatar(
  trx: Transaction<Database>,
  { databaseTime, uploadSignal }: Pick<Services, "databaseTime" | "uploadSignal">,
  { id: userId, avatar }: { id: string; avatar: string | null },
): Promise<void> {
  const key = storedAvatarKey(avatar ?? "");
  if (key === null) return;
  await trx.updateTable("uploads").set({ check_at: databaseTime() })
    .where("key", "=", key).where("user_id", "=", userId).where("purpose", "=", "avatar")
    .where("state", "=", "stored").execute();
  wakeAfterCommit(trx, uploadSignal);
}

/** Returns the ids of the users whose profiles show the photo with this key. */
export async function usersShowing(db: Db, key: string): Promise<string[]> {
  const rows = await db.selectFrom("users").select("id")
    .where(sql`substring(avatar from ${sql.lit(STORED_AVATAR)})`, "=", imageIdOf(key) ?? "")
    .where("avatar", "is not", null).execute();
  return rows.map(({ id }) => id);
}

/** Whether the owner's profile shows the upload, for a query of uploads. */
export function isProfilePhoto(eb: ExpressionBuilder<Database, "uploads">) {
  const photoIn = (column: string) => sql`substring(${sql.ref(column)} from ${sql.lit(STORED_AVATAR)})`;
  return eb.exists(
    eb.selectFrom("users").select("users.id").whereRef("users.id", "=", "uploads.user_id")
      .where(photoIn("users.avatar"), "=", photoIn("uploads.key")),
  );
}

/** Returns the key of a stored photo by its address or that of a copy; null for an address elsewhere. */
export function storedAvatarKey(avatar: string): string | null {
  const imageId = imageIdOf(avatar);
  return imageId === null ? null : `images/avatar/${imageId}.webp`;
}

function imageIdOf(keyOrAddress: string): string | null {
  return new RegExp(STORED_AVATAR).exec(keyOrAddress)?.[1] ?? null;
}
