import { createDefine, type Define } from "fresh";
import { type FunctionComponent, h, type VNode } from "preact";
import type { Policy } from "../config/limits.ts";
import type { RateLimit } from "../limits/rate_limit.ts";
import type { ActiveToken } from "../access/api_token.ts";
import type { ServiceToken } from "../access/service.ts";
import type { Services } from "../services/services.ts";
import type { User } from "../users/user_row.ts";
import type { Language, NoticeCode } from "../texts/texts.ts";
import type { SessionLookup } from "./authentication/session_lookup.ts";
import { withFrame } from "./pages/page_viewer.ts";

/** The state of one request, which the middleware of the app sets. */
export interface State {
  services: Services;
  /** The language of pages and emails. */
  language: Language;
  /** What the request has found out about its session. Read it with the functions of current_session.ts. */
  sessionLookup: SessionLookup;
  /** The person whose name the header of the page shows. Set when a page is about to be rendered. */
  viewer: User | null;
  /** The API token of the request, or the access token of an app, if it presents one. Then it has no session. */
  token?: ActiveToken | ServiceToken;
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
  /** Whom to count for, if it is not the user of the session. */
  account?: string;
  /** Set once the request has been counted. Null when the policy is off. */
  counted?: RateLimit | null;
}

const fresh = createDefine<State>();

/** Fresh's `define` for this app. What handlers require is declared with `pageHandlers` and `endpoints`. */
export const define: Omit<Define<State>, "handlers"> = {
  ...fresh,
  page: (render) => {
    const framed: typeof render = (props) => {
      const page = h(render as FunctionComponent<typeof props>, props) as VNode;
      return withFrame(page, props);
    };
    return framed;
  },
};
