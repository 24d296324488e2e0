import { createDefine, type Define, type RouteHandler } from "fresh";
import { type FunctionComponent, h, type VNode } from "preact";
import type { Limit, Policy } from "../limits/policy.ts";
import type { RateLimit } from "../limits/rate_limit.ts";
import type { ActiveToken } from "../access/api_token.ts";
import type { Services } from "../services.ts";
import type { User } from "../users/user_row.ts";
import type { Language, NoticeCode } from "../texts/texts.ts";
import type { SessionLookup } from "./authentication/session_lookup.ts";
import { refuseAllWhileClosing, type WhileClosing } from "./middleware/closing_account.ts";
import { findViewerForPage, withProductName } from "./pages/page_viewer.ts";
import { answerOtherMethods } from "./middleware/other_methods.ts";

/** The state of one request, which the middleware of the app sets. */
export interface State {
  services: Services;
  /** The language of pages and emails. */
  language: Language;
  /** What the request has found out about its session. Read it with the functions of current_session.ts. */
  sessionLookup: SessionLookup;
  /** The person whose name the header of the page shows. Set when a page is about to be rendered. */
  viewer: User | null;
  /** The API token of the request, if it presents one. Then the request has no session. */
  token?: ActiveToken;
  /** The origins whose scripts may read the response to an app, once the app is known. */
  appOrigins?: string[];
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

/** What a route declares about all its handlers. */
export interface RouteOptions {
  /** Default: refused, so that no route can forget it. */
  whileClosing?: WhileClosing;
  /** Whether GET does more than to return a page, so that HEAD must not do it. */
  refusesHead?: boolean;
}

/** The handlers of a page. Those of forms declare their limit with `limited`. */
type PageHandlers<Data> =
  & RouteHandler<Data, State>
  & {
    [Method in "POST" | "PUT" | "PATCH" | "DELETE"]?: { readonly limit: Limit };
  };

/**
 * Fresh's `define` for this app. Handlers also respond to the methods that they leave out, by default refuse the
 * session of an account that is closing, and find the person for the header before a page is rendered with their data.
 */
export const define: Omit<Define<State>, "handlers"> & {
  handlers<Data, Handlers extends PageHandlers<Data> = PageHandlers<Data>>(
    handlers: Handlers,
    options?: RouteOptions,
  ): Handlers;
} = {
  ...fresh,
  page: (render) => {
    const withName: typeof render = (props) => {
      const page = h(render as FunctionComponent<typeof props>, props) as VNode;
      return withProductName(page, props.state.services.config);
    };
    return withName;
  },
  handlers: (handlers, { whileClosing, refusesHead } = {}) => {
    const complete = answerOtherMethods(findViewerForPage(handlers), { refusesHead });
    return whileClosing === "open" ? complete : refuseAllWhileClosing(complete);
  },
};
