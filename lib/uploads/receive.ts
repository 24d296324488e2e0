import { AppError } from "../errors.ts";
import type { IncomingUpload } from "../object_store.ts";
import type { Services } from "../services.ts";
import { checkObject, isRefusal, recordObject, refuseObject, removeRefused } from "./object_check.ts";
import { type Upload, UPLOAD_COLUMNS, uploadOfRow } from "./upload.ts";

/**
 * Stores an upload to a presigned URL at /files and records it. Once an upload is confirmed, refused or deleted, its URL
 * accepts nothing more.
 *
 * @throws {AppError} as `ObjectStore.putPresigned` does; QUOTA_EXCEEDED if the URL has expired meanwhile and its space has
 * been given away.
 */
export async function receiveUpload(services: Services, upload: IncomingUpload): Promise<void> {
  await services.objects.putPresigned({ ...upload, content: whileOpen(services, upload) });
  await recordArrival(services, upload.key);
}

/** Passes the content on if the upload may still be replaced, both before the first byte and after the last. */
async function* whileOpen(services: Services, { key, content }: IncomingUpload) {
  const upload = await findByKey(services, key);
  // A URL of the previous release has no row, and remains valid.
  if (upload !== null) requireOpen(upload);
  yield* content;
  if (upload !== null) requireOpen(await findByKey(services, key));
}

/** The row of an upload that takes more than a day is gone. */
function requireOpen(upload: Upload | null): void {
  if (upload !== null && isOpen(upload)) return;
  throw new AppError("FORBIDDEN", "The file can no longer be replaced");
}

function isOpen({ userId, status, deletedAt, etag }: Upload): boolean {
  return userId !== null && status !== "refused" && deletedAt === null && etag === null;
}

async function recordArrival(services: Services, key: string): Promise<void> {
  const upload = await findByKey(services, key);
  const object = upload && await services.objects.head(key);
  if (!object) return;
  try {
    if (await recordObject(services, upload, { ...object, etag: null })) return;
  } catch (error) {
    if (isRefusal(error)) await refuseObject(services, upload);
    throw error;
  }
  await reconcile(services, await findByKey(services, key));
}

/** The upload was confirmed, refused or deleted in the moment in which its object was replaced. */
async function reconcile(services: Services, upload: Upload | null): Promise<void> {
  if (upload === null || upload.deletedAt !== null && upload.status === "stored") return; // restoring it checks it
  if (upload.userId !== null && upload.status === "stored") return void await checkObject(services, upload);
  await removeRefused(services, upload);
  requireOpen(upload);
}

async function findByKey({ db }: Services, key: string): Promise<Upload | null> {
  const row = await db.selectFrom("uploads").select(UPLOAD_COLUMNS).where("key", "=", key).executeTakeFirst();
  return row === undefined ? null : uploadOfRow(row);
}
