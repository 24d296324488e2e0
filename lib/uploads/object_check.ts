/** Checks of objects, which requests and the sweep use. */
import { lockUser } from "../users/user_lock.ts";
import type { Config } from "../config/config.ts";
import { AppError } from "../errors/errors.ts";
import type { StoredObject } from "../services/object_store.ts";
import type { Services } from "../services/services.ts";
import { recordUploadEvents } from "./events.ts";
import { matchesType, SIGNATURE_BYTES } from "./file_signature.ts";
import { requireSpace } from "./quota.ts";
import { refuseObject } from "./removal.ts";
import { type Actor, type Upload, UPLOAD_COLUMNS, uploadOfRow } from "./upload.ts";

/**
 * Checks the object of an upload: its size, its first bytes and the space that is left. Records its entity tag, or
 * refuses and deletes it.
 *
 * @throws {AppError} NOT_UPLOADED; PAYLOAD_TOO_LARGE, FILE_SIGNATURE_MISMATCH and QUOTA_EXCEEDED, when the object has
 * been refused; NOT_FOUND when the upload has been deleted meanwhile.
 */
export async function checkObject(services: Services, upload: Upload, by: Actor = {}): Promise<Upload> {
  const start = await services.objects.readStart(upload.key, SIGNATURE_BYTES);
  if (start === null) throw new AppError("NOT_UPLOADED", { reason: "nothing" });
  const { bytes, object } = start;
  try {
    requireDeclaredSize(services.config, upload, object);
    requireDeclaredType(upload, bytes);
    const recorded = await recordObject(services, upload, { ...object, ...by });
    if (recorded === null) throw new AppError("NOT_FOUND", { reason: "upload" });
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
  throw declaredBytes === null
    ? new AppError("PAYLOAD_TOO_LARGE", { reason: "file", maxBytes: uploadMaxBytes })
    : new AppError("PAYLOAD_TOO_LARGE", { reason: "declared" });
}

function requireDeclaredType({ contentType }: Upload, bytes: Uint8Array): void {
  if (matchesType(bytes, contentType)) return;
  throw new AppError("FILE_SIGNATURE_MISMATCH", { contentType });
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
): Promise<Upload | null> {
  if (userId === null) return null;
  return await services.db.transaction().execute(async (trx) => {
    // Locks the user before the upload, as everywhere.
    const user = await lockUser(trx, userId);
    const row = await trx.selectFrom("uploads").select(["bytes", "state"]).where("id", "=", id)
      .where("user_id", "=", userId).where("state", "in", ["pending", "stored"])
      .$if(etag === null, (query) => query.where("etag", "is", null)).forUpdate().executeTakeFirst();
    if (user === null || row === undefined) return null;
    await requireSpace(trx, services, { user, bytes: sizeBytes - Number(row.bytes) });
    const recorded = await trx.updateTable("uploads").set({ state: "stored", bytes: sizeBytes, etag })
      .where("id", "=", id).returning(UPLOAD_COLUMNS).executeTakeFirstOrThrow();
    if (row.state === "pending") {
      await recordUploadEvents(trx, { kind: "upload.stored", userId, uploads: [recorded], tokenId }, services.now());
    }
    return uploadOfRow(recorded);
  });
}
