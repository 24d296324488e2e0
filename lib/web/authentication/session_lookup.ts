import type { PresentedSessions } from "../../access/session.ts";

/** What one request has found out about its session so far. The functions of current_session.ts read and fill it. */
export interface SessionLookup {
  /** The session tokens that the request presents, once they have been read. */
  tokens?: string[];
  /** The result, once the look-up has begun. */
  found?: Promise<PresentedSessions>;
  /** Whether the route has asked for the session. */
  isAsked: boolean;
}
