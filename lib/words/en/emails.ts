const DAY = 24 * 60 * 60;
const HOUR = 60 * 60;
const MINUTE = 60;

/** The emails that carry a link. */
export const emails = {
  /** How long a link works, such as "24 hours": whole days from two days on, then whole hours, then whole minutes. */
  lifetime(seconds: number): string {
    if (seconds >= 2 * DAY && seconds % DAY === 0) return count(seconds / DAY, "day");
    if (seconds % HOUR === 0) return count(seconds / HOUR, "hour");
    return count(Math.ceil(seconds / MINUTE), "minute");
  },

  buttonNotWorking: "Button not working? Copy this link into your browser:",

  verification: {
    subject: (product: string) => `Confirm your email address for ${product}`,
    before: (product: string) =>
      `Someone (hopefully you) created a ${product} account with this email address. Confirm that it’s yours:`,
    action: "Confirm email address",
    after: (lifetime: string) =>
      `This link works for ${lifetime}. Not you? Open it and choose “No” to delete the account.`,
  },

  reset: {
    subject: (product: string) => `Reset your ${product} password`,
    before: (product: string) => `We received a request to reset your ${product} password.`,
    action: "Choose a new password",
    after: (lifetime: string) =>
      `This link works once and expires after ${lifetime}. Didn’t ask for this? ` +
      "Ignore this email and your password won’t change.",
  },

  invitation: {
    subject: (product: string) => `You’re invited to ${product}`,
    before: (product: string) =>
      `An account has been created for you at ${product}. Choose a password to start using it.`,
    action: "Choose a password",
    after: (lifetime: string) =>
      `This link works once and expires after ${lifetime}. ` +
      "After that, choose “Forgot your password?” on the login page.",
  },
};

function count(number: number, unit: "day" | "hour" | "minute"): string {
  return number.toLocaleString("en", { style: "unit", unit, unitDisplay: "long" });
}
