import { AppError } from "../../errors.ts";
import type { IncomingUpload } from "../../object_store.ts";
import { streamBytes, UPLOAD_MIN_BYTES_PER_SECOND } from "../../http/body.ts";
import { define } from "../state.ts";

/** Describes an upload. Its presigned URL decides how much of it is read and whether it is stored. */
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
 * Restricts presigned URLs to PUT.
 *
 * @throws {AppError} FORBIDDEN for any other method, as S3 does.
 */
export const presignedPutOnly = define.middleware((ctx) => {
  const { method } = ctx.req;
  if (method === "PUT" || method === "OPTIONS" || !ctx.url.searchParams.has("signature")) return ctx.next();
  throw new AppError("FORBIDDEN", { reason: "put" });
});
