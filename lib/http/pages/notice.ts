import type { Context } from "fresh";
import { MINUTE_SECONDS } from "../../duration.ts";
import { type NoticeCode, NOTICES } from "../../ui/notices.ts";
import { cookieValues, withCookie, withoutCookie } from "../cookies.ts";
import { define, type State } from "../state.ts";

/** Lax, because it must also arrive after a sign-in on another site. */
const NOTICE_COOKIE = "notice";

/** Leads on after a form has done its work; the next page says what was done. */
export function redirectWithNotice(ctx: Context<State>, path: string, code: NoticeCode): Response {
  const cookie = { name: NOTICE_COOKIE, value: code, maxAge: MINUTE_SECONDS };
  return withCookie(ctx.redirect(path, 303), cookie, ctx.state.services.config);
}

/**
 * Lets a page say what was done, once: the page that says it takes the cookie away. One that only leads on has set the
 * notice to null, which leaves it for the next.
 */
export const showNotice = define.middleware(async (ctx) => {
  const { headers } = ctx.req;
  const [code] = cookieValues(ctx.req, NOTICE_COOKIE);
  const notice = code !== undefined && Object.hasOwn(NOTICES, code) ? code as NoticeCode : null;
  ctx.state.notice = notice;
  const response = await ctx.next();
  if (code === undefined || ctx.state.notice !== notice) return response;
  const isSeen = response.headers.get("Content-Type")?.startsWith("text/html") && ctx.req.method !== "HEAD" &&
    (headers.get("sec-fetch-dest") ?? "document") === "document";
  return isSeen ? withoutCookie(response, { name: NOTICE_COOKIE }, ctx.state.services.config) : response;
});
