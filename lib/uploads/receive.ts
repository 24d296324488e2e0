import { AppError } from "../errors/errors.ts";
import type { IncomingUpload, OpenObject } from "../services/object_store.ts";
import type { Services } from "../services/services.ts";
import { checkObject, isRefusal, recordObject } from "./object_check.ts";
import { refuseObject, removeObject } from "./removal.ts";
import { findUploadByKey, type Upload } from "./upload.ts";
import { mayBePrivate } from "./object_key.ts";

/**
 * Stores an upload to a presigned URL at /files and records it. Once an upload is confirmed, refused or deleted, its
 * URL accepts nothing more.
 *
 * @throws {AppError} as `ObjectStore.putPresigned` and {@linkcode checkObject} do; FORBIDDEN if the upload takes
 * nothing more; QUOTA_EXCEEDED if its space was released meanwhile and is taken now.
 */
export async function receiveUpload(services: Services, upload: IncomingUpload): Promise<void> {
  await services.objects.putPresigned({ ...upload, content: whileOpen(services, upload) });
  await recordArrival(services, upload.key);
}

/** Yields the content. Checks before the first byte and after the last that the upload still accepts it. */
async function* whileOpen(services: Services, { key, content }: IncomingUpload) {
  const upload = await findUploadByKey(services.db, key);
  // A URL that version 0.1.0 issued has no row, and remains valid.
  if (upload !== null) requireOpen(upload);
  yield* content;
  if (upload !== null) requireOpen(await findUploadByKey(services.db, key));
}

/** Throws FORBIDDEN unless the upload accepts content. The row of an upload that takes more than a day is gone. */
function requireOpen(upload: Upload | null): void {
  if (upload !== null && isOpen(upload)) return;
  throw new AppError("FORBIDDEN", { reason: "replaced" });
}

function isOpen({ userId, state, etag }: Upload): boolean {
  return userId !== null && (state === "pending" || state === "stored") && etag === null;
}

async function recordArrival(services: Services, key: string): Promise<void> {
  const upload = await findUploadByKey(services.db, key);
  const object = upload && await services.objects.head(key);
  if (!object) return;
  try {
    if (await recordObject(services, upload, { ...object, etag: null })) return;
  } catch (error) {
    if (isRefusal(error)) await refuseObject(services, upload);
    throw error;
  }
  await reconcile(services, await findUploadByKey(services.db, key));
}

/** Handles an upload that was confirmed, refused or deleted while its object was being replaced. */
async function reconcile(services: Services, upload: Upload | null): Promise<void> {
  // A deleted file that is restored is checked by the sweep.
  if (upload === null || upload.state === "discarded") return;
  if (upload.userId !== null && upload.state === "stored") return void await checkObject(services, upload);
  await removeObject(services, upload);
  requireOpen(upload);
}

/**
 * Opens an object that everyone may read.
 *
 * @throws {AppError} NOT_FOUND for an unknown, malformed or private key, and if the store serves its objects itself.
 */
export async function getStoredObject({ objects }: Services, key: string): Promise<OpenObject> {
  const object = mayBePrivate(key) ? null : await objects.open(key);
  if (object === null) throw new AppError("NOT_FOUND", { reason: "file" });
  return object;
}
