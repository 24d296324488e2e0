import { parseCookie, type SetCookie, stringifySetCookie } from "cookie";
import type { Context } from "fresh";
import { MINUTE_SECONDS } from "../duration.ts";
import { SameSitePage } from "../ui/SameSitePage.tsx";
import type { State } from "./state.ts";

/**
 * Browsers keep a SameSite=Strict cookie to themselves on a navigation that another site began, even at the end of its
 * redirects: after a sign-in through an identity provider, or from a link in a web mail. Such a request is answered by
 * a page that navigates to itself, which is same-site. It does so once, which a cookie remembers: a window that a
 * sandboxed page of another site has opened is never same-site, not even to itself.
 */
const HOP_COOKIE = "same_site_hop";

/** True for a cross-site navigation to a page that has not just been asked to navigate to itself. */
export function needsHop({ method, headers }: Request): boolean {
  return (method === "GET" || method === "HEAD") && headers.get("sec-fetch-site") === "cross-site" &&
    (headers.get("sec-fetch-mode") ?? "navigate") === "navigate" && !hasHopped(headers);
}

/** Answers with the page that navigates to itself. What a page has to say is for the one that follows. */
export async function hop(ctx: Context<State>): Promise<Response> {
  ctx.state.notice = null;
  const response = await ctx.render(<SameSitePage />, { headers: { "Cache-Control": "no-store" } });
  return withHopCookie(ctx, response, { value: "1", maxAge: MINUTE_SECONDS });
}

/** Forgets that the page navigated to itself: the next navigation from another site may need it again. */
export function endHop(ctx: Context<State>, response: Response): Response {
  return hasHopped(ctx.req.headers) ? withHopCookie(ctx, response, { value: "", maxAge: 0 }) : response;
}

function hasHopped(headers: Headers): boolean {
  return HOP_COOKIE in parseCookie(headers.get("cookie") ?? "");
}

/** Lax, because it has to come back on the navigation that is cross-site once more. */
function withHopCookie(
  { url, state }: Context<State>,
  response: Response,
  cookie: Pick<SetCookie, "value" | "maxAge">,
): Response {
  response.headers.append(
    "Set-Cookie",
    stringifySetCookie({
      name: HOP_COOKIE,
      ...cookie,
      path: url.pathname,
      httpOnly: true,
      sameSite: "lax",
      secure: state.services.config.isProduction,
    }),
  );
  return response;
}
