import { createDefine, type Define, type RouteHandler } from "fresh";
import type { Policy } from "../limits/policy.ts";
import type { RateLimit } from "../limits/rate_limit.ts";
import type { ActiveToken } from "../access/api_token.ts";
import type { ActiveSession } from "../access/session.ts";
import type { Services } from "../services.ts";
import type { NoticeCode } from "../texts/en/notices.ts";
import type { Language } from "../texts/texts.ts";
import type { SessionLookup } from "./authentication/session_lookup.ts";
import { answerOtherMethods } from "./middleware/other_methods.ts";

/** The state of one request, which the middleware of the app sets. */
export interface State {
  services: Services;
  /** The language of pages and emails. */
  language: Language;
  /** The look-up behind the functions below. They must be called as functions of the state. */
  sessionLookup: SessionLookup;
  /** Returns the session of the request. Looks it up at the first call. */
  currentSession(): Promise<ActiveSession | null>;
  /** Returns the ids of all valid sessions whose cookies the request carries, from the same look-up. */
  presentedSessionIds(): Promise<string[]>;
  /** Makes this the session of the request: it has got a new token. The response sets its cookie. */
  replaceSession(session: ActiveSession): void;
  /** Whether the account of the session is closing. */
  isAccountClosing(): Promise<boolean>;
  /** Returns the session if the route has asked for it, otherwise null. */
  knownSession(): Promise<ActiveSession | null>;
  /** The API token of the request, if it presents one. Then the request has no session. */
  token?: ActiveToken;
  /** The notice that the page shows about the previous action. */
  notice: NoticeCode | null;
  /** The limit of the route, if it has one. */
  limit?: RouteLimit;
  /** The state of the limit of the API token, once the request has been counted. */
  tokenLimit?: RateLimit;
}

/** The limit of a request's route. */
export interface RouteLimit {
  policy: Policy;
  /** The user to count for, if it is not the one of the session. */
  userId?: string;
  /** Set once the request has been counted. Null when the policy is off. */
  counted?: RateLimit | null;
}

const fresh = createDefine<State>();

/** Fresh's `define` for this app. Handlers also respond to the methods that they leave out. */
export const define: Define<State> = {
  ...fresh,
  handlers: <Data, Handlers extends RouteHandler<Data, State>>(handlers: Handlers) => answerOtherMethods(handlers),
};
