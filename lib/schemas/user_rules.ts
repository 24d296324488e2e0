import {
  type CharacterKind,
  notLonger,
  notLongerInNfkc,
  notShorter,
  ONE_LINE,
  type Rule,
  SEVERAL_LINES,
  type TextRules,
} from "./rules.ts";

/** Source: spec, Limits. */
const NAME_MIN = 2;
export const NAME_MAX = 100;
export const BIO_MAX = 500;
const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 128;
/** Source: RFC 5321, 4.5.3.1.3, less the angle brackets. */
const EMAIL_MAX = 254;
const LOCATION_MAX = 100;
const URL_MAX = 2048;

const INVISIBLE = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const BIDI_CONTROL = /\p{Bidi_Control}/u;
/** Atoms separated by dots, then a domain whose last label is not a number. Source: RFC 5321, 4.1.2; RFC 3696, 2. */
const ADDRESS =
  /^(?=.{1,64}@)[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const NOT_ASCII = /[^\x20-\x7e]/;
const INVALID_EMAIL = { key: "email", message: "Must be a valid email address" } as const;

/** A display name. It must contain a visible character and must not contain characters that change the text direction. */
export const NAME: TextRules = {
  gate: [notLonger(NAME_MAX), ONE_LINE],
  rules: [notShorter(NAME_MIN), {
    key: "unreadable",
    message: "Must be a readable name",
    holds: (text) => text.replaceAll(INVISIBLE, "") !== "" && !BIDI_CONTROL.test(text),
  }],
};

/** One ASCII address in lower case. The gate refuses other characters, because lower case turns the Kelvin sign into a k. */
export const EMAIL: TextRules = {
  gate: [ONE_LINE, { ...INVALID_EMAIL, holds: (text) => !NOT_ASCII.test(text) }],
  prepare: (text) => text.toLowerCase(),
  rules: [{ ...INVALID_EMAIL, holds: (text) => text.length <= EMAIL_MAX && ADDRESS.test(text) }],
};

/** The rules of a new password, in the order in which they are shown. Source: spec, Password policy. */
export const PASSWORD_RULES: Rule<CharacterKind | "tooShort" | "tooLong">[] = [
  notShorter(PASSWORD_MIN),
  notLonger(PASSWORD_MAX),
  { key: "uppercase", message: "Must have an uppercase letter", holds: (text) => /\p{Lu}/u.test(text) },
  { key: "lowercase", message: "Must have a lowercase letter", holds: (text) => /\p{Ll}/u.test(text) },
  { key: "digit", message: "Must have a digit", holds: (text) => /\p{Nd}/u.test(text) },
  {
    key: "symbol",
    message: "Must have a character that is not a letter or digit",
    holds: (text) => /[^\p{L}\p{N}]/u.test(text),
  },
];

/** The password of a login, in the form (NFKC) in which it is hashed. Only its length is checked. */
export const PASSWORD: TextRules = {
  keepsSpace: true,
  gate: [notLongerInNfkc(PASSWORD_MAX), ONE_LINE],
  prepare: (text) => text.normalize("NFKC"),
  rules: [notShorter(1), notLonger(PASSWORD_MAX)],
};

/** A new password. */
export const NEW_PASSWORD: TextRules = { ...PASSWORD, rules: PASSWORD_RULES };

export const BIO: TextRules = {
  gate: [SEVERAL_LINES],
  // Browsers submit line breaks as CRLF.
  prepare: (text) => text.replaceAll("\r\n", "\n"),
  rules: [notLonger(BIO_MAX)],
};

export const LOCATION: TextRules = { gate: [notLonger(LOCATION_MAX), ONE_LINE], rules: [] };

/** An http(s) address without credentials, in the form that the URL parser returns, or "". */
export const WEB_ADDRESS: TextRules = webAddress({
  message: "Must be a web address that starts with http:// or https://",
  parse: webUrl,
});

/** A web address as people type it. An address without a scheme becomes an https address. */
export const WEBSITE: TextRules = webAddress({
  message: "Must be a web address, such as example.com",
  parse: websiteUrl,
});

function webAddress({ message, parse }: { message: string; parse(text: string): URL | null }): TextRules {
  return {
    gate: [notLonger(URL_MAX), ONE_LINE],
    prepare: (text) => parse(text)?.href ?? text,
    rules: [notLonger(URL_MAX), {
      key: "webAddress",
      message,
      holds: (text) => text === "" || parse(text) !== null,
    }],
  };
}

/** A host and an optional port, followed by a path, a query, a fragment or the end. */
const WITHOUT_SCHEME = /^[^\s/\\?#@:]+(:\d{1,5})?([/?#]|$)/;

function websiteUrl(text: string): URL | null {
  if (!WITHOUT_SCHEME.test(text)) return webUrl(text);
  const url = webUrl(`https://${text}`);
  return url?.hostname.includes(".") ? url : null;
}

function webUrl(text: string): URL | null {
  try {
    const url = new URL(text);
    return /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" ? url : null;
  } catch {
    return null;
  }
}
