import { findPresentedSessions, type PresentedSessions } from "../../access/session.ts";
import { hasBearer } from "../../http/bearer_token.ts";
import type { Services } from "../../services/services.ts";
import type { Language } from "../../texts/texts.ts";
import { useLanguage } from "../language.ts";
import { sessionTokens } from "./presented_tokens.ts";

/** What one request has found out about its session so far. */
export interface SessionLookup {
  /** The session tokens that the request presents, once they have been read. */
  tokens?: string[];
  /** The result, once the look-up has begun. */
  found?: Promise<PresentedSessions>;
  /** Whether the route has asked for the session. */
  isAsked: boolean;
  /** Whether the route accepts a session that waits for a second factor. */
  acceptsWaiting?: boolean;
}

/** The part of a context that knows its session. */
export interface WithSession {
  readonly req: Request;
  readonly state: { services: Services; language: Language; sessionLookup: SessionLookup };
}

/**
 * Looks up the sessions that the request presents, once. From then on, the request is in the language that the person
 * has chosen. It waits for the first question about the session: browsers send the cookie with every request, also for
 * files and health. A look-up before each of them would cost a query, keep the response out of caches, and make it fail
 * with the database.
 */
export function lookUpOnce({ req, state }: WithSession): Promise<PresentedSessions> {
  return state.sessionLookup.found ??= lookUp({ req, state });
}

async function lookUp(ctx: WithSession): Promise<PresentedSessions> {
  const { services } = ctx.state;
  const found = await findPresentedSessions(services, presentedTokens(ctx));
  const language = services.languages.byTag.get(found.current?.user.language ?? "");
  if (language !== undefined) useLanguage(ctx, language);
  return found;
}

/** Returns the session tokens that the request presents. One that presents an API token has none. */
export function presentedTokens({ req, state: { sessionLookup } }: WithSession): string[] {
  return sessionLookup.tokens ??= hasBearer(req) ? [] : sessionTokens(req);
}
