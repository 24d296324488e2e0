import type { Services } from "../services/services.ts";
import { acceptedLanguages } from "../http/accept_language.ts";
import { cookieValues } from "../http/cookies.ts";
import type { Language, Languages } from "../texts/texts.ts";

/** The language that someone has chosen with this browser. */
export const LANGUAGE_COOKIE = "language";

/** A longer text is no tag. Source: BCP 47, 4.4.1. */
const TAG_MAX_LENGTH = 35;
/** More are not tried: nobody asks for as many. */
const MAX_TAGS = 20;

/** Longer headers are read each time, so that nobody can fill the memory with them. */
const KNOWN_HEADER_MAX_LENGTH = 100;
const MAX_KNOWN_HEADERS = 500;
/** The result for headers that were read before: browsers send few different ones, and reading takes 20 µs. */
const knownHeaders = new WeakMap<Languages, Map<string, Language | null>>();

/**
 * Returns the language that a request asks for: the one of its cookie, else the best that the browser accepts, else
 * null.
 */
export function requestedLanguage(req: Request, { languages }: Pick<Services, "languages">): Language | null {
  if (languages.byTag.size === 1) return null;
  return findFirstLanguage(cookieValues(req, LANGUAGE_COOKIE), languages) ??
    acceptedLanguage(req.headers.get("Accept-Language") ?? "", languages);
}

function acceptedLanguage(header: string, languages: Languages): Language | null {
  let known = knownHeaders.get(languages);
  if (known === undefined) knownHeaders.set(languages, known = new Map());
  let language = known.get(header);
  if (language === undefined) {
    language = findFirstLanguage(acceptedLanguages(header), languages);
    if (header.length <= KNOWN_HEADER_MAX_LENGTH && known.size < MAX_KNOWN_HEADERS) known.set(header, language);
  }
  return language;
}

/** Lets a request go on in a language: its page, and the emails that it causes. */
export function useLanguage(
  { state }: { readonly state: { services: Services; language: Language } },
  language: Language,
): void {
  if (language === state.services.requestLanguage) return;
  state.language = language;
  state.services = { ...state.services, requestLanguage: language };
}

/** Returns the first of these languages that there is, or null. */
export function findFirstLanguage(tags: string[], languages: Languages): Language | null {
  for (const tag of tags.slice(0, MAX_TAGS)) {
    const language = findLanguage(tag, languages);
    if (language !== undefined) return language;
  }
  return null;
}

/** Finds a language by its tag, or by the beginning of it: `de` for `de-AT`. */
function findLanguage(tag: string, { byTag }: Languages): Language | undefined {
  if (tag.length > TAG_MAX_LENGTH) return undefined;
  for (let rest = tag; rest !== ""; rest = rest.slice(0, Math.max(rest.lastIndexOf("-"), 0))) {
    const found = byTag.get(rest) ?? [...byTag.values()].find((each) => each.tag.toLowerCase() === rest.toLowerCase());
    if (found !== undefined) return found;
  }
}
