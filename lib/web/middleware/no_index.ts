import { define } from "../state.ts";

/** The headers of pages whose URLs may contain tokens, such as those of emailed links. */
export const LINK_PAGE_HEADERS = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex" };

/** Keeps search engines from listing pages about people. */
export const noIndex = define.middleware(async (ctx) => {
  const response = await ctx.next();
  response.headers.set("X-Robots-Tag", "noindex");
  return response;
});
