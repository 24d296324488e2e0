import { parseCookie, type SetCookie, stringifySetCookie } from "cookie";
import type { Context } from "fresh";
import { MINUTE_SECONDS } from "../../duration.ts";
import type { Config } from "../../config.ts";
import { type NoticeCode, NOTICES } from "../../ui/notices.ts";
import { define, type State } from "../state.ts";

const NOTICE_COOKIE = "notice";

/** Leads on after a form has done its work; the next page says what was done. */
export function redirectWithNotice(ctx: Context<State>, path: string, code: NoticeCode): Response {
  const cookie = { value: code, maxAge: MINUTE_SECONDS };
  return withNoticeCookie(ctx.redirect(path, 303), cookie, ctx.state.services.config);
}

/**
 * Lets a page say what was done, once: the page that says it takes the cookie away. One that only leads on has set the
 * notice to null, which leaves it for the next.
 */
export const showNotice = define.middleware(async (ctx) => {
  const { headers } = ctx.req;
  const code = parseCookie(headers.get("cookie") ?? "")[NOTICE_COOKIE];
  const notice = code !== undefined && Object.hasOwn(NOTICES, code) ? code as NoticeCode : null;
  ctx.state.notice = notice;
  const response = await ctx.next();
  if (code === undefined || ctx.state.notice !== notice) return response;
  const isSeen = response.headers.get("Content-Type")?.startsWith("text/html") && ctx.req.method !== "HEAD" &&
    (headers.get("sec-fetch-dest") ?? "document") === "document";
  if (!isSeen) return response;
  response.headers.set("Cache-Control", "no-store");
  return withNoticeCookie(response, { value: "", maxAge: 0 }, ctx.state.services.config);
});

/** Lax: it says nothing of anybody, and has to arrive after a sign-in on another site too. */
function withNoticeCookie(
  response: Response,
  cookie: Pick<SetCookie, "value" | "maxAge">,
  { isProduction }: Config,
): Response {
  response.headers.append(
    "Set-Cookie",
    stringifySetCookie({
      name: NOTICE_COOKIE,
      ...cookie,
      path: "/",
      httpOnly: true,
      sameSite: "lax",
      secure: isProduction,
    }),
  );
  return response;
}
