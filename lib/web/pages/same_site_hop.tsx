import type { Context } from "fresh";
import { MINUTE_SECONDS } from "../../duration.ts";
import { OneMomentPage } from "../../ui/OneMomentPage.tsx";
import { textsIn } from "../../texts/texts.ts";
import { cookieValues, withCookie, withoutCookie } from "../../http/cookies.ts";
import { renderPage } from "./page_viewer.ts";
import type { State } from "../state.ts";

/**
 * Browsers do not send a SameSite=Strict cookie on a navigation that another site started, even at the end of its
 * redirects: after a sign-in through an identity provider, or from a link in webmail. The response to such a request is
 * a page that navigates to itself, which is same-site. A cookie makes sure that it does so only once: a window that a
 * sandboxed page of another site has opened is never same-site, not even to itself.
 */
const HOP_COOKIE = "same_site_hop";

/** True for a cross-site navigation to a page that has not just been asked to navigate to itself. */
export function needsHop(req: Request): boolean {
  const { method, headers } = req;
  return (method === "GET" || method === "HEAD") && headers.get("sec-fetch-site") === "cross-site" &&
    (headers.get("sec-fetch-mode") ?? "navigate") === "navigate" && !hasHopped(req);
}

/**
 * Responds with the page that navigates to itself. Leaves the notice for the page that follows. The cookie is lax
 * because it must arrive on a second navigation that is cross-site too.
 */
export async function hop(ctx: Context<State>): Promise<Response> {
  ctx.state.notice = null;
  const content = <OneMomentPage href={ctx.url.href} texts={textsIn(ctx.state.language).frame} />;
  const response = await renderPage(ctx, content, { headers: { Refresh: "0" } });
  const cookie = { name: HOP_COOKIE, value: "1", maxAge: MINUTE_SECONDS, path: ctx.url.pathname };
  return withCookie(response, cookie, ctx.state.services.config);
}

/** Clears the cookie: the next navigation from another site may need the hop again. */
export function endHop({ req, url, state }: Context<State>, response: Response): Response {
  if (!hasHopped(req)) return response;
  return withoutCookie(response, { name: HOP_COOKIE, path: url.pathname }, state.services.config);
}

function hasHopped(req: Request): boolean {
  return cookieValues(req, HOP_COOKIE).length > 0;
}
