/** Removes uploads: first the row gets the state `removing`, then the objects go, then the row. */
import { sql, type Transaction } from "kysely";
import type { Database, DatabaseTime, Db } from "../../db/schema.ts";
import type { UploadState } from "./tables.ts";
import type { Services } from "../services/services.ts";
import { removeAvatar } from "../users/user_changes.ts";
import { recordUploadEvents } from "./events.ts";
import { objectKeys } from "./object_key.ts";
import { type Actor, isSettled, LEASE_SECONDS, settledAt, type Upload, UPLOAD_COLUMNS, uploadOfRow } from "./upload.ts";

/** Uploads that their owner deletes, and by which program. */
export interface Deletion extends Actor {
  userId: string;
  ids: string[];
  /** Leaves out uploads in other states. */
  onlyIn?: UploadState;
}

/**
 * Marks uploads as deleted by their owner, and records that once for each. The caller holds the user's lock, and calls
 * {@linkcode removeObject} after the commit.
 */
export async function markDeleted(
  trx: Transaction<Database>,
  { databaseTime, now }: Pick<Services, "databaseTime" | "now">,
  { userId, ids, onlyIn, tokenId }: Deletion,
): Promise<Upload[]> {
  const before = await trx.selectFrom("uploads").select(["id", "filename", "state", "deleted_at"]).where(
    "user_id",
    "=",
    userId,
  )
    .where("id", "in", ids).$if(onlyIn !== undefined, (query) => query.where("state", "=", onlyIn!))
    .forUpdate().execute();
  if (before.length === 0) return [];
  const rows = await trx.updateTable("uploads")
    .set({ state: "removing", deleted_at: now(), check_at: databaseTime(LEASE_SECONDS) })
    .where("id", "in", before.map(({ id }) => id)).returning(UPLOAD_COLUMNS).execute();
  const deleted = before.filter(({ state, deleted_at }) => state !== "removing" || deleted_at === null);
  await recordUploadEvents(trx, { kind: "upload.deleted", userId, uploads: deleted, tokenId }, now());
  return rows.map(uploadOfRow);
}

/**
 * Marks all uploads of a user as deleted, as {@linkcode markDeleted} does: a stranger sent them. The sweep removes
 * them.
 */
export async function disownUploads(
  db: Db,
  { userId, databaseTime, now }: { userId: string; databaseTime: DatabaseTime; now: Date },
): Promise<void> {
  const rows = await db.updateTable("uploads")
    .set({ state: "removing", deleted_at: now, check_at: databaseTime() }).where("user_id", "=", userId)
    .where((where) => where.or([where("state", "<>", "removing"), where("deleted_at", "is", null)]))
    .returning(["id", "filename"]).execute();
  await recordUploadEvents(db, { kind: "upload.deleted", userId, uploads: rows }, now);
}

/**
 * Refuses an upload, deletes its object, and also deletes what arrives later. Does nothing if other content has been
 * checked and recorded meanwhile.
 */
export async function refuseObject(services: Services, { id, etag }: Upload): Promise<void> {
  const { db, databaseTime } = services;
  const refused = await db.updateTable("uploads").set({ state: "removing", check_at: databaseTime(LEASE_SECONDS) })
    .where("id", "=", id).where("etag", "is not distinct from", etag).returning(UPLOAD_COLUMNS).executeTakeFirst();
  if (refused !== undefined) await removeObject(services, uploadOfRow(refused));
}

/**
 * Deletes the object of an upload in the state `removing`, and its variants. The row goes when nothing can arrive under
 * the key anymore. Repeating this does no harm.
 */
export async function removeObject(services: Services, upload: Upload): Promise<void> {
  const { db, objects, databaseTime, now } = services;
  const { id, userId, key, deletedAt } = upload;
  if (userId !== null && deletedAt !== null) {
    await removeAvatar(db, { id: userId, avatar: key, now: now() });
  }
  for (const each of objectKeys(key)) await objects.delete(each);
  if (isSettled(upload, services)) return void await db.deleteFrom("uploads").where("id", "=", id).execute();
  const settlesInSeconds = (settledAt(upload).getTime() - now().getTime()) / 1000;
  // The owner of a refused file still sees it. No one sees a deleted one.
  const user_id = sql<string | null>`case when deleted_at is null then user_id end`;
  await db.updateTable("uploads").set({ check_at: databaseTime(settlesInSeconds), user_id }).where("id", "=", id)
    .execute();
}
