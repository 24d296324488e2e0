import { AppError } from "../errors.ts";
import type { IncomingUpload, OpenObject, Services } from "../services.ts";

/**
 * Opens an object, which everyone may read.
 *
 * @throws {AppError} NOT_FOUND for an unknown or malformed key, and if the store serves its objects itself.
 */
export async function getStoredObject({ objects }: Services, key: string): Promise<OpenObject> {
  const object = await objects.open(key);
  if (object === null) throw new AppError("NOT_FOUND", "File not found");
  return object;
}

/**
 * Stores an upload to a presigned URL of our own. The URL is the permission: no session is required.
 *
 * @throws {AppError} as `putPresigned` does.
 */
export async function storeUpload({ objects }: Services, upload: IncomingUpload): Promise<void> {
  await objects.putPresigned(upload);
}
