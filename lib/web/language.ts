import type { Services } from "../services.ts";
import { acceptedLanguages } from "../http/accept_language.ts";
import { cookieValues } from "../http/cookies.ts";
import type { Language, Languages } from "../texts/texts.ts";

/** The language that someone has chosen with this browser. */
export const LANGUAGE_COOKIE = "language";

/** Returns the language of a request: the one of its cookie, else the best that the browser accepts, else the default. */
export function languageOf(req: Request, { languages }: Pick<Services, "languages">): Language {
  if (languages.byTag.size === 1) return languages.default;
  const tags = [...cookieValues(req, LANGUAGE_COOKIE), ...acceptedLanguages(req.headers.get("Accept-Language"))];
  for (const tag of tags) {
    const language = findLanguage(tag, languages);
    if (language !== undefined) return language;
  }
  return languages.default;
}

/** Finds a language by its tag, or by the beginning of it: `de` for `de-AT`. */
function findLanguage(tag: string, { byTag }: Languages): Language | undefined {
  for (let rest = tag; rest !== ""; rest = rest.slice(0, Math.max(rest.lastIndexOf("-"), 0))) {
    const found = byTag.get(rest) ?? [...byTag.values()].find((each) => each.tag.toLowerCase() === rest.toLowerCase());
    if (found !== undefined) return found;
  }
}
