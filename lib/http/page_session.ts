import { AppError } from "../errors.ts";
import { ownPath } from "./own_path.ts";
import { endHop, hop, needsHop } from "./same_site_hop.tsx";
import { define } from "./state.ts";

/**
 * Lets nobody see a page without a session; whoever logs in comes back to it. Which methods it has, all may know. A form
 * is not led away from: on a page that answers it the browser can send it once more, and nothing typed is lost.
 *
 * @throws {AppError} UNAUTHENTICATED where something was sent.
 */
export const requirePageSession = define.middleware(async (ctx) => {
  if (ctx.req.method === "OPTIONS") return await ctx.next();
  const session = await ctx.state.currentSession();
  if (session === null && needsHop(ctx.req)) return await hop(ctx);
  if (session === null && !isRead(ctx.req)) throw new AppError("UNAUTHENTICATED", "Please log in");
  const next = ctx.url.pathname + ctx.url.search;
  const response = session === null ? ctx.redirect(`/login?${new URLSearchParams({ next })}`, 303) : await ctx.next();
  return endHop(ctx, response);
});

/** Spares those who are logged in the pages that let one in. */
export const skipWithSession = define.middleware(async (ctx) => {
  if (!isRead(ctx.req) || await ctx.state.currentSession() === null) return ctx.next();
  const { services } = ctx.state;
  return ctx.redirect(ownPath(ctx.url.searchParams.get("next"), services.config.baseUrl) ?? "/dashboard", 303);
});

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}
