import { errorFields } from "../../log/log.ts";
import { withNoStore } from "../../http/cookies.ts";
import { type ActiveSession, isSeenDue, markSeen } from "../../access/session.ts";
import { sessionTokenSet, withSessionCookie } from "./session_cookie.ts";
import type { Context } from "fresh";
import { define, type State } from "../state.ts";
import type { SessionLookup } from "./session_lookup.ts";

/**
 * Lets the request look up its session, at most once. A request that presents an API token has none. A response that
 * depends on a session is not cached. If the look-up extended the session, the response sets its cookie again, unless
 * it already sets or clears it. This middleware is outside `errorResponses`: without the cookie on errors too, the
 * browser would delete the session too soon.
 */
export const loadSession = define.middleware(async (ctx) => {
  const { services } = ctx.state;
  const lookup: SessionLookup = { isAsked: false };
  ctx.state.sessionLookup = lookup;

  const response = await ctx.next();
  if (lookup.found === undefined) return response;
  withNoStore(response);
  // The caller of a failed look-up has already received its error.
  const current = (await lookup.found.catch(() => null))?.current;
  if (current && isSeenDue(current, services.now())) markSeenAfterResponse(ctx, current);
  const extended = current?.extended;
  return extended === undefined || sessionTokenSet(response.headers) !== undefined
    ? response
    : withSessionCookie(response, extended, services);
});

/** The client must not wait for a write that only lists show. */
function markSeenAfterResponse({ info, state: { services } }: Context<State>, session: ActiveSession): void {
  info.completed.catch(() => {}).then(() => markSeen(services, session))
    .catch((error) => services.log("warn", "last use of a session not recorded", errorFields(error)));
}
