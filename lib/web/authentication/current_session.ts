import type { ActiveSession } from "../../access/session.ts";
import { lookUpOnce, presentedTokens, type WithSession } from "./session_lookup.ts";

/** Returns the session of the request, or null. */
export async function currentSession(ctx: WithSession): Promise<ActiveSession | null> {
  ctx.state.sessionLookup.isAsked = true;
  return (await lookUpOnce(ctx)).current;
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
