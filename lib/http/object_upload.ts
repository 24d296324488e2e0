import { AppError } from "../errors.ts";
import type { IncomingUpload } from "../services.ts";
import { streamBytes, UPLOAD_MIN_BYTES_PER_SECOND } from "./body.ts";
import { define } from "./state.ts";

/** What a PUT brings; how much of it is read, and whether it is stored, its presigned URL decides. */
export function incomingUpload(req: Request, key: string): IncomingUpload {
  const announced = req.headers.get("content-length");
  return {
    key,
    contentType: req.headers.get("content-type") ?? "",
    query: new URL(req.url).searchParams,
    announcedBytes: announced === null ? undefined : Number(announced),
    content: streamBytes(req, { maxBytes: Infinity, minBytesPerSecond: UPLOAD_MIN_BYTES_PER_SECOND }),
  };
}

/**
 * A presigned URL is for PUT alone.
 *
 * @throws {AppError} FORBIDDEN for any other method, as S3 does.
 */
export const signedForPutOnly = define.middleware((ctx) => {
  const { method } = ctx.req;
  if (method === "PUT" || method === "OPTIONS" || !ctx.url.searchParams.has("signature")) return ctx.next();
  throw new AppError("FORBIDDEN", "This address is for PUT only");
});
