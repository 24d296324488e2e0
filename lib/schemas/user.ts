import { z } from "zod";
import { atLeast, atMost, codePoints, line, lines } from "./text.ts";

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

/** A display name, trimmed; one that shows nothing, or that turns the writing direction around, is refused. */
export const Name = line().transform((text) => text.trim())
  .refine(...atLeast(NAME_MIN)).refine(...atMost(NAME_MAX))
  .refine((text) => text.replaceAll(INVISIBLE, "") !== "" && !BIDI_CONTROL.test(text), "Must be a readable name");

/** One ASCII address, trimmed and lower-cased. Lower-casing alone would turn the Kelvin sign into a k. */
export const Email = line().refine((text) => !NOT_ASCII.test(text), "Must be a valid email address")
  .transform((text) => text.trim().toLowerCase())
  .refine((text) => text.length <= EMAIL_MAX && ADDRESS.test(text), "Must be a valid email address");

/** The rules of a new password, in the order in which they are told. Source: spec, Password policy. */
export const PASSWORD_RULES: { message: string; holds(password: string): boolean }[] = [
  { message: `Must be at least ${PASSWORD_MIN} characters`, holds: (text) => codePoints(text) >= PASSWORD_MIN },
  { message: `Must be at most ${PASSWORD_MAX} characters`, holds: (text) => codePoints(text) <= PASSWORD_MAX },
  { message: "Must have an uppercase letter", holds: (text) => /\p{Lu}/u.test(text) },
  { message: "Must have a lowercase letter", holds: (text) => /\p{Ll}/u.test(text) },
  { message: "Must have a digit", holds: (text) => /\p{Nd}/u.test(text) },
  { message: "Must have a character that is not a letter or digit", holds: (text) => /[^\p{L}\p{N}]/u.test(text) },
];

/** A password being chosen, in the form (NFKC) in which it is hashed; never trimmed. */
export const NewPassword = line().transform((text) => text.normalize("NFKC")).superRefine((text, context) => {
  for (const { message, holds } of PASSWORD_RULES) if (!holds(text)) context.addIssue({ code: "custom", message });
});

/** A password being tried, in the form in which it is hashed; held to no rule but the length that one can have. */
export const Password = line().transform((text) => text.normalize("NFKC")).refine(...atLeast(1)).refine(
  ...atMost(PASSWORD_MAX),
);

/** A token from a mailed link. */
export const Token = line().refine(...atLeast(1)).refine(...atMost(128));

export const Bio = lines().refine(...atMost(BIO_MAX));
export const Location = line().transform((text) => text.trim()).refine(...atMost(LOCATION_MAX));

/** An http(s) address without credentials, as the URL parser writes it; or "". */
export const WebAddress = line().transform((text) => text.trim()).refine(...atMost(URL_MAX)).transform(
  (text, context) => {
    if (text === "") return text;
    const url = URL.parse(text);
    const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
    if (isWeb && url.href.length <= URL_MAX) return url.href;
    context.addIssue({ code: "custom", message: "Must be a web address that starts with http:// or https://" });
    return z.NEVER;
  },
);

const ADDRESS =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const NOT_ASCII = /[^\x20-\x7e]/;
const INVISIBLE = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const BIDI_CONTROL = /\p{Bidi_Control}/u;
