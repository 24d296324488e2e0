import { define } from "../state.ts";

/** Keeps caches from storing responses that depend on tokens and sessions. */
export const noStore = define.middleware(async (ctx) => {
  const response = await ctx.next();
  response.headers.set("Cache-Control", "no-store");
  return response;
});
