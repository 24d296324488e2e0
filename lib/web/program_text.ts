import type { ProgramText } from "../api/documents.ts";
import { isKnown } from "../http/json.ts";

/** Caches may keep a text for an hour, and then ask whether it has changed. */
export function textForPrograms({ headers }: Request, contentType: string, { text, etag }: ProgramText): Response {
  const cached = { ETag: etag, "Cache-Control": "public, max-age=3600" };
  if (isKnown(headers, etag)) return new Response(null, { status: 304, headers: cached });
  return new Response(text, { headers: { ...cached, "Content-Type": contentType } });
}
