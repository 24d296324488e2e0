import { AppError } from "../errors.ts";
import type { IncomingUpload, OpenObject, Services } from "../services.ts";

/**
 * Opens an object for everybody to read.
 *
 * @throws {AppError} NOT_FOUND for an unknown or malformed key, and where the store itself serves its objects.
 */
export async function getStoredObject({ objects }: Services, key: string): Promise<OpenObject> {
  const object = await objects.open(key);
  if (object === null) throw new AppError("NOT_FOUND", "There is no such file");
  return object;
}

/**
 * Stores what came to a presigned URL of our own; whoever has the URL needs no session.
 *
 * @throws {AppError} as `putPresigned` does.
 */
export async function storeUpload({ objects }: Services, upload: IncomingUpload): Promise<void> {
  await objects.putPresigned(upload);
}
