import type { Context } from "fresh";
import { chooseLanguage } from "../../accounts/language_choice.ts";
import type { Config } from "../../config/config.ts";
import { DAY_SECONDS } from "../../duration.ts";
import { withCookie, withoutCookie } from "../../http/cookies.ts";
import { parseForm } from "../../http/text_body.ts";
import { currentSession } from "../authentication/current_session.ts";
import { getLanguage } from "../../texts/texts.ts";
import { LANGUAGE_COOKIE } from "../language.ts";
import { underLimit } from "../middleware/rate_limit.ts";
import type { State } from "../state.ts";
import { ownPath } from "../../accounts/return_address.ts";

const KEPT_SECONDS = 365 * DAY_SECONDS;

/**
 * Remembers the language that someone has chosen below a page, and leads back to the page. The choice of a member is
 * stored too, so that it holds in other browsers and for emails.
 *
 * @throws {AppError} VALIDATION_FAILED if there is no such language.
 */
export async function submitLanguage(ctx: Context<State>): Promise<Response> {
  const { services } = ctx.state;
  const { config, languages } = services;
  const { tag } = getLanguage(languages, (await parseForm(ctx.req)).language);
  await underLimit(ctx, async () => {
    const session = await currentSession(ctx);
    if (session !== null) await chooseLanguage(services, session.user.id, tag);
  });
  const back = ctx.redirect(ownPath(ctx.req.headers.get("Referer"), config) ?? "/", 303);
  return withLanguage(back, tag, config);
}

/** Makes the browser remember a language, or forget it. */
export function withLanguage(response: Response, tag: string | null, config: Config): Response {
  if (tag === null) return withoutCookie(response, { name: LANGUAGE_COOKIE }, config);
  return withCookie(response, { name: LANGUAGE_COOKIE, value: tag, maxAge: KEPT_SECONDS }, config);
}
