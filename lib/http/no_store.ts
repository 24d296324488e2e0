import { define } from "./state.ts";

/** For addresses whose answers are shaped by tokens and sessions: no cache keeps them. */
export const noStore = define.middleware(async (ctx) => {
  const response = await ctx.next();
  response.headers.set("Cache-Control", "no-store");
  return response;
});
