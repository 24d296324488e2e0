/** The emails that someone has asked for: their recipient waits for them. */
export const requested = {
  verification: {
    subject: (product: string) => `Confirm your email address for ${product}`,
    heading: () => "Is this your address?",
    summary: (product: string) => `Someone (hopefully you) created a ${product} account with this email address.`,
    action: "Confirm email address",
    after: (lifetime: string) =>
      `This link works for ${lifetime}. Not you? Ignore this email. To delete the account, open the link and choose “No”.`,
  },

  reset: {
    subject: (product: string) => `Reset your ${product} password`,
    heading: () => "Forgot your password?",
    summary: (product: string) => `We received a request to reset your ${product} password.`,
    action: "Choose a new password",
    after: (lifetime: string) =>
      `This link works once and expires after ${lifetime}. Didn’t ask for this? ` +
      "Ignore this email and your password won’t change.",
  },

  /** A name that could be read as a link or a number to call is missing. */
  invitation: {
    subject: (product: string) => `You’re invited to ${product}`,
    heading: () => "Your account is ready",
    summary: (product: string, { name, inviter }: { name?: string; inviter?: string }) =>
      `Hello${name === undefined ? "" : ` ${name}`}. ` +
      (inviter === undefined ? `You’ve been invited to ${product}.` : `${inviter} invited you to ${product}.`),
    details: () => ["Choose a password to start using it."],
    action: "Choose a password",
    after: (lifetime: string) =>
      `This link works once and expires after ${lifetime}. ` +
      "After that, choose “Forgot your password?” on the login page.",
  },

  recovery: {
    subject: (product: string) => `Choose a new ${product} password`,
    heading: () => "Your account is secured",
    summary: (product: string) => `You told us that someone else used your ${product} account.`,
    details: () => ["We’ve ended all sessions and removed the password. Choose a new one to log in."],
    action: "Choose a new password",
    after: (lifetime: string) =>
      `This link works once and expires after ${lifetime}. ` +
      "After that, choose “Forgot your password?” on the login page.",
  },

  email_change: {
    subject: (product: string) => `Confirm your new email address for ${product}`,
    heading: () => "Is this your address?",
    summary: (product: string) =>
      `Someone (hopefully you) asked to use this email address for their ${product} account.`,
    action: "Confirm email address",
    after: (lifetime: string) =>
      `This link works once and expires after ${lifetime}. Didn’t ask for this? Ignore this email and nothing will change.`,
  },

  email_in_use: {
    subject: (product: string) => `You already have a ${product} account`,
    heading: () => "Nothing has changed",
    summary: (product: string) =>
      `Someone (hopefully you) asked to use this email address for another ${product} account.`,
    details: () => ["An account already uses this address. You can log in to it."],
    action: "Log in",
    after: () => "Didn’t ask for this? You can ignore this email.",
  },

  factor_reset: {
    subject: (product: string) => `Lost your authenticator app for ${product}?`,
    heading: () => "We can remove the app",
    summary: (product: string) =>
      `Someone (hopefully you) logged in to your ${product} account but has lost the authenticator app and the recovery ` +
      "codes.",
    details: () => ["With this link, we’ll remove them after a waiting time."],
    action: "Remove my authenticator app",
    after: (lifetime: string) =>
      `This link works once and expires after ${lifetime}. Wasn’t it you? Then someone knows how to log in to your ` +
      "account. Change your password.",
  },

  code: {
    subject: (product: string, { code }: { code: string }) => `${code} is your ${product} code`,
    heading: () => "Confirm that it’s you",
    summary: (product: string) => `Enter this code in ${product} to continue.`,
    after: (lifetime: string) =>
      `The code works once and expires after ${lifetime}. Never share it. Didn’t ask for it? ` +
      "Someone may be using your account: log out of sessions that you don’t recognize.",
  },

  sign_in_code: {
    subject: (product: string, { code }: { code: string }) => `${code} is your ${product} login code`,
    heading: () => "Welcome back",
    summary: (product: string) => `Enter this code in ${product} to log in.`,
    after: (lifetime: string) =>
      `The code works once and expires after ${lifetime}. Never share it. ` +
      "Didn’t ask for it? Ignore this email. No one can log in without the code.",
  },
};
