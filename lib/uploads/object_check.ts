import type { Transaction } from "kysely";
import type { AtCommit } from "../at_commit.ts";
import type { Database } from "../../db/schema.ts";
import { lockUser } from "../users/user.ts";
import { removeAvatar } from "../users/user_changes.ts";
import { recordEvent } from "../activity/events.ts";
import type { Config } from "../config/config.ts";
import { DAY_SECONDS, MINUTE_SECONDS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors.ts";
import type { StoredObject } from "../object_store.ts";
import type { Services } from "../services.ts";
import { matchesType, SIGNATURE_BYTES } from "./file_signature.ts";
import { objectKeys } from "./object_key.ts";
import { requireSpace } from "./quota.ts";
import { type Upload, UPLOAD_COLUMNS, uploadOfRow } from "./upload.ts";

/**
 * How long an object may still arrive after its URL has expired: S3 accepts an upload that began before. Until then, the
 * row of a refused or deleted object stays, so that whatever arrives is deleted.
 */
export const ARRIVAL_SECONDS = DAY_SECONDS;
/** How long a row is leased to the process that works on its object. If the process dies, the sweep takes over. */
export const LEASE_SECONDS = 5 * MINUTE_SECONDS;

/** The program that stores or deletes an object. */
export interface Actor {
  /** The id of its API token; undefined for a person in a session, and for the sweep. */
  tokenId?: string;
}

/** Whether nothing can arrive under the key any more. */
export function isSettled({ expiresAt }: Upload, { now }: Pick<Services, "now">): boolean {
  return now() >= secondsAfter(expiresAt, ARRIVAL_SECONDS);
}

/**
 * Checks the object of an upload: its size, its first bytes and the space that is left. Records its entity tag, or refuses
 * and deletes it.
 *
 * @throws {AppError} NOT_UPLOADED; PAYLOAD_TOO_LARGE, FILE_SIGNATURE_MISMATCH and QUOTA_EXCEEDED, when the object has been
 * refused; NOT_FOUND when the upload has been deleted meanwhile.
 */
export async function checkObject(services: Services, upload: Upload, by: Actor = {}): Promise<Upload> {
  const start = await services.objects.readStart(upload.key, SIGNATURE_BYTES);
  if (start === null) throw new AppError("NOT_UPLOADED", "Nothing has been uploaded yet");
  const { bytes, object } = start;
  try {
    requireDeclaredSize(services.config, upload, object);
    requireDeclaredType(upload, bytes);
    const recorded = await recordObject(services, upload, { ...object, ...by });
    if (recorded === null) throw new AppError("NOT_FOUND", "Upload not found");
    return recorded;
  } catch (error) {
    if (isRefusal(error)) await refuseObject(services, upload);
    throw error;
  }
}

/** Whether an error of {@linkcode checkObject} means that the object was refused and deleted. */
export function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError &&
    ["PAYLOAD_TOO_LARGE", "FILE_SIGNATURE_MISMATCH", "QUOTA_EXCEEDED"].includes(error.code);
}

function requireDeclaredSize({ uploadMaxBytes }: Config, { declaredBytes }: Upload, { sizeBytes }: StoredObject): void {
  const fits = declaredBytes === null ? sizeBytes <= uploadMaxBytes : sizeBytes === declaredBytes;
  if (fits) return;
  const expected = declaredBytes === null ? `larger than ${uploadMaxBytes} bytes` : `not of the declared size`;
  throw new AppError("PAYLOAD_TOO_LARGE", `The file is ${expected}`);
}

function requireDeclaredType({ contentType }: Upload, bytes: Uint8Array): void {
  if (matchesType(bytes, contentType)) return;
  throw new AppError("FILE_SIGNATURE_MISMATCH", `The file's content does not match type ${contentType}`);
}

/**
 * Records that the object is stored. Returns null if the upload has been refused or deleted.
 *
 * @param object its `etag` is null if its content has not been checked. Then it is recorded only if no other has been.
 * @throws {AppError} QUOTA_EXCEEDED if it is larger than the space that is reserved and left.
 */
