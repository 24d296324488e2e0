import { type ActiveSession, findSession } from "../accounts/session.ts";
import type { Services } from "../services.ts";
import { sessionTokens, sessionTokenSet, withSessionCookie } from "./session_cookie.ts";
import { define } from "./state.ts";

/**
 * Lets a request ask for its session. What a session has shaped is not stored by caches, and a session that the
 * look-up extended gets its cookie anew, unless the response sets another. It stands outside of the errors: an answer
 * of 400 must bring the cookie too, or the browser would forget the session before we do. A look-up that failed has
 * failed whoever asked for it.
 */
export const loadSession = define.middleware(async (ctx) => {
  const { services } = ctx.state;
  const tokens = sessionTokens(ctx.req);
  let lookup: Promise<ActiveSession | null> | undefined;
  ctx.state.currentSession = () => lookup ??= findFirstSession(services, tokens);
  ctx.state.knownSession = () => lookup ?? Promise.resolve(null);

  const response = await ctx.next();
  if (lookup === undefined) return response;
  response.headers.set("Cache-Control", "no-store");
  const extended = (await lookup.catch(() => null))?.extended;
  return extended === undefined || sessionTokenSet(response.headers) !== undefined
    ? response
    : withSessionCookie(response, extended, services);
});

async function findFirstSession(services: Services, tokens: string[]): Promise<ActiveSession | null> {
  for (const token of tokens) {
    const session = await findSession(services, token);
    if (session !== null) return session;
  }
  return null;
}
