import { PICTURE_START_BYTES, pictureType } from "../uploads/rules.ts";

/** Returns the type of a file: that of its content if it is a picture, and otherwise that of its name. */
export async function typeOfContent(file: File): Promise<string> {
  const start = await file.slice(0, PICTURE_START_BYTES).arrayBuffer().catch(() => undefined); // it may be gone
  return pictureType(file, start && new Uint8Array(start));
}
