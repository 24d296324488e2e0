import { AppError } from "../errors.ts";
import type { OpenObject } from "../object_store.ts";
import type { Services } from "../services.ts";
import { mayBePrivate } from "./object_key.ts";

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
