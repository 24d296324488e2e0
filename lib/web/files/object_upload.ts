import { AppError } from "../../errors/errors.ts";
import { type IncomingUpload, isServed } from "../../services/object_store.ts";
import { streamBytes, UPLOAD_MIN_BYTES_PER_SECOND } from "../../http/body.ts";
import { withDigestsChecked } from "../../http/digests.ts";
import { define } from "../state.ts";

/**
 * Describes an upload, which fails if it does not have its declared digests. Its presigned URL decides how much of it
 * is read and whether it is stored.
 */
export function incomingUpload(req: Request, key: string): IncomingUpload {
  const content = streamBytes(req, { maxBytes: Infinity, minBytesPerSecond: UPLOAD_MIN_BYTES_PER_SECOND });
  const announced = req.headers.get("content-length");
  return {
    key,
    contentType: req.headers.get("content-type") ?? "",
    query: new URL(req.url).searchParams,
    announcedBytes: announced === null ? undefined : Number(announced),
    content: withDigestsChecked(req.headers, content),
  };
}

/**
 * Hides the objects that UPLOADS switches off. They stay stored.
 *
 * @throws {AppError} NOT_FOUND.
 */
export const servedOnly = define.middleware((ctx) => {
  if (!isServed(ctx.state.services.config, ctx.params.key ?? "")) throw new AppError("NOT_FOUND", { reason: "file" });
  return ctx.next();
});

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
