import type { CharacterKind, Problem } from "../errors/problem.ts";
import { notLonger, notLongerInNfkc, notShorter, ONE_LINE, type Rule, type TextRules } from "./rules.ts";

/** Source: docs/rules.md, Password policy. */
const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 128;
/** Source: RFC 5321, 4.5.3.1.3, less the angle brackets. */
export const EMAIL_MAX = 254;
/** Atoms separated by dots, then a domain whose last label is not a number. Source: RFC 5321, 4.1.2; RFC 3696, 2. */
export const ADDRESS =
  /^(?=.{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+(?!\d+$)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const NOT_ASCII = /[^\x20-\x7e]/;
/** What no one sees, and comes along when an address is copied from a page or an email. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** A domain in any script. Its dots may be those of East Asian keyboards. */
const DOMAIN = /^[\p{L}\p{M}\p{N}.\u3002\uFF0E\uFF61-]+$/u;
const INVALID_EMAIL: Problem = { rule: "email" };

/** One ASCII address in lower case. A domain in another script is stored in its ASCII form (xn--). */
export const EMAIL: TextRules = {
  gate: [ONE_LINE],
  prepare: (text) => {
    const seen = text.replaceAll(INVISIBLE, "").trim();
    const at = seen.lastIndexOf("@");
    const [local, domain] = [seen.slice(0, at), seen.slice(at + 1)];
    // Lower case would turn the Kelvin sign into a k.
    return NOT_ASCII.test(local) ? seen : `${local}@${asciiDomain(domain)}`.toLowerCase();
  },
  rules: [{ problem: INVALID_EMAIL, holds: (text) => text.length <= EMAIL_MAX && ADDRESS.test(text) }],
};

/** Returns the ASCII form of a domain, or the domain itself if it has none. Source: UTS 46, as URLs use it. */
function asciiDomain(domain: string): string {
  if (!NOT_ASCII.test(domain) || domain.length > EMAIL_MAX || !DOMAIN.test(domain)) return domain;
  return URL.parse(`http://${domain}`)?.hostname ?? domain;
}

/** The rules of a new password, in the order in which they are shown. Source: docs/rules.md, Password policy. */
export const PASSWORD_RULES: Rule<CharacterKind | "tooShort" | "tooLong">[] = [
  notShorter(PASSWORD_MIN),
  notLonger(PASSWORD_MAX),
  { problem: { rule: "uppercase" }, holds: (text) => /\p{Lu}/u.test(text) },
  { problem: { rule: "lowercase" }, holds: (text) => /\p{Ll}/u.test(text) },
  { problem: { rule: "digit" }, holds: (text) => /\p{Nd}/u.test(text) },
  { problem: { rule: "symbol" }, holds: (text) => /[^\p{L}\p{N}]/u.test(text) },
];

/** The password of a login, in the form (NFKC) in which it is hashed. Only its length is checked. */
export const PASSWORD: TextRules = {
  keepsSpace: true,
  gate: [notLongerInNfkc(PASSWORD_MAX), ONE_LINE],
  prepare: (text) => text.normalize("NFKC"),
  rules: [notShorter(1), notLonger(PASSWORD_MAX)],
};

/** A new password. */
export const NEW_PASSWORD: TextRules = {
  ...PASSWORD,
  rules: PASSWORD_RULES,
};
