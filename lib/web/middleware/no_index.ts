import { define } from "../state.ts";

/** The headers of the pages of emailed links, whose URLs contain tokens. */
export const LINK_PAGE_HEADERS = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex" };

/** Keeps search engines from listing pages about people. */
export const noIndex = define.middleware(async (ctx) => {
  const response = await ctx.next();
  response.headers.set("X-Robots-Tag", "noindex");
  return response;
});
