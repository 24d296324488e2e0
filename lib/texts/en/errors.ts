import type { ErrorCode } from "../../errors.ts";

const deadLink = "This link has expired or has already been used.";

const byCode: Partial<Record<ErrorCode, string>> = {
  INVALID_CREDENTIALS: "That email and password don’t match.",
  INVALID_TOKEN: deadLink,
  EMAIL_NOT_VERIFIED: "Confirm your email address before you log in.",
  PROOF_WRONG: "That doesn’t match. Try again.",
  ACCOUNT_SUSPENDED: "This account is suspended.",
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
  loginLimit: (minutes: number) => `Too many attempts. Try again in ${minutesText(minutes)}, or reset your password.`,
  rateLimited: (minutes: number) => `Too many attempts. Try again in ${minutesText(minutes)}.`,
  other: "Something went wrong. Try again.",
};

function minutesText(minutes: number): string {
  return minutes === 1 ? "a minute" : `${minutes} minutes`;
}
