import type { Context } from "fresh";
import { repeatSubmission } from "../idempotency/submit_once.ts";
import { nextPath, pageAfterLogin, pathOfPage, withNext } from "./next_path.ts";
import { CONTINUE_PAGE } from "./return_address.ts";
import { endHop, hop, needsHop } from "./same_site_hop.tsx";
import { currentSession } from "../authentication/current_session.ts";
import { refuseWhileClosing } from "../middleware/closing_account.ts";
import { define, type State } from "../state.ts";

/**
 * Redirects to the login page when there is no session. The login page redirects back. OPTIONS needs no session. A
 * submitted form gets an error page instead: from there the browser can submit it again, so nothing that was typed is
 * lost.
 *
 * @throws {AppError} UNAUTHENTICATED for a form.
 */
export const requirePageSession = define.middleware(async (ctx) => {
  if (ctx.req.method === "OPTIONS") return await ctx.next();
  if (!isRead(ctx.req) && await currentSession(ctx) === null) return await repeatSubmission(ctx);
  return await readWithSession(ctx);
});

/** The same for pages whose forms check the session themselves. */
export const requirePageSessionToRead = define.middleware(async (ctx) =>
  isRead(ctx.req) ? await readWithSession(ctx) : await ctx.next()
);

async function readWithSession(ctx: Context<State>): Promise<Response> {
  const session = await currentSession(ctx);
  if (session === null && needsHop(ctx)) return await hop(ctx);
  const response = session === null ? ctx.redirect(withNext("/login", pathOfPage(ctx)), 303) : await ctx.next();
  return endHop(ctx, response);
}

/**
 * Redirects logged-in users away from the login and registration pages. A product behind Foyer may have sent them, after
 * a link from another site: then the browser sends its session only after the hop.
 */
export const skipWithSession = define.middleware(refuseWhileClosing(async (ctx: Context<State>) => {
  if (!isRead(ctx.req)) return await ctx.next();
  const session = await currentSession(ctx);
  const next = nextPath(ctx);
  if (session === null && next?.startsWith(`${CONTINUE_PAGE}?`) && needsHop(ctx)) return await hop(ctx);
  return endHop(ctx, session === null ? await ctx.next() : ctx.redirect(next ?? pageAfterLogin(ctx.state), 303));
}));

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}
