import type { Context } from "fresh";
import { mayBePrivate } from "../../uploads/object_key.ts";
import { openPrivateFile, type Reader } from "../../uploads/private/reading.ts";
import { currentUser } from "../authentication/viewer.ts";
import { isInFrame } from "../authorize/navigation.ts";
import { errorResponse } from "../error_responses.tsx";
import { endHop, hop, needsHop } from "../pages/same_site_hop.tsx";
import { define, type State } from "../state.ts";
import { attachment } from "./content_disposition.ts";
import { isShownInBrowser, objectResponse } from "./object_response.ts";

/** Keep caches, pages of other sites and search engines from the file, and its address from those it links to. */
const PRIVATE_HEADERS = {
  "Cache-Control": "private, no-store",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Robots-Tag": "noindex",
  "Referrer-Policy": "no-referrer",
};

/** Sets the headers of every response at the address of a private file, errors included. */
export const privateFileHeaders = define.middleware(async (ctx) => {
  if (!mayBePrivate(ctx.params.key ?? "")) return await ctx.next();
  const response = endHop(ctx, await ctx.next().catch((error) => errorResponse(ctx, error)));
  for (const [name, value] of Object.entries(PRIVATE_HEADERS)) response.headers.set(name, value);
  return response;
});

/**
 * Answers GET or HEAD with a private file, for its owner or for someone with a link. A link counts alone: its response is
 * the same with and without a session. Opened from another site, the address hops first, because only then the browser
 * sends the session.
 *
 * @throws {AppError} NOT_FOUND.
 */
export async function privateFileResponse(ctx: Context<State>, key: string): Promise<Response> {
  const reader = await findReader(ctx);
  if (reader === null && needsHop(ctx) && !isInFrame(ctx.req)) return await hop(ctx);
  const { upload: { filename }, object, isDownload } = await openPrivateFile(ctx.state.services, { key, reader });
  const isSaved = isDownload || !isShownInBrowser(object.contentType);
  return objectResponse(ctx.req, object, isSaved ? attachment(filename) : null);
}

async function findReader(ctx: Context<State>): Promise<Reader | null> {
  const link = ctx.url.searchParams.get("link");
  if (link !== null) return { link };
  const user = await currentUser(ctx);
  return user && { userId: user.id };
}
