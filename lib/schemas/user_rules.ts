import { notLonger, notLongerInNfkc, notShorter, ONE_LINE, type Rule, SEVERAL_LINES, type TextRules } from "./rules.ts";

/** Source: spec, Limits. */
export const NAME_MIN = 2;
export const NAME_MAX = 100;
export const BIO_MAX = 500;
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 128;
/** Source: RFC 5321, 4.5.3.1.3, less the angle brackets. */
export const EMAIL_MAX = 254;
export const LOCATION_MAX = 100;
export const URL_MAX = 2048;

const INVISIBLE = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const BIDI_CONTROL = /\p{Bidi_Control}/u;
/** Words with dots between them, at a name whose last part is not a number. Source: RFC 5321, 4.1.2; RFC 3696, 2. */
const ADDRESS =
  /^(?=.{1,64}@)[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const NOT_ASCII = /[^\x20-\x7e]/;
const INVALID_EMAIL = "Must be a valid email address";

/** A display name; one that shows nothing, or that turns the writing direction around, is refused. */
export const NAME: TextRules = {
  gate: [notLonger(NAME_MAX), ONE_LINE],
  rules: [notShorter(NAME_MIN), {
    message: "Must be a readable name",
    holds: (text) => text.replaceAll(INVISIBLE, "") !== "" && !BIDI_CONTROL.test(text),
  }],
};

/** One ASCII address, lower-cased. Lower-casing alone would turn the Kelvin sign into a k. */
export const EMAIL: TextRules = {
  gate: [ONE_LINE, { message: INVALID_EMAIL, holds: (text) => !NOT_ASCII.test(text) }],
  prepare: (text) => text.toLowerCase(),
  rules: [{ message: INVALID_EMAIL, holds: (text) => text.length <= EMAIL_MAX && ADDRESS.test(text) }],
};

/** The rules of a new password, in the order in which they are told. Source: spec, Password policy. */
export const PASSWORD_RULES: Rule[] = [
  notShorter(PASSWORD_MIN),
  notLonger(PASSWORD_MAX),
  { message: "Must have an uppercase letter", holds: (text) => /\p{Lu}/u.test(text) },
  { message: "Must have a lowercase letter", holds: (text) => /\p{Ll}/u.test(text) },
  { message: "Must have a digit", holds: (text) => /\p{Nd}/u.test(text) },
  { message: "Must have a character that is not a letter or digit", holds: (text) => /[^\p{L}\p{N}]/u.test(text) },
];

/** A password, in the form (NFKC) in which it is hashed. At login only the length counts. */
export const PASSWORD: TextRules = {
  keepsSpace: true,
  gate: [notLongerInNfkc(PASSWORD_MAX), ONE_LINE],
  prepare: (text) => text.normalize("NFKC"),
  rules: [notShorter(1), notLonger(PASSWORD_MAX)],
};

/** A password that someone chooses. */
export const NEW_PASSWORD: TextRules = { ...PASSWORD, rules: PASSWORD_RULES };

export const BIO: TextRules = {
  gate: [SEVERAL_LINES],
  // Forms send CRLF.
  prepare: (text) => text.replaceAll("\r\n", "\n"),
  rules: [notLonger(BIO_MAX)],
};

export const LOCATION: TextRules = { gate: [notLonger(LOCATION_MAX), ONE_LINE], rules: [] };

/** An http(s) address without credentials, as the URL parser writes it; or "". */
export const WEB_ADDRESS: TextRules = webAddress({
  message: "Must be a web address that starts with http:// or https://",
  parse: webUrl,
});

/** A web address as people type it: without a scheme it is https. */
export const WEBSITE: TextRules = webAddress({
  message: "Enter a web address like example.com",
  parse: websiteUrl,
});

function webAddress({ message, parse }: { message: string; parse(text: string): URL | null }): TextRules {
  return {
    gate: [notLonger(URL_MAX), ONE_LINE],
    prepare: (text) => parse(text)?.href ?? text,
    rules: [notLonger(URL_MAX), { message, holds: (text) => text === "" || parse(text) !== null }],
  };
}

/** A host, perhaps with a port, and whatever follows it. */
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
