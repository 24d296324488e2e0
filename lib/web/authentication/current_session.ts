import { type ActiveSession, findPresentedSessions, type PresentedSessions } from "../../access/session.ts";
import { hasBearer } from "../../http/bearer_token.ts";
import type { Services } from "../../services.ts";
import type { Language } from "../../texts/texts.ts";
import { sessionTokens } from "./presented_tokens.ts";
import type { SessionLookup } from "./session_lookup.ts";

/** The part of a context that knows its session. */
export interface WithSession {
  readonly req: Request;
  readonly state: { services: Services; language: Language; sessionLookup: SessionLookup };
}

/** Returns the session of the request, or null. Looks it up at the first call. */
export async function currentSession(ctx: WithSession): Promise<ActiveSession | null> {
  ctx.state.sessionLookup.isAsked = true;
  return (await lookUp(ctx)).current;
}

/** Returns the session if the route has asked for it, otherwise null. */
export async function knownSession({ state }: Pick<WithSession, "state">): Promise<ActiveSession | null> {
  const { isAsked, found } = state.sessionLookup;
  return isAsked ? (await found)?.current ?? null : null;
}

/** Whether the account of the session is closing. */
export async function isAccountClosing(ctx: WithSession): Promise<boolean> {
  return ((await lookUp(ctx)).current?.user.deletionDueAt ?? null) !== null;
}

/** Returns the ids of all valid sessions whose cookies the request carries, from the same look-up. */
export async function presentedSessionIds(ctx: WithSession): Promise<string[]> {
  return (await lookUp(ctx)).ids;
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

function lookUp(ctx: WithSession): Promise<PresentedSessions> {
  const { services, sessionLookup } = ctx.state;
  return sessionLookup.found ??= findPresentedSessions(services, presentedTokens(ctx)).then((found) => {
    useLanguageOf(found.current, ctx);
    return found;
  });
}

/** From here on, the request is in the language that the person has chosen. */
function useLanguageOf(session: ActiveSession | null, { state }: WithSession): void {
  const language = state.services.languages.byTag.get(session?.user.language ?? "");
  if (language === undefined || language === state.services.requestLanguage) return;
  state.language = language;
  state.services = { ...state.services, requestLanguage: language };
}

function presentedTokens({ req, state: { sessionLookup } }: WithSession): string[] {
  return sessionLookup.tokens ??= hasBearer(req) ? [] : sessionTokens(req);
}
