import type { Context, HandlerByMethod, HandlerFn } from "fresh";
import { requireUploads } from "../../config/features.ts";
import type { UploadPart } from "../../config/uploads_setting.ts";
import { type Limit, policyOf } from "../../limits/policy.ts";
import { areMembersOnly } from "../../users/user_visibility.ts";
import { acceptWaiting } from "../authentication/current_session.ts";
import { refuseTokens } from "../authentication/scope.ts";
import { hideFromOthers } from "../middleware/admins_only.ts";
import { refuseWhileClosing, type WhileClosing } from "../middleware/closing_account.ts";
import { NO_INDEX } from "../middleware/no_index.ts";
import { answerOtherMethods, mapMethods } from "../middleware/other_methods.ts";
import { setLimit } from "../middleware/rate_limit.ts";
import type { State } from "../state.ts";
import { changeHeaders, type PageResult } from "./page_data.ts";
import { requirePageSession, requirePageSessionToRead, skipWithSession } from "./page_session.ts";
import { findViewerAfter } from "./page_viewer.ts";

/** What a page requires, and what its forms count under. */
interface PageDeclaration {
  who: Who;
  whileClosing: WhileClosing;
  /** Whether it accepts a session that waits until its person has set up a second factor. By default, it does not. */
  whileWaiting?: "open";
  /** What it belongs to, if UPLOADS can switch it off. Then it does not exist. */
  uploads?: UploadPart;
  /** The limit of the forms. On a page without forms, that of reading it. */
  limit?: Limit;
  /** Whether GET does more than to return a page, so that HEAD must not do it. */
  refusesHead?: true;
}

/** Who may use a page. Everyone else is redirected, or gets an error. */
export type Who =
  | "everyone"
  /** People without a session. Others are redirected to where they wanted to go. */
  | "guest"
  /** People with a session. Others log in first. */
  | "member"
  /**
   * The same, except that the forms check the session themselves, because they renew or end it: the second click of a
   * double click arrives with the old session, and must get the response to the first.
   */
  | "memberToRead"
  /** Those who see people, as the setting PEOPLE says: everyone, or only members. */
  | "seesPeople"
  /** Admins. Guests log in first, and for other members the page does not exist. */
  | "admin";

/** Returns what `page` returns, or what those get who may not use it. */
type Access = (ctx: Context<State>, page: () => PageResult | Promise<PageResult>) => PageResult | Promise<PageResult>;

const ACCESS: Record<Who, Access> = {
  everyone: (_ctx, page) => page(),
  guest: skipWithSession,
  member: unlisted(requirePageSession),
  memberToRead: unlisted(requirePageSessionToRead),
  seesPeople: unlisted((ctx, page) =>
    areMembersOnly(ctx.state.services.config) ? requirePageSession(ctx, page) : page()
  ),
  admin: (ctx, page) => requirePageSession(ctx, () => hideFromOthers(page)(ctx)),
};

/** Keeps search engines from listing pages about people. */
function unlisted(access: Access): Access {
  return async (ctx, page) => changeHeaders(await access(ctx, page), ({ headers }) => headers.set(...NO_INDEX));
}

const WRITING_METHODS = ["POST", "PUT", "PATCH", "DELETE"] as const;

/** The handlers of a page without a form. */
type Reading<Data> = HandlerByMethod<Data, State> & { [Method in typeof WRITING_METHODS[number]]?: never };

/**
 * Returns handlers that obey what their page declares. They also respond to the methods that they leave out, and find
 * the person for the header before a page is rendered with their data. A page with a form must say what limits it.
 */
export function pageHandlers<Data, Handlers extends Reading<Data>>(
  declaration: PageDeclaration,
  handlers: Handlers,
): Handlers;
export function pageHandlers<Data, Handlers extends HandlerByMethod<Data, State>>(
  declaration: PageDeclaration & { limit: Limit },
  handlers: Handlers,
): Handlers;
export function pageHandlers(
  declaration: PageDeclaration,
  handlers: HandlerByMethod<unknown, State>,
): HandlerByMethod<unknown, State> {
  const { refusesHead, limit } = declaration;
  const limited = limitedMethods(handlers);
  const complete = answerOtherMethods(handlers, { refusesHead }) as Record<string, HandlerFn<unknown, State>>;
  return mapMethods(complete, (handler, method) => {
    const own = limited.includes(method) ? limit : undefined;
    return obey({ ...declaration, limit: own }, { method, handler });
  });
}

function limitedMethods(handlers: object): string[] {
  const forms = WRITING_METHODS.filter((method) => method in handlers);
  return forms.length > 0 ? forms : ["GET"];
}

/** OPTIONS only lists methods, so it accepts an account that is closing. */
function obey(
  { who, whileClosing, whileWaiting, uploads, limit }: PageDeclaration,
  { method, handler }: { method: string; handler: HandlerFn<unknown, State> },
) {
  const policy = policyOf(limit);
  const page = findViewerAfter((ctx: Context<State>) => {
    if (policy !== undefined) setLimit(ctx, policy);
    return handler(ctx);
  });
  const open = whileClosing === "open" || method === "OPTIONS" ? page : refuseWhileClosing(page);
  const obeying = (ctx: Context<State>) => {
    if (method !== "OPTIONS") refuseTokens(ctx);
    if (whileWaiting === "open") acceptWaiting(ctx);
    requireUploads(ctx.state.services.config, uploads);
    return ACCESS[who](ctx, () => open(ctx));
  };
  return Object.assign(obeying, { who, limit });
}
