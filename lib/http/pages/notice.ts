import type { Context } from "fresh";
import { MINUTE_SECONDS } from "../../duration.ts";
import type { NoticeCode } from "../../words/en/notices.ts";
import { wordsIn } from "../../words/words.ts";
import { cookieValues, withCookie, withoutCookie } from "../cookies.ts";
import { define, type State } from "../state.ts";

/** Lax, because it must also arrive after a sign-in on another site. */
const NOTICE_COOKIE = "notice";

/** Redirects after a form has succeeded. The next page shows the notice. */
export function redirectWithNotice(ctx: Context<State>, path: string, code: NoticeCode): Response {
  const cookie = { name: NOTICE_COOKIE, value: code, maxAge: MINUTE_SECONDS };
  return withCookie(ctx.redirect(path, 303), cookie, ctx.state.services.config);
}

/**
 * Passes the notice of the request's cookie to the page. The response that shows it clears the cookie, so a notice
 * appears once. A page that sets `state.notice` to null leaves the notice for the next page.
 */
export const showNotice = define.middleware(async (ctx) => {
  const [code] = cookieValues(ctx.req, NOTICE_COOKIE);
  const notice = isNoticeCode(code, ctx.state) ? code : null;
  ctx.state.notice = notice;
  const response = await ctx.next();
  if (code === undefined || ctx.state.notice !== notice || !isShown(ctx.req, response)) return response;
  return withoutCookie(response, { name: NOTICE_COOKIE }, ctx.state.services.config);
});

function isNoticeCode(code: string | undefined, { language }: State): code is NoticeCode {
  return code !== undefined && Object.hasOwn(wordsIn(language).notices, code);
}

/** Whether the browser shows the response as a page, and not as an image, a prefetched document or similar. */
function isShown({ method, headers }: Request, response: Response): boolean {
  return method !== "HEAD" && (headers.get("sec-fetch-dest") ?? "document") === "document" &&
    response.headers.get("Content-Type")?.startsWith("text/html") === true;
}
