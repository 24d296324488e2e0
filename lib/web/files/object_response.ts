import { YEAR_SECONDS } from "../../duration.ts";
import type { ByteRange, OpenObject } from "../../services/object_store.ts";
import { isExpected, isKnown } from "../../http/json.ts";

/** Keeps stored objects, which strangers upload, from running scripts on our origin. */
const SANDBOX = "default-src 'none'; sandbox";
/** The same for audio and video. The browser's player is a page that loads the object again, from the same address. */
const PLAYER_SANDBOX = "default-src 'none'; media-src 'self'; sandbox allow-same-origin";

/**
 * Answers GET or HEAD with a stored object: all of it, a part, 304 if the client has it, or
 * 412 if it asks for another version: the parts of two versions are no file.
 * Sources: RFC 9110, 13 and 14; docs/rules.md, Stored objects.
 *
 * @param disposition what browsers do with it. By default they save what could be harmful to show.
 */
export function objectResponse(
  req: Request,
  object: OpenObject,
  disposition: string | null = isShownInBrowser(object.contentType) ? null : "attachment",
): Response {
  const { contentType, sizeBytes, etag } = object;
  const headers = objectHeaders(object);
  if (!isExpected(req.headers, etag)) {
    return withoutBody(object, { status: 412, headers: { "Content-Security-Policy": policyFor(contentType) } });
  }
  if (isKnown(req.headers, etag)) return withoutBody(object, { status: 304, headers });
  const range = requestedRange(req, object);
  if (range === "unsatisfiable") {
    const refusal = { "Content-Range": `bytes */${sizeBytes}`, "Content-Security-Policy": policyFor(contentType) };
    return withoutBody(object, { status: 416, headers: refusal });
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
  headers.set("Content-Type", contentType);
  headers.set("Content-Length", String(end - start + 1));
  if (disposition !== null) headers.set("Content-Disposition", disposition);
  if (range !== null) headers.set("Content-Range", `bytes ${start}-${end}/${sizeBytes}`);
  const init = { status: range === null ? 200 : 206, headers };
  return req.method === "HEAD" ? withoutBody(object, init) : new Response(object.stream({ start, end }), init);
}

function objectHeaders({ etag, contentType }: OpenObject): Headers {
  return new Headers({
    "ETag": etag,
    "Accept-Ranges": "bytes",
    "Cache-Control": `public, max-age=${YEAR_SECONDS}`,
    "Content-Security-Policy": policyFor(contentType),
    "X-Content-Type-Options": "nosniff",
  });
}

function withoutBody(object: OpenObject, init: ResponseInit): Response {
  object.close();
  return new Response(null, init);
}

function policyFor(contentType: string): string {
  return isShownInBrowser(contentType) && /^(audio|video)\//i.test(contentType) ? PLAYER_SANDBOX : SANDBOX;
}

/** Raster images, audio, video and PDF. SVG is not shown because it may contain scripts. */
export function isShownInBrowser(contentType: string): boolean {
  const type = contentType.split(";")[0].trim().toLowerCase();
  return type === "application/pdf" || (/^(image|audio|video)\//.test(type) && !/[/+](svg|xml)/.test(type));
}

/** Returns the requested range, or null for the whole object: if no range, several or a malformed one is requested. */
function requestedRange(
  { method, headers }: Request,
  { etag, sizeBytes }: OpenObject,
): ByteRange | "unsatisfiable" | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(headers.get("Range") ?? "") ?? [];
  const isCurrent = [null, etag].includes(headers.get("If-Range"));
  if (method !== "GET" || !isCurrent || !(first || last)) return null;
  if (first && last && Number(first) > Number(last)) return null;
  const start = first ? Number(first) : Math.max(sizeBytes - Number(last), 0);
  const end = first && last ? Math.min(Number(last), sizeBytes - 1) : sizeBytes - 1;
  return start > end ? "unsatisfiable" : { start, end };
}
