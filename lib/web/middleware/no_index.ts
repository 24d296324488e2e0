import { define } from "../state.ts";

/** The headers of pages whose URLs may contain tokens, such as those of emailed links. */
export const LINK_PAGE_HEADERS = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex" };

/** The header that keeps search engines from listing a page. */
export const NO_INDEX = ["X-Robots-Tag", "noindex"] as const;

/** Keeps search engines from listing pages about people. */
export const noIndex = define.middleware(async (ctx) => {
  const response = await ctx.next();
  response.headers.set(...NO_INDEX);
  return response;
});
