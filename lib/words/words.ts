import { emails } from "./en/emails.ts";
import { errors } from "./en/errors.ts";
import { frame } from "./en/frame.ts";
import { home } from "./en/home.ts";
import { people } from "./en/people.ts";
import { rules } from "./en/rules.ts";
import { signIn } from "./en/sign_in.ts";
import { dashboard } from "./en/dashboard.ts";
import { islands } from "./en/islands.ts";
import { notices } from "./en/notices.ts";

/** The languages that people can read the service in, by their tags. Source: BCP 47. */
export type Language = "en";

const en = { ...islands, dashboard, emails, errors, frame, home, notices, people, rules, signIn };

/** Everything that people read, in one language. A text that varies is a function of what varies. */
export type Words = typeof en;

const CATALOGUES: Record<Language, Words> = { en };

/** The catalogue of a language. */
export function wordsIn(language: Language): Words {
  return CATALOGUES[language];
}
