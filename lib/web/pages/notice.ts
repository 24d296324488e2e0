import type { Context } from "fresh";
import type { Config } from "../../config/config.ts";
import { HOUR_SECONDS, MINUTE_SECONDS } from "../../duration.ts";
import { type NoticeCode, textsIn } from "../../texts/texts.ts";
import { cookieValues, hostCookie, withCookie, withoutCookie } from "../../http/cookies.ts";
import { define, type State } from "../state.ts";

/** Lax, because it must also arrive after a sign-in on another site. */
const NOTICE_COOKIE = "notice";

/** Notices that a reload does not lose. The others repeat what their page shows. */
const LASTING: NoticeCode[] = [
  "registered",
  "verify_first",
  "verification_sent",
  "verified",
  "verified_log_in",
  "account_closing",
  "account_deleted",
  "reset_sent",
  "emails_used_up",
  "password_changed",
  "password_reset",
  "password_reset_step",
  "password_saved",
  "password_saved_others_ended",
  "invitation_accepted",
  "email_change_sent",
  "email_changed",
  "email_changed_log_in",
  "account_secured",
  "account_secured_log_in",
  "second_step_expired",
  "factor_reset_sent",
  "factor_reset_started",
  "factor_reset_stopped",
];

/** Redirects after a form has succeeded. The next page shows the notice. */
export function redirectWithNotice(ctx: Context<State>, path: string, code: NoticeCode): Response {
  return withNotice(ctx.redirect(path, 303), code, ctx.state.services.config);
}

/** Adds a notice to a redirect. The next page shows it. */
export function withNotice(response: Response, code: NoticeCode, config: Config): Response {
  const cookie = { name: hostCookie(NOTICE_COOKIE, config), value: code, maxAge: MINUTE_SECONDS };
  return withCookie(response, cookie, config);
}

/** Clears the notice when the browser leaves for another origin. Later, it would report what is long over. */
export function withoutNotice(response: Response, config: Config): Response {
  return withoutCookie(response, { name: hostCookie(NOTICE_COOKIE, config) }, config);
}

/**
 * Passes the notice of the request's cookie to the page. The response that shows it clears the cookie, so a notice
 * appears once. A lasting notice stays until the person opens another page or sends a form: the cookie then also holds
 * the path of the page that shows it. A page that sets `state.notice` to null leaves the notice for the next page.
 */
export const showNotice = define.middleware((ctx) => {
  ctx.state.notice = null;
  const [cookie] = cookieValues(ctx.req, hostCookie(NOTICE_COOKIE, ctx.state.services.config));
  return cookie === undefined ? ctx.next() : responseToNotice(ctx, cookie);
});

async function responseToNotice(ctx: Context<State>, cookie: string): Promise<Response> {
  const [, code, path] = /^(\w+)(\/.*)?$/.exec(cookie) ?? [];
  const isDue = ctx.req.method !== "POST" && (path ?? ctx.url.pathname) === ctx.url.pathname;
  const notice = isDue && isNoticeCode(code, ctx.state) ? code : null;
  ctx.state.notice = notice;
  const response = await ctx.next();
  if (ctx.state.notice !== notice || !isShown(ctx.req, response)) return response;
  const { config } = ctx.state.services;
  const name = hostCookie(NOTICE_COOKIE, config);
  if (notice === null || !LASTING.includes(notice)) return withoutCookie(response, { name }, config);
  const value = notice + ctx.url.pathname;
  return withCookie(response, { name, value, maxAge: HOUR_SECONDS }, config);
}

function isNoticeCode(code: string | undefined, { language }: State): code is NoticeCode {
  return code !== undefined && Object.hasOwn(textsIn(language).notices, code);
}

/** Whether the browser shows the response as a page, and not as an image, a prefetched document or similar. */
function isShown({ method, headers }: Request, response: Response): boolean {
  return method !== "HEAD" && (headers.get("sec-fetch-dest") ?? "document") === "document" &&
    response.headers.get("Content-Type")?.startsWith("text/html") === true;
}