export async function recordObject(
  services: Services,
  { id, userId }: Upload,
  { sizeBytes, etag, tokenId }: { sizeBytes: number; etag: string | null } & Actor,
  atCommit?: AtCommit<Upload>,
): Promise<Upload | null> {
  if (userId === null) return null;
  return await services.db.transaction().execute(async (trx) => {
    // Locks the user before the upload, as everywhere.
    await lockUser(trx, userId);
    const row = await trx.selectFrom("uploads").select(["bytes", "status"]).where("id", "=", id).where(
      "user_id",
      "=",
      userId,
    )
      .where("status", "<>", "refused").where("deleted_at", "is", null)
      .$if(etag === null, (query) => query.where("etag", "is", null)).forUpdate().executeTakeFirst();
    if (row === undefined) return null;
    await requireSpace(trx, services, { userId, bytes: sizeBytes - Number(row.bytes) });
    const recorded = await trx.updateTable("uploads").set({ status: "stored", bytes: sizeBytes, etag })
      .where("id", "=", id).returning(UPLOAD_COLUMNS).executeTakeFirstOrThrow();
    if (row.status !== "stored") await recordUploadEvent(trx, services, { kind: "upload.stored", userId, id, tokenId });
    const upload = uploadOfRow(recorded);
    await atCommit?.(trx, upload);
    return upload;
  });
}

/** The client is not recorded: files also arrive through presigned URLs, and go later than people discard them. */
async function recordUploadEvent(
  trx: Transaction<Database>,
  { now }: Pick<Services, "now">,
  { id, ...event }: { kind: "upload.stored" | "upload.deleted"; userId: string; id: string } & Actor,
): Promise<void> {
  await recordEvent(trx, { ...event, client: null, details: { upload: id } }, now());
}

/**
 * Refuses an upload, deletes its object, and also deletes what arrives later. Does nothing if other content has been
 * checked and recorded meanwhile.
 */
export async function refuseObject(services: Services, { id, etag }: Upload): Promise<void> {
  const { db, databaseTime } = services;
  const refused = await db.updateTable("uploads").set({ status: "refused", check_at: databaseTime(LEASE_SECONDS) })
    .where("id", "=", id).where("etag", "is not distinct from", etag).returning(UPLOAD_COLUMNS).executeTakeFirst();
  if (refused !== undefined) await removeRefused(services, uploadOfRow(refused));
}

/**
 * Deletes the object of a refused upload and its variants. The row goes when nothing can arrive under the key any more.
 * Repeating this does no harm.
 */
export async function removeRefused(services: Services, upload: Upload, { tokenId }: Actor = {}): Promise<void> {
  const { db, objects, databaseTime, now } = services;
  const { id, userId, key, expiresAt, deletedAt } = upload;
  if (userId !== null && deletedAt !== null) {
    await removeAvatar(db, { id: userId, avatar: objects.publicUrl(key), now: now() });
  }
  for (const each of objectKeys(key)) await objects.delete(each);
  const settlesInSeconds = (secondsAfter(expiresAt, ARRIVAL_SECONDS).getTime() - now().getTime()) / 1000;
  await db.transaction().execute(async (trx) => {
    if (userId !== null) await lockUser(trx, userId);
    const row = await trx.selectFrom("uploads").select("user_id").where("id", "=", id).forUpdate().executeTakeFirst();
    if (row?.user_id && deletedAt !== null) {
      await recordUploadEvent(trx, services, { kind: "upload.deleted", userId: row.user_id, id, tokenId });
    }
    if (isSettled(upload, services)) await trx.deleteFrom("uploads").where("id", "=", id).execute();
    else {
      await trx.updateTable("uploads").set({
        check_at: databaseTime(settlesInSeconds),
        user_id: deletedAt === null ? userId : null,
      }).where("id", "=", id).execute();
    }
  });
}
