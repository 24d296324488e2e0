import type { ErrorCode } from "../../errors.ts";
import type { CharacterKind, RuleKey } from "../../problem.ts";
import { TOKEN_DAYS } from "../../schemas/scopes.ts";
import type { RuleText } from "./rules.ts";

const either = new Intl.ListFormat("en-US", { type: "disjunction" });
const list = new Intl.ListFormat("en-US");
const deadLink = "This link has expired or has already been used.";

const byCode: Partial<Record<ErrorCode, string>> = {
  INVALID_CREDENTIALS: "That email and password don’t match.",
  INVALID_TOKEN: deadLink,
  EMAIL_NOT_VERIFIED: "Confirm your email address before you log in.",
  PROOF_WRONG: "That doesn’t match. Try again.",
  ACCOUNT_SUSPENDED: "This account is suspended.",
  LAST_ADMIN: "You’re the last admin. Someone must make another person an admin first.",
  LAST_SIGN_IN_METHOD: "This is your only way to log in. Add another one first.",
  FORBIDDEN: "You’re now logged in as someone else. Open this page again.",
  UNAUTHENTICATED: "You’ve been logged out. Log in and try again.",
  PAYLOAD_TOO_LARGE: "That text is too long. Shorten it and try again.",
};

/** What a page says about an error of the service. */
export const errors = {
  /** The heading above the errors of single fields. */
  checkFields: "There is a problem",
  byCode,
  deadLink,
  networkLimit: ({ minutes, providers }: { minutes: number; providers: string[] }) =>
    `Too many attempts from your network. Try again in ${minutesText(minutes)}${
      providers.length > 0 ? `, or continue with ${either.format(providers)}` : ""
    }.`,
  addressLimit: (minutes: number) =>
    `Too many wrong passwords for this address. Try again in ${minutesText(minutes)}, or reset your password.`,
  rateLimited: (minutes: number) => `Too many attempts. Try again in ${minutesText(minutes)}.`,
  other: "Something went wrong. Try again.",
};

function minutesText(minutes: number): string {
  return minutes === 1 ? "a minute" : `${minutes} minutes`;
}

const days = `Enter a number of days from ${TOKEN_DAYS.min} to ${TOKEN_DAYS.max}`;

/** What a page shows beside a field that breaks a rule that only the server checks. Islands do not load these. */
export const serverRules = {
  fillIn: {
    email: "Enter your email address",
    password: "Enter your password",
    currentPassword: "Enter your current password",
    passkeyName: "Enter a name for the passkey",
    code: "Enter the code",
    file: "Choose a file",
    tokenName: "Enter a name for the token",
    expiresInDays: days,
  },
  chooseAgain: "Choose your file again. It hasn’t been saved.",
  texts: {
    email: "Enter an email address like name@example.com",
    between: days,
    emailDomain: "Use an address at a domain that is accepted here",
    breached: "Found in a data breach. Choose a password that you haven’t used before",
    fileIncomplete: "Choose another file. Empty files can’t be uploaded.",
    guessable: "Too easy to guess. Avoid common words, your name and your email address",
    scopes: "Choose one or more permissions",
  } as Partial<Record<RuleKey, RuleText>>,
  newPassword: {
    /** For an empty field, whatever its name. */
    choose: "Choose a password",
    kinds: {
      uppercase: "an uppercase letter",
      lowercase: "a lowercase letter",
      digit: "a number",
      symbol: "a symbol",
    } satisfies Record<CharacterKind, string>,
    add: (kinds: string[]) => `Add ${list.format(kinds)}`,
    including: (text: string, kinds: string[]) => `${text}, including ${list.format(kinds)}`,
  },
};
