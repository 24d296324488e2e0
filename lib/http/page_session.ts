import { endHop, hop, needsHop } from "./same_site_hop.tsx";
import { define } from "./state.ts";

/** Lets nobody see a page without a session; whoever logs in comes back to it. */
export const requirePageSession = define.middleware(async (ctx) => {
  const session = await ctx.state.currentSession();
  if (session === null && needsHop(ctx.req)) return await hop(ctx);
  const next = ctx.url.pathname + ctx.url.search;
  const response = session === null ? ctx.redirect(`/login?${new URLSearchParams({ next })}`, 303) : await ctx.next();
  return endHop(ctx, response);
});
