import { AppError } from "../errors.ts";
import type { OpenObject } from "../object_store.ts";
import type { Services } from "../services.ts";

/**
 * Opens an object, which everyone may read.
 *
 * @throws {AppError} NOT_FOUND for an unknown or malformed key, and if the store serves its objects itself.
 */
export async function getStoredObject({ objects }: Services, key: string): Promise<OpenObject> {
  const object = await objects.open(key);
  if (object === null) throw new AppError("NOT_FOUND", { reason: "file" });
  return object;
}
