import { recordEvents } from "../activity/events.ts";
import type { Db } from "../../db/schema.ts";
import type { Actor } from "./upload.ts";

interface UploadEvents extends Actor {
  kind: "upload.stored" | "upload.deleted";
  userId: string;
  uploadIds: string[];
}

/**
 * Records that uploads were stored or deleted. The client is not recorded: files also arrive through presigned URLs, and go
 * later than people discard them.
 */
export async function recordUploadEvents(
  db: Db,
  { uploadIds, ...event }: UploadEvents,
  now: Date,
): Promise<void> {
  await recordEvents(db, uploadIds.map((upload) => ({ ...event, client: null, details: { upload } })), now);
}
