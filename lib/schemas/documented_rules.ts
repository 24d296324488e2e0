import { EMAIL_MAX } from "./credential_rules.ts";

/**
 * Rules in the language of JSON Schema, and in words where a pattern would need flags or look-around: programs read
 * those differently. What fits them meets the rules. What does not fit them breaks a rule. They are apart from the
 * rules because browsers load the rules.
 */
export interface DocumentedRules {
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  description?: string;
  sample?: string;
}

/** Rules in words. A test checks that they hold. */
export const WORDS = {
  oneLine: "One line, without control characters.",
  severalLines: "No control characters besides line breaks and tabs.",
  trimmed: "White space around it is removed.",
  readable: "At least one character is visible, and none changes the direction of the text.",
  email: "The part before the @ is ASCII, not quoted, and has at most 64 characters. " +
    "The domain has a dot and does not end in a number. One in another script is stored in ASCII. " +
    "Invisible characters are dropped.",
  nfkc: "The rules apply to the Unicode form NFKC of the password.",
  characters: "It has an uppercase letter, a lowercase letter, a digit and a character that is neither.",
  hard: "It is hard to guess.",
  encoded: "The limit of length also applies to its percent-encoded form.",
};

/** `//`, a host without credentials, a path, a query and a fragment. */
const AUTHORITY = "//[^\\s/\\\\?#@]+(?:[/?#]\\S*)?";
/** The same without `//` for a host that contains a dot. */
const HOST_ONLY = "[^\\s/\\\\?#@:]+\\.[^\\s/\\\\?#@:]+(?::\\d{1,4})?(?:[/?#]\\S*)?";

/** What the API document shows of each text besides its length, in place of the words for one line. */
export const DOCUMENTED = {
  name: { description: said("oneLine", "trimmed", "readable"), sample: "Ada Lovelace" },
  passkeyName: { minLength: 1, description: said("oneLine", "trimmed", "readable"), sample: "Laptop" },
  bio: { description: said("severalLines", "trimmed") },
  email: {
    format: "email",
    maxLength: EMAIL_MAX,
    description: said("email", "trimmed"),
    sample: "ada@example.com",
  },
  webAddress: {
    pattern: `^(?:[Hh][Tt][Tt][Pp][Ss]?:${AUTHORITY})?$`,
    description: `A URL as browsers accept it, without credentials, or "". ${said("oneLine", "trimmed", "encoded")}`,
    sample: "https://foyer.example/files/images/avatar/ada.webp",
  },
  website: {
    pattern: `^(?:(?:[Hh][Tt][Tt][Pp][Ss]?:${AUTHORITY}|${HOST_ONLY}))?$`,
    description: `A URL as browsers accept it, without credentials, or one without https://, or "". ${
      said("oneLine", "trimmed", "encoded")
    }`,
  },
  password: { format: "password", description: said("oneLine", "nfkc"), sample: "Correct-horse-7" },
  newPassword: {
    format: "password",
    description: said("oneLine", "nfkc", "characters", "hard"),
    sample: "Correct-horse-7",
  },
} satisfies Record<string, DocumentedRules>;

/** Joins rules in words. */
export function said(...rules: (keyof typeof WORDS)[]): string {
  return rules.map((rule) => WORDS[rule]).join(" ");
}
