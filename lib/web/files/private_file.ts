import type { Context } from "fresh";
import { MINUTE_SECONDS } from "../../duration.ts";
import { mayBePrivate } from "../../uploads/object_key.ts";
import { openPrivateFile, type Reader } from "../../uploads/private/reading.ts";
import { savedName } from "../../uploads/rules.ts";
import type { Upload } from "../../uploads/upload.ts";
import { currentUser } from "../authentication/viewer.ts";
import { isInFrame } from "../oauth/navigation.ts";
import { errorResponse } from "../error_responses.tsx";
import { endHop, hop, needsHop } from "../pages/same_site_hop.tsx";
import { define, type State } from "../state.ts";
import { isShownInBrowser, objectResponse } from "./object_response.ts";

/** How long the address in a bucket works to which a request is redirected. Source: docs/rules.md, Private files. */
const PRESIGNED_SECONDS = MINUTE_SECONDS;

/** The page that hops must not repeat a path that a program has made of a link. */
const OUR_KEY = /^[\w./-]+$/;

/** Keep caches, pages of other sites and search engines from the file, and its address from those it links to. */
const PRIVATE_HEADERS = {
  "Cache-Control": "private, no-store",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Robots-Tag": "noindex",
  "Referrer-Policy": "no-referrer",
};

/**
 * Sets the headers of every response at the address of a private file, errors included. Public files take no detour.
 */
export const privateFileHeaders = define.middleware((ctx) =>
  mayBePrivate(ctx.params.key ?? "") ? nextWithHeaders(ctx) : ctx.next()
);

async function nextWithHeaders(ctx: Context<State>): Promise<Response> {
  const response = endHop(ctx, await ctx.next().catch((error) => errorResponse(ctx, error)));
  for (const [name, value] of Object.entries(PRIVATE_HEADERS)) response.headers.set(name, value);
  return response;
}

/**
 * Answers GET or HEAD with a private file, for its owner or for someone with a link. A link counts alone: its response
 * is the same with and without a session. Opened from another site, the address hops first, because only then the
 * browser sends the session.
 *
 * @throws {AppError} NOT_FOUND.
 */
export async function privateFileResponse(ctx: Context<State>, key: string): Promise<Response> {
  const reader = await findReader(ctx);
  if (reader === null && OUR_KEY.test(key) && needsHop(ctx) && !isInFrame(ctx.req)) return await hop(ctx);
  const { upload, object, isDownload } = await openPrivateFile(ctx.state.services, { key, reader });
  const isSaved = isDownload || !isShownInBrowser(upload.contentType);
  const disposition = isSaved ? attachment(savedName({ ...upload, name: upload.filename })) : null;
  return object === null
    ? await redirectToStore(ctx, upload, disposition)
    : objectResponse(ctx.req, object, disposition);
}

/**
 * Leads to the store, which sends the file itself. A client follows with the same method, and the URL permits only
 * that.
 */
async function redirectToStore(
  { req, state: { services: { objects } } }: Context<State>,
  { key, contentType }: Pick<Upload, "key" | "contentType">,
  disposition: string | null,
): Promise<Response> {
  const url = await objects.presignGet!(key, {
    method: req.method === "HEAD" ? "HEAD" : "GET",
    contentType,
    disposition: disposition ?? "inline",
    expiresInSeconds: PRESIGNED_SECONDS,
  });
  return new Response(null, { status: 303, headers: { Location: url } });
}

async function findReader(ctx: Context<State>): Promise<Reader | null> {
  const link = ctx.url.searchParams.get("link");
  if (link !== null) return { link };
  const user = await currentUser(ctx);
  return user && { userId: user.id };
}

/** Returns the value of `Content-Disposition` that makes browsers save a file under this name. Source: RFC 6266, 4. */
export function attachment(filename: string): string {
  const encoded = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename*=UTF-8''${encoded}`;
}
