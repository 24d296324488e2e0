import { dashboard } from "./en/dashboard.ts";
import { emails } from "./en/emails.ts";
import { errors } from "./en/errors.ts";
import { frame } from "./en/frame.ts";
import { home } from "./en/home.ts";
import { network } from "./en/network.ts";
import { notices } from "./en/notices.ts";
import { password } from "./en/password.ts";
import { people } from "./en/people.ts";
import { photo } from "./en/photo.ts";
import { profile } from "./en/profile.ts";
import { rules } from "./en/rules.ts";
import { signIn } from "./en/sign_in.ts";
import { uploads } from "./en/uploads.ts";

/** The languages of pages and emails, as language tags. Source: BCP 47. */
export type Language = "en";

const en = {
  dashboard,
  emails,
  errors,
  frame,
  home,
  network,
  notices,
  password,
  people,
  photo,
  profile,
  rules,
  signIn,
  uploads,
};

/** The texts of pages and emails in one language. A text with variable parts is a function of them. */
export type Words = typeof en;

const CATALOGUES: Record<Language, Words> = { en };

/** The catalogue of a language. */
export function wordsIn(language: Language): Words {
  return CATALOGUES[language];
}
