import type { Context } from "fresh";
import { isAdministration, isAdminPage } from "../authentication/administration.ts";
import { nothingHere } from "../authentication/require_user.ts";
import { currentUser } from "../authentication/viewer.ts";
import { requirePageSession } from "../pages/page_session.ts";
import { define, type State } from "../state.ts";
import { refuseWhileClosing } from "./closing_account.ts";

/** Leads guests from the pages of administration to the login, as other pages that require a session do. */
export const sessionForAdministration = define.middleware((ctx) =>
  isAdminPage(ctx) ? requirePageSession(ctx) : ctx.next()
);

/**
 * Hides administration from everyone but admins, whatever the method: they get what a path without a route gets. It goes by
 * the path, so that no route can forget it. The owner of an API token has been checked where the token was found.
 *
 * @throws {AppError} NOT_FOUND; ACCOUNT_CLOSING.
 */
export const adminsOnly = define.middleware((ctx) =>
  isAdministration(ctx) && ctx.state.token === undefined ? forAdmins(ctx) : ctx.next()
);

const forAdmins = refuseWhileClosing(async (ctx: Context<State>) => {
  const user = await currentUser(ctx);
  if (user?.role !== "admin") throw nothingHere();
  return await ctx.next();
});
