import { createDefine, type Define, type RouteHandler } from "fresh";
import type { Policy, RateLimit } from "../sign_in/rate_limit.ts";
import type { ActiveSession } from "../accounts/session.ts";
import type { Services } from "../services.ts";
import type { NoticeCode } from "../ui/notices.ts";
import { answerOtherMethods } from "./other_methods.ts";

/** The facts of one request, set by the middlewares of the app. */
export interface State {
  services: Services;
  /** The session of the request, looked up at most once and only when somebody asks. */
  currentSession(): Promise<ActiveSession | null>;
  /** The ids of all valid sessions whose cookies the request brings, from the same look-up. */
  presentedSessionIds(): Promise<string[]>;
  /** What that look-up brought; null where nobody has asked for it. */
  knownSession(): Promise<ActiveSession | null>;
  /** What the page is to say of what was done before it. */
  notice: NoticeCode | null;
  /** The limit of the route; undefined where it has none. */
  limit?: RouteLimit;
}

/** The limit of a request's route. */
export interface RouteLimit {
  policy: Policy;
  /** Set once the request has been counted; null where the policy is off. */
  counted?: RateLimit | null;
}

const fresh = createDefine<State>();

/** Fresh's `define` for this app; handlers also answer the methods that they leave out. */
export const define: Define<State> = {
  ...fresh,
  handlers: <Data, Handlers extends RouteHandler<Data, State>>(handlers: Handlers) => answerOtherMethods(handlers),
};
