import { errorFields } from "../log.ts";
import type { Services } from "../services.ts";

/**
 * Writes an object to the bucket and deletes it, so that a mistake in the settings is in the log before the first upload.
 * A folder has already been written to: the start creates it.
 */
export async function checkStore(
  { config, objects, log }: Pick<Services, "config" | "objects" | "log">,
): Promise<void> {
  if (config.s3 === undefined) return;
  // In a folder that the credentials must be able to write to.
  const key = `uploads/write-test-${crypto.randomUUID()}`;
  try {
    await objects.put(key, new Uint8Array([0]), "application/octet-stream");
    await objects.delete(key);
  } catch (error) {
    const hint = "check S3_ENDPOINT, S3_REGION, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY";
    log("error", `the bucket cannot be written to: ${hint}`, errorFields(error));
  }
}
