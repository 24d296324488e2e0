import { AppError } from "../errors/errors.ts";
import type { Services } from "../services/services.ts";
import { checkObject } from "./object_check.ts";
import { type Actor, findUpload, type Upload } from "./upload.ts";

/**
 * Confirms that an upload has arrived. A confirmed upload is not checked again.
 *
 * @throws {AppError} NOT_FOUND for an unknown upload and for one of another user; NOT_UPLOADED; what
 * {@linkcode checkObject} throws when it refuses the object.
 */
export async function confirmUpload(
  services: Services,
  { id, userId, tokenId }: { id: string; userId: string } & Actor,
): Promise<Upload> {
  const upload = await findUpload(services.db, { id, userId });
  if (upload === null) throw new AppError("NOT_FOUND", { reason: "upload" });
  if (upload.state === "removing") throw new AppError("NOT_UPLOADED", { reason: "refused" });
  if (upload.etag !== null) return upload;
  // The request that uploads the image is still running, or was interrupted. The sweep deletes interrupted ones.
  if (upload.purpose !== "file") throw new AppError("NOT_UPLOADED", { reason: "storing" });
  return await checkObject(services, upload, { tokenId });
}
