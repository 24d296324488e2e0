import type { Context } from "fresh";
import { MINUTE_SECONDS } from "../../duration.ts";
import { OneMomentPage } from "../../ui/OneMomentPage.tsx";
import { isNavigation, isRead } from "../../http/navigation.ts";
import { textsIn } from "../../texts/texts.ts";
import { cookieValues, hostCookie, withCookie, withoutCookie } from "../../http/cookies.ts";
import { changeHeaders, type PageResult } from "./page_data.ts";
import { renderPage } from "./page_viewer.ts";
import { define, type State } from "../state.ts";

/**
 * Browsers do not send a SameSite=Strict cookie on a navigation that another site started, even at the end of its
 * redirects: after a sign-in through an identity provider, or from a link in webmail. The response to such a request is
 * a page that navigates to itself, which is same-site. A cookie makes sure that it does so only once: a window that a
 * sandboxed page of another site has opened is never same-site, not even to itself. The cookie contains the
 * start of the path: each page may need a hop.
 *
 * On plain http, and in old browsers, no header says where a navigation comes from: each may need the hop. Then a
 * parameter says that it was done, too, because a browser that keeps no cookies would navigate to itself forever.
 */
const HOP_COOKIE = "same_site_hop";
/** Browsers refuse a cookie that is too long, and the page would then navigate to itself forever. */
const PATH_MAX = 128;
const HOP_PARAMETER = `${HOP_COOKIE}=1`;

/**
 * True for a navigation that may come from another site, to a page that has not just been asked to navigate to itself.
 */
export function needsHop(ctx: Context<State>): boolean {
  const { headers } = ctx.req;
  const site = headers.get("sec-fetch-site");
  if (!isRead(ctx.req) || hasHopped(ctx)) return false;
  if (site === null) return isNavigation(ctx.req) && !isAfterHop(ctx);
  return site === "cross-site" && (headers.get("sec-fetch-mode") ?? "navigate") === "navigate";
}

/** Whether the address says that the page has navigated to itself. */
export function isAfterHop({ url }: { url: URL }): boolean {
  return partsOf(url).includes(HOP_PARAMETER);
}

/** Returns the query, with its question mark, without what says that the page has navigated to itself. */
export function withoutHop(url: URL): string {
  if (!isAfterHop({ url })) return url.search;
  const parts = partsOf(url).filter((part) => part !== HOP_PARAMETER);
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

function partsOf({ search }: URL): string[] {
  return search.slice(1).split("&");
}

/**
 * Responds with the page that navigates to itself. Leaves the notice for the page that follows. The cookie is lax
 * because it must arrive on a second navigation that is cross-site too.
 */
export async function hop(ctx: Context<State>): Promise<Response> {
  ctx.state.notice = null;
  const isKnown = ctx.req.headers.has("sec-fetch-site");
  const rest = withoutHop(ctx.url).slice(1);
  const address = isKnown ? ctx.url.href : `?${HOP_PARAMETER}${rest && `&${rest}`}`;
  const content = <OneMomentPage href={address} texts={textsIn(ctx.state.language).frame} />;
  const headers = { Refresh: isKnown ? "0" : `0; url=${address}` };
  const response = await renderPage(ctx, content, { headers, skipInheritedLayouts: true });
  const { config } = ctx.state.services;
  const cookie = { name: hostCookie(HOP_COOKIE, config), value: pageOf(ctx.url), maxAge: MINUTE_SECONDS };
  return withCookie(response, cookie, config);
}

/** Clears the cookie: the next navigation from another site may need the hop again. */
export function endHop<Result extends PageResult>(ctx: Context<State>, result: Result): Result {
  if (!hasHopped(ctx)) return result;
  const { config } = ctx.state.services;
  return changeHeaders(result, (response) => withoutCookie(response, { name: hostCookie(HOP_COOKIE, config) }, config));
}

/** Clears it on every response of a route. */
export const endsHop = define.middleware(async (ctx) => endHop(ctx, await ctx.next()));

function hasHopped({ req, url, state }: Context<State>): boolean {
  return cookieValues(req, hostCookie(HOP_COOKIE, state.services.config)).includes(pageOf(url));
}

function pageOf({ pathname }: URL): string {
  return pathname.slice(0, PATH_MAX);
}
