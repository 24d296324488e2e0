import type { Context } from "fresh";
import { MINUTE_SECONDS } from "../../duration.ts";
import { OneMomentPage } from "../../ui/OneMomentPage.tsx";
import { textsIn } from "../../texts/texts.ts";
import { cookieValues, hostCookie, withCookie, withoutCookie } from "../../http/cookies.ts";
import { renderPage } from "./page_viewer.ts";
import { define, type State } from "../state.ts";

/**
 * Browsers do not send a SameSite=Strict cookie on a navigation that another site started, even at the end of its
 * redirects: after a sign-in through an identity provider, or from a link in webmail. The response to such a request is
 * a page that navigates to itself, which is same-site. A cookie makes sure that it does so only once: a window that a
 * sandboxed page of another site has opened is never same-site, not even to itself. The cookie contains the
 * start of the path: each page may need a hop.
 */
const HOP_COOKIE = "same_site_hop";
/** Browsers refuse a cookie that is too long, and the page would then navigate to itself forever. */
const PATH_MAX = 128;

/** True for a cross-site navigation to a page that has not just been asked to navigate to itself. */
export function needsHop(ctx: Context<State>): boolean {
  const { method, headers } = ctx.req;
  return (method === "GET" || method === "HEAD") && headers.get("sec-fetch-site") === "cross-site" &&
    (headers.get("sec-fetch-mode") ?? "navigate") === "navigate" && !hasHopped(ctx);
}

/**
 * Responds with the page that navigates to itself. Leaves the notice for the page that follows. The cookie is lax
 * because it must arrive on a second navigation that is cross-site too.
 */
export async function hop(ctx: Context<State>): Promise<Response> {
  ctx.state.notice = null;
  const content = <OneMomentPage href={ctx.url.href} texts={textsIn(ctx.state.language).frame} />;
  const response = await renderPage(ctx, content, { headers: { Refresh: "0" } });
  const { config } = ctx.state.services;
  const cookie = { name: hostCookie(HOP_COOKIE, config), value: pageOf(ctx.url), maxAge: MINUTE_SECONDS };
  return withCookie(response, cookie, config);
}

/** Clears the cookie: the next navigation from another site may need the hop again. */
export function endHop(ctx: Context<State>, response: Response): Response {
  const { config } = ctx.state.services;
  return hasHopped(ctx) ? withoutCookie(response, { name: hostCookie(HOP_COOKIE, config) }, config) : response;
}

/** Clears it on every response of a route. */
export const endsHop = define.middleware(async (ctx) => endHop(ctx, await ctx.next()));

function hasHopped({ req, url, state }: Context<State>): boolean {
  return cookieValues(req, hostCookie(HOP_COOKIE, state.services.config)).includes(pageOf(url));
}

function pageOf({ pathname }: URL): string {
  return pathname.slice(0, PATH_MAX);
}
