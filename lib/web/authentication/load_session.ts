import { errorFields } from "../../log.ts";
import { isSeenDue, markSeen } from "../../access/session.ts";
import { hasBearer } from "./bearer.ts";
import { sessionTokens, sessionTokenSet, withSessionCookie } from "./session_cookie.ts";
import type { Context } from "fresh";
import { define, type State } from "../state.ts";
import { SessionLookup } from "./session_lookup.ts";

/**
 * Lets the request look up its session, at most once. A request that presents an API token has none. A response that
 * depends on a session is not cached. If the look-up extended the session, the response sets its cookie again, unless it
 * already sets or clears it. This middleware is outside `errorResponses`: without the cookie on errors too, the browser
 * would delete the session too soon.
 */
export const loadSession = define.middleware(async (ctx) => {
  const { services } = ctx.state;
  const lookup = new SessionLookup(services, ctx.req, presentedTokens);
  Object.assign(ctx.state, SESSION_STATE, { sessionLookup: lookup });

  const response = await ctx.next();
  if (lookup.found === undefined) return response;
  response.headers.set("Cache-Control", "no-store");
  // The caller of a failed look-up has already received its error.
  const current = (await lookup.found.catch(() => null))?.current;
  if (current && isSeenDue(current, services.now())) markSeenAfterResponse(ctx, current.id);
  const extended = current?.extended;
  return extended === undefined || sessionTokenSet(response.headers) !== undefined
    ? response
    : withSessionCookie(response, extended, services);
});

/**
 * The functions of the state, which all requests share: with new functions in the state of each request, garbage
 * collection took twice as long, because V8 kept a quarter of the garbage until the next full collection.
 */
const SESSION_STATE: Pick<State, SessionFunction> & ThisType<State> = {
  async currentSession() {
    this.sessionLookup.isAsked = true;
    return (await this.sessionLookup.find()).current;
  },
  async isAccountClosing() {
    return ((await this.sessionLookup.find()).current?.user.deletionDueAt ?? null) !== null;
  },
  async presentedSessionIds() {
    return (await this.sessionLookup.find()).ids;
  },
  replaceSession(current) {
    this.sessionLookup.found = Promise.resolve({ current, ids: [current.id] });
  },
  async knownSession() {
    const { isAsked, found } = this.sessionLookup;
    return isAsked ? (await found)?.current ?? null : null;
  },
};

function presentedTokens(req: Request): string[] {
  return hasBearer(req) ? [] : sessionTokens(req);
}

type SessionFunction =
  | "currentSession"
  | "isAccountClosing"
  | "presentedSessionIds"
  | "replaceSession"
  | "knownSession";

/** The client must not wait for a write that only lists of sessions show. */
function markSeenAfterResponse({ info, state: { services } }: Context<State>, sessionId: string): void {
  info.completed.catch(() => {}).then(() => markSeen(services, sessionId))
    .catch((error) => services.log("warn", "last use of a session not recorded", errorFields(error)));
}
