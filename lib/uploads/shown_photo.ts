import { type ExpressionBuilder, sql, type Transaction } from "kysely";
import { wakeAfterCommit } from "../../db/after_commit.ts";
import type { Database, Db } from "../../db/schema.ts";
import { validationFailed } from "../errors.ts";
import type { Services } from "../services.ts";
import { visibilityOf } from "./object_key.ts";

/** Matches the address of a stored photo of any origin and width. An index of the users uses the same pattern. */
const STORED_AVATAR = "images/avatar/([0-9a-f-]{36})";

/**
 * Whether a parsed web address may be an avatar: an https address or a file stored here. On our own origin only stored
 * files are allowed, because the browser of everyone who sees the avatar requests its address, with cookies. Object keys
 * need no percent-encoding, so it is refused: it could hide a slash or dots from this check. No one else could see a
 * private file.
 */
export function isAvatarAllowed(avatar: string, { config, objects }: Pick<Services, "config" | "objects">): boolean {
  const { origin, protocol, pathname } = new URL(avatar);
  const store = new URL(objects.publicUrl(""));
  const folders = [
    ...origin === config.baseUrl ? ["/files/"] : [],
    ...origin === store.origin ? [store.pathname] : [],
  ].filter((folder) => pathname.startsWith(folder));
  if (folders.some((folder) => visibilityOf(pathname.slice(folder.length)) === "private")) return false;
  if (origin !== config.baseUrl) return protocol === "https:" || origin === store.origin;
  return !pathname.includes("%") && folders.length > 0;
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

/** Returns the key of a stored photo by its address; null for an address elsewhere. */
export function storedAvatarKey(avatar: string): string | null {
  const imageId = imageIdOf(avatar);
  return imageId === null ? null : `images/avatar/${imageId}.webp`;
}

function imageIdOf(keyOrAddress: string): string | null {
  return new RegExp(STORED_AVATAR).exec(keyOrAddress)?.[1] ?? null;
}
