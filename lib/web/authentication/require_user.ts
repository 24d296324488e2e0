import type { Context } from "fresh";
import type { AnyCaller, Principal } from "../../access/principal.ts";
import type { User } from "../../users/user_row.ts";
import { AppError } from "../../errors/errors.ts";
import { clientOf } from "../client.ts";
import { currentSession, presentedSessionIds } from "./current_session.ts";
import type { State } from "../state.ts";
import { sessionRequired } from "./scope.ts";
import { currentUser } from "./viewer.ts";

/**
 * Returns the user for whom the request acts, in a session or with an API token.
 *
 * @throws {AppError} UNAUTHENTICATED. Source: docs/rules.md, Protected requests.
 */
export async function requireUser(ctx: Context<State>): Promise<User> {
  const user = await currentUser(ctx);
  if (user === null) throw new AppError("UNAUTHENTICATED", { reason: "guest" });
  return user;
}

/**
 * Returns who sends the request, and from where: a person in a session, a program with an API token, or an app as
 * itself. The scope has been checked, which no such app has for what is about a person.
 *
 * @throws {AppError} UNAUTHENTICATED.
 */
export async function requireCaller(ctx: Context<State>): Promise<AnyCaller> {
  const { token } = ctx.state;
  if (token === undefined) return await requirePrincipal(ctx);
  const client = clientOf(ctx);
  return token.user === null ? { service: token, client } : { user: token.user, token, client };
}

/**
 * Returns the person who sends the request in a session, and from where.
 *
 * @throws {AppError} UNAUTHENTICATED; SESSION_REQUIRED for an API token.
 */
export async function requirePrincipal(ctx: Context<State>): Promise<Principal> {
  if (ctx.state.token !== undefined) throw sessionRequired();
  const session = await currentSession(ctx);
  if (session === null) throw new AppError("UNAUTHENTICATED", { reason: "guest" });
  return { user: session.user, session, client: clientOf(ctx) };
}

/**
 * Returns the ids of the sessions to log out of. Only here may they belong to different users, because logging out
 * resolves that conflict.
 *
 * @throws {AppError} UNAUTHENTICATED when the request presents no valid session.
 */
export async function requirePresentedSessions(ctx: Context<State>): Promise<string[]> {
  const ids = await presentedSessionIds(ctx);
  if (ids.length === 0) throw new AppError("UNAUTHENTICATED", { reason: "guest" });
  return ids;
}

/**
 * Returns who sends the request, if the address of the user is verified. An app that acts as itself has none.
 *
 * @throws {AppError} UNAUTHENTICATED, EMAIL_NOT_VERIFIED.
 */
export async function requireVerifiedCaller(ctx: Context<State>): Promise<AnyCaller> {
  const caller = await requireCaller(ctx);
  if (caller.user === undefined || caller.user.emailVerified) return caller;
  throw new AppError("EMAIL_NOT_VERIFIED", { reason: "action" });
}

/** Returns the error for a path without a route. */
export function nothingHere(): AppError {
  return new AppError("NOT_FOUND", { reason: "page" });
}

/**
 * Returns who sends a form, if the form was rendered for them: someone else may have logged in since, in
 * another tab. A form without a user id is accepted for any user.
 *
 * @throws {AppError} UNAUTHENTICATED, FORBIDDEN.
 */
export async function requireSameUser(ctx: Context<State>, userId?: string): Promise<Principal> {
  const principal = await requirePrincipal(ctx);
  if (userId === undefined || userId === principal.user.id) return principal;
  throw new AppError("FORBIDDEN", { reason: "otherUser" });
}
