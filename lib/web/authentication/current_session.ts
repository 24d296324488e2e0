import type { ActiveSession } from "../../access/session.ts";
import { AppError } from "../../errors/errors.ts";
import { lookUpOnce, presentedTokens, type WithSession } from "./session_lookup.ts";

/** The page on which people set up the second factor that they must have. */
export const REQUIRED_PAGE = "/settings/sign-in-methods/required";

/**
 * Returns the session of the request, or null.
 *
 * @throws {AppError} as {@linkcode refuseWaiting} does. A route that declares nothing refuses such a session.
 */
export async function currentSession(ctx: WithSession): Promise<ActiveSession | null> {
  const session = await anySession(ctx);
  await refuseWaiting(ctx);
  return session;
}

/**
 * Refuses a session that waits for a second factor, unless the route has declared that it accepts one.
 *
 * @throws {AppError} SECOND_FACTOR_SETUP_REQUIRED.
 */
export async function refuseWaiting(ctx: WithSession): Promise<void> {
  const { current } = await lookUpOnce(ctx);
  if (current?.isWaiting && !ctx.state.sessionLookup.acceptsWaiting) throw new AppError("SECOND_FACTOR_SETUP_REQUIRED");
}

/** The same for what does not act for the person: counting requests, headers of pages, and redirects. It may wait. */
export async function anySession(ctx: WithSession): Promise<ActiveSession | null> {
  ctx.state.sessionLookup.isAsked = true;
  return (await lookUpOnce(ctx)).current;
}

/** Makes the route accept a session that waits for a second factor. */
export function acceptWaiting({ state }: Pick<WithSession, "state">): void {
  state.sessionLookup.acceptsWaiting = true;
}

/** Returns the session if the route has asked for it, otherwise null. */
export async function knownSession({ state }: Pick<WithSession, "state">): Promise<ActiveSession | null> {
  const { isAsked, found } = state.sessionLookup;
  return isAsked ? (await found)?.current ?? null : null;
}

/** Whether the account of the session is closing. */
export async function isAccountClosing(ctx: WithSession): Promise<boolean> {
  return ((await lookUpOnce(ctx)).current?.user.deletionDueAt ?? null) !== null;
}

/** Returns the ids of all valid sessions whose cookies the request carries, from the same look-up. */
export async function presentedSessionIds(ctx: WithSession): Promise<string[]> {
  return (await lookUpOnce(ctx)).ids;
}

/** Makes this the session of the request: it has got a new token. The response sets its cookie. */
export function replaceSession({ state }: Pick<WithSession, "state">, current: ActiveSession): void {
  state.sessionLookup.found = Promise.resolve({ current, ids: [current.id] });
}

/** Lets the request count as one without a session from here on: it has ended. */
export function dropSession({ state }: Pick<WithSession, "state">): void {
  state.sessionLookup.found = Promise.resolve({ current: null, ids: [] });
}

/** Lets the request count as one without a session, unless the look-up has begun. */
export function skipLookup({ state }: Pick<WithSession, "state">): void {
  state.sessionLookup.found ??= Promise.resolve({ current: null, ids: [] });
}

/** Whether the request presents a session token, valid or not. A request that presents an API token has no session. */
export function presentsSession(ctx: WithSession): boolean {
  return presentedTokens(ctx).length > 0;
}
