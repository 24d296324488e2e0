import type { Context } from "fresh";
import type { User } from "../accounts/user.ts";
import { AppError } from "../errors.ts";
import type { State } from "./state.ts";

const PLEASE_LOG_IN = "Please log in";

/**
 * The user who must be logged in.
 *
 * @throws {AppError} UNAUTHENTICATED. Source: spec, Authentication 3.
 */
export async function requireUser(ctx: Context<State>): Promise<User> {
  const session = await ctx.state.currentSession();
  if (session === null) throw new AppError("UNAUTHENTICATED", PLEASE_LOG_IN);
  return session.user;
}

/**
 * The ids of the sessions to log out of. Unlike elsewhere they may belong to different users: logging out is the way
 * out of that state.
 *
 * @throws {AppError} UNAUTHENTICATED when the request presents no valid session.
 */
export async function requirePresentedSessions(ctx: Context<State>): Promise<string[]> {
  const ids = await ctx.state.presentedSessionIds();
  if (ids.length === 0) throw new AppError("UNAUTHENTICATED", PLEASE_LOG_IN);
  return ids;
}

/**
 * The user who must be logged in and have a verified address.
 *
 * @throws {AppError} UNAUTHENTICATED, EMAIL_NOT_VERIFIED.
 */
export async function requireVerifiedUser(ctx: Context<State>): Promise<User> {
  const user = await requireUser(ctx);
  if (user.emailVerified) return user;
  throw new AppError("EMAIL_NOT_VERIFIED", "Confirm your email address first");
}

/**
 * The user who must be logged in, and for whom the page with the form was made, where the form tells: in another window
 * somebody else may have logged in since.
 *
 * @throws {AppError} UNAUTHENTICATED, FORBIDDEN.
 */
export async function requireSameUser(ctx: Context<State>, userId?: string): Promise<User> {
  const user = await requireUser(ctx);
  if (userId === undefined || userId === user.id) return user;
  throw new AppError("FORBIDDEN", "You are logged in as somebody else now. Open your profile again");
}
