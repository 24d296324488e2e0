import type { Context } from "fresh";
import { AppError } from "../../errors/errors.ts";
import { isAccountClosing, presentsSession, refuseWaiting } from "../authentication/current_session.ts";
import type { WithSession } from "../authentication/session_lookup.ts";
import { mapMethods } from "./other_methods.ts";

/** The page on which people keep an account that is closing. */
export const KEEP_ACCOUNT_PAGE = "/keep-account";

/** Whether a route accepts the session of an account that is closing. */
export type WhileClosing = "open" | "refused";

/**
 * Refuses a handler to the session of an account that is closing, and to one that waits for a second factor unless the
 * route accepts it. Pages lead to {@linkcode KEEP_ACCOUNT_PAGE} instead.
 */
export function refuseWhileClosing<Ctx extends WithSession, R>(
  handler: (ctx: Ctx) => R,
): (ctx: Ctx) => R | Promise<Awaited<R>> {
  return (ctx) => presentsSession(ctx) ? unlessClosing(ctx, handler) : handler(ctx);
}

async function unlessClosing<Ctx extends WithSession, R>(ctx: Ctx, handler: (ctx: Ctx) => R): Promise<Awaited<R>> {
  if (await isAccountClosing(ctx)) {
    throw new AppError("ACCOUNT_CLOSING");
  }
  await refuseWaiting(ctx);
  return await handler(ctx);
}

/** The same for all handlers of a route but OPTIONS, which only lists methods. */
export function refuseAllWhileClosing<Ctx extends WithSession, R>(
  handlers: Record<string, (ctx: Ctx) => R>,
): Record<string, (ctx: Ctx) => R | Promise<Awaited<R>>> {
  return mapMethods(handlers, (handler, method) => method === "OPTIONS" ? handler : refuseWhileClosing(handler));
}

/** Refuses paths without a route too. A closing account can do nothing but what its routes declare. */
export function refuseUnknownPaths<S extends WithSession["state"]>(ctx: Context<S>): Promise<Response> {
  return ctx.route === null ? refuseWhileClosing(() => ctx.next())(ctx) : ctx.next();
}
