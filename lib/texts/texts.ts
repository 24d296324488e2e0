import { activity } from "./en/settings/activity.ts";
import { closing } from "./en/settings/closing.ts";
import { apiDocs } from "./en/api_docs.ts";
import { dashboard } from "./en/dashboard.ts";
import { email } from "./en/email.ts";
import { emails } from "./en/emails/emails.ts";
import { errors, serverRules } from "./en/errors.ts";
import { frame } from "./en/frame.ts";
import { home } from "./en/home.ts";
import { library } from "./en/library.ts";
import { network } from "./en/network.ts";
import { notices } from "./en/notices.ts";
import { password } from "./en/password.ts";
import { checklist } from "./en/password_rules.ts";
import { passkeys } from "./en/settings/passkeys.ts";
import { people } from "./en/people.ts";
import { photo } from "./en/photo.ts";
import { proof } from "./en/proof.ts";
import { profile } from "./en/profile.ts";
import { recoveryCodes } from "./en/settings/recovery_codes.ts";
import { rules } from "./en/rules.ts";
import { secondFactor } from "./en/settings/second_factor.ts";
import { settings } from "./en/settings/settings.ts";
import { signIn } from "./en/sign_in.ts";
import { tokens } from "./en/settings/tokens.ts";
import { uploads } from "./en/uploads.ts";

/** The languages of pages and emails, as language tags. Source: BCP 47. */
export type Language = "en";

const en = {
  activity,
  apiDocs,
  closing,
  dashboard,
  email,
  emails,
  errors,
  frame,
  home,
  library,
  network,
  notices,
  passkeys,
  password,
  people,
  photo,
  profile,
  proof,
  recoveryCodes,
  rules: {
    ...rules,
    ...serverRules,
    checklist,
    fillIn: { ...rules.fillIn, ...serverRules.fillIn } as Record<string, string>,
    texts: { ...rules.texts, ...serverRules.texts },
  },
  secondFactor,
  settings,
  signIn,
  tokens,
  uploads,
};

/** The texts of pages and emails in one language. A text with variable parts is a function of them. */
export type Texts = typeof en;

const CATALOGUES: Record<Language, Texts> = { en };

/** The catalogue of a language. */
export function textsIn(language: Language): Texts {
  return CATALOGUES[language];
}
