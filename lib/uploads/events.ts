import { recordEvents } from "../activity/events.ts";
import type { Db } from "../../db/schema.ts";
import type { Actor } from "./upload.ts";

interface UploadEvents extends Actor {
  kind: "upload.stored" | "upload.deleted";
  userId: string;
  uploads: { id: string; filename: string }[];
}

/**
 * Records that uploads were stored or deleted. The client is not recorded: files also arrive through presigned URLs,
 * and go later than people discard them.
 */
export async function recordUploadEvents(
  db: Db,
  { uploads, ...event }: UploadEvents,
  now: Date,
): Promise<void> {
  const events = uploads.map((upload) => ({ ...event, client: null, details: uploadDetails(upload) }));
  await recordEvents(db, events, now);
}

/** What an event says of a file. Its name stays there when the file is gone. */
export function uploadDetails({ id, filename }: { id: string; filename: string }) {
  return { upload: id, name: filename };
}
