import {
  codePoints,
  notLonger,
  notLongerCounted,
  notShorter,
  ONE_LINE,
  type Rule,
  SEVERAL_LINES,
  type TextRules,
} from "./rules.ts";

/** Source: docs/rules.md, Users. */
const NAME_MIN = 2;
export const NAME_MAX = 100;
export const BIO_MAX = 500;
const LOCATION_MAX = 100;
export const URL_MAX = 2048;

/** Characters that leave nothing to see. */
const INVISIBLE = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const BIDI_CONTROL = /\p{Bidi_Control}/u;

/** Names must contain a visible character and must not contain characters that change the text direction. */
export const READABLE: Rule = {
  problem: { rule: "unreadable" },
  holds: (text) => text.replaceAll(INVISIBLE, "") !== "" && !BIDI_CONTROL.test(text),
};

/** A display name. */
export const NAME: TextRules = {
  gate: [notLonger(NAME_MAX), ONE_LINE],
  rules: [notShorter(NAME_MIN), READABLE],
};

export const BIO: TextRules = {
  gate: [SEVERAL_LINES],
  // Browsers submit line breaks as CRLF.
  prepare: (text) => text.replaceAll("\r\n", "\n"),
  rules: [notLongerCounted(BIO_MAX)],
};

/** Returns how many more characters the text about a person may have in a form; negative if it has too many. */
export function bioCharactersLeft(typed: string): number {
  return BIO_MAX - codePoints(typed.trim());
}

export const LOCATION: TextRules = { gate: [notLonger(LOCATION_MAX), ONE_LINE], rules: [] };

/**
 * An http(s) address without credentials, in the form that the URL parser returns, or "". The bundler leaves it out of
 * scripts.
 */
export const WEB_ADDRESS: TextRules = /* @__PURE__ */ webAddress("httpAddress", webUrl);

/** A web address as people type it. An address without a scheme becomes an https address. */
export const WEBSITE: TextRules = webAddress("webAddress", websiteUrl);

function webAddress(rule: "httpAddress" | "webAddress", parse: (text: string) => URL | null): TextRules {
  return {
    gate: [notLonger(URL_MAX), ONE_LINE],
    prepare: (text) => parse(text)?.href ?? text,
    rules: [notLonger(URL_MAX), {
      problem: { rule },
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
