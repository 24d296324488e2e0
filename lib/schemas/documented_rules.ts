import { ADDRESS, EMAIL_MAX } from "./credential_rules.ts";
import { CONTROL_KINDS } from "./rules.ts";
import { INVISIBLE } from "./user_rules.ts";

/**
 * Rules in the words of JSON Schema. What fits them meets the rules. What does not fit them breaks a rule, except that
 * white space around a text is removed first. They are apart from the rules because browsers load the rules.
 */
export interface DocumentedRules {
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  description?: string;
}

/** The pattern of `ONE_LINE`. */
export const ONE_LINE_PATTERN = `^[^${CONTROL_KINDS}]*$`;
const SEVERAL_LINES_PATTERN = `^(?:\\r\\n|[\\n\\t]|[^${CONTROL_KINDS}])*$`;
const NAME_PATTERN = ONE_LINE_PATTERN
  .replace("^", `^(?!\\s)(?=.*[^${INVISIBLE.source.slice(1, -1)}])`)
  .replace("]*", "\\p{Bidi_Control}]*(?<!\\s)");

/** `//`, a host without credentials, a path, a query and a fragment. */
const AUTHORITY = "//[^\\s/\\\\?#@]+(?:[/?#]\\S*)?";
/** The same without `//` for a host that contains a dot. */
const HOST_ONLY = "[^\\s/\\\\?#@:]+\\.[^\\s/\\\\?#@:]+(?::\\d{1,4})?(?:[/?#]\\S*)?";
const ENCODED = "The limit of length also applies to its percent-encoded form.";
const IN_NFKC = "The rules apply to the Unicode form NFKC of the password.";

/** What the API document shows of each text in addition to its length and the pattern of one line. */
export const DOCUMENTED = {
  name: { pattern: NAME_PATTERN },
  passkeyName: { minLength: 1, pattern: NAME_PATTERN },
  bio: { pattern: SEVERAL_LINES_PATTERN },
  email: { format: "email", maxLength: EMAIL_MAX, pattern: ADDRESS.source },
  webAddress: {
    pattern: `^(?:[Hh][Tt][Tt][Pp][Ss]?:${AUTHORITY})?$`,
    description: `A URL as browsers accept it, without credentials, or "". ${ENCODED}`,
  },
  website: {
    pattern: `^(?:(?:[Hh][Tt][Tt][Pp][Ss]?:${AUTHORITY}|${HOST_ONLY}))?$`,
    description: `A URL as browsers accept it, without credentials, or one without https://, or "". ${ENCODED}`,
  },
  password: { format: "password", description: IN_NFKC },
  newPassword: {
    format: "password",
    description:
      `${IN_NFKC} It has an uppercase letter, a lowercase letter, a digit and a character that is neither, and it is hard to guess.`,
    pattern: ONE_LINE_PATTERN.replace("^", "^(?=.*\\p{Lu})(?=.*\\p{Ll})(?=.*\\p{Nd})(?=.*[^\\p{L}\\p{N}])"),
  },
} satisfies Record<string, DocumentedRules>;
