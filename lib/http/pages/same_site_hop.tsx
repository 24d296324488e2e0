import { parseCookie, type SetCookie, stringifySetCookie } from "cookie";
import type { Context } from "fresh";
import { MINUTE_SECONDS } from "../../duration.ts";
import { SameSitePage } from "../../ui/SameSitePage.tsx";
import type { State } from "../state.ts";

/**
 * Browsers do not send a SameSite=Strict cookie on a navigation that another site started, even at the end of its
 * redirects: after a sign-in through an identity provider, or from a link in webmail. The response to such a request is
 * a page that navigates to itself, which is same-site. A cookie makes sure that it does so only once: a window that a
 * sandboxed page of another site has opened is never same-site, not even to itself.
 */
const HOP_COOKIE = "same_site_hop";

/** True for a cross-site navigation to a page that has not just been asked to navigate to itself. */
export function needsHop({ method, headers }: Request): boolean {
  return (method === "GET" || method === "HEAD") && headers.get("sec-fetch-site") === "cross-site" &&
    (headers.get("sec-fetch-mode") ?? "navigate") === "navigate" && !hasHopped(headers);
}

/** Responds with the page that navigates to itself. The notice is left for the page that follows. */
export async function hop(ctx: Context<State>): Promise<Response> {
  ctx.state.notice = null;
  const response = await ctx.render(<SameSitePage />, { headers: { "Cache-Control": "no-store" } });
  return withHopCookie(ctx, response, { value: "1", maxAge: MINUTE_SECONDS });
}

/** Clears the cookie: the next navigation from another site may need the hop again. */
export function endHop(ctx: Context<State>, response: Response): Response {
  return hasHopped(ctx.req.headers) ? withHopCookie(ctx, response, { value: "", maxAge: 0 }) : response;
}

function hasHopped(headers: Headers): boolean {
  return HOP_COOKIE in parseCookie(headers.get("cookie") ?? "");
}

/** Lax, because the cookie must arrive on a second navigation that is cross-site too. */
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
