import type { Context } from "fresh";
import { nothingHere } from "../authentication/require_user.ts";
import { currentUser } from "../authentication/viewer.ts";
import { requirePageSession } from "../pages/page_session.ts";
import { define, type State } from "../state.ts";
import { refuseWhileClosing } from "./closing_account.ts";

/**
 * Hides a handler from everyone but admins, whatever the method: they get what a path without a route gets. It is no
 * secret from apps that act as themselves, whose scopes have been checked.
 *
 * @throws {AppError} NOT_FOUND; ACCOUNT_CLOSING.
 */
export function hideFromOthers<Result>(
  handler: (ctx: Context<State>) => Result | Promise<Result>,
): (ctx: Context<State>) => Promise<Result> {
  const hidden = refuseWhileClosing(async (ctx: Context<State>) => {
    const isService = ctx.state.token?.user === null;
    if (!isService && (await currentUser(ctx))?.role !== "admin") throw nothingHere();
    return await handler(ctx);
  });
  return async (ctx) => await hidden(ctx);
}

/** Leads guests to the login from unknown paths below /admin too, so that they cannot tell which pages exist. */
export const sessionForUnknownAdminPages = define.middleware((ctx) =>
  ctx.route === null && /^\/admin(?:\/|$)/.test(ctx.url.pathname)
    ? requirePageSession(ctx, () => ctx.next())
    : ctx.next()
);
