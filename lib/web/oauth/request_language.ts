import type { Context } from "fresh";
import type { ActiveSession } from "../../access/session.ts";
import { HOUR_SECONDS } from "../../duration.ts";
import { cookieValues, withCookie } from "../../http/cookies.ts";
import type { Language } from "../../texts/texts.ts";
import { findFirstLanguage, LANGUAGE_COOKIE, useLanguage } from "../language.ts";
import type { State } from "../state.ts";

/**
 * Uses the first language of `ui_locales` that there is, and returns it. Returns null if the person has chosen one, in
 * the settings or with this browser.
 */
export function useRequestedLanguage(
  ctx: Context<State>,
  { languages: tags, session }: { languages: string[]; session: ActiveSession | null },
): Language | null {
  const { languages } = ctx.state.services;
  if (languages.byTag.has(session?.user.language ?? "") || cookieValues(ctx.req, LANGUAGE_COOKIE).length > 0) {
    return null;
  }
  const language = findFirstLanguage(tags, languages);
  if (language === null) return null;
  useLanguage(ctx, language);
  return language;
}

/** Keeps that language for the pages that the person must visit first. */
export function withRequestedLanguage(ctx: Context<State>, response: Response, language: Language | null): Response {
  if (language === null) return response;
  const cookie = { name: LANGUAGE_COOKIE, value: language.tag, maxAge: HOUR_SECONDS };
  return withCookie(response, cookie, ctx.state.services.config);
}
