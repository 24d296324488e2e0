import { findPresentedSessions, type PresentedSessions } from "../accounts/session.ts";
import { sessionTokens, sessionTokenSet, withSessionCookie } from "./session_cookie.ts";
import { define } from "./state.ts";

/**
 * Lets the request look up its session, at most once. A response that depends on a session is not cached. If the look-up
 * extended the session, the response sets its cookie again, unless it already sets or clears it. This middleware is
 * outside `errorResponses`: without the cookie on errors too, the browser would delete the session too soon.
 */
export const loadSession = define.middleware(async (ctx) => {
  const { services } = ctx.state;
  let lookup: Promise<PresentedSessions> | undefined;
  const find = () => lookup ??= findPresentedSessions(services, sessionTokens(ctx.req));
  ctx.state.currentSession = async () => (await find()).current;
  ctx.state.presentedSessionIds = async () => (await find()).ids;
  ctx.state.knownSession = async () => (await lookup)?.current ?? null;

  const response = await ctx.next();
  if (lookup === undefined) return response;
  response.headers.set("Cache-Control", "no-store");
  // The caller of a failed look-up has already received its error.
  const extended = (await lookup.catch(() => null))?.current?.extended;
  return extended === undefined || sessionTokenSet(response.headers) !== undefined
    ? response
    : withSessionCookie(response, extended, services);
});
