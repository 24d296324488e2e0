import type { ErrorCode } from "../../errors.ts";

const byCode: Partial<Record<ErrorCode, string>> = {
  INVALID_CREDENTIALS: "That email and password don’t match.",
  INVALID_TOKEN: "This link has expired or has already been used.",
  EMAIL_TAKEN: "An account already uses this email address. Log in or reset your password.",
  EMAIL_NOT_VERIFIED: "Confirm your email address before you log in.",
  FORBIDDEN: "You’re now logged in as someone else. Reload your profile page.",
  UNAUTHENTICATED: "You’ve been logged out. Log in and try again.",
  PAYLOAD_TOO_LARGE: "That text is too long. Shorten it and try again.",
};

/** What a page says about an error of the service. */
export const errors = {
  /** The heading above the errors of single fields. */
  checkFields: "There is a problem",
  byCode,
  loginLimit: (minutes: number) => `Too many attempts. Try again in ${minutesText(minutes)}, or reset your password.`,
  rateLimited: (minutes: number) => `Too many attempts. Try again in ${minutesText(minutes)}.`,
  other: "Something went wrong. Try again.",
};

function minutesText(minutes: number): string {
  return minutes === 1 ? "a minute" : `${minutes} minutes`;
}
