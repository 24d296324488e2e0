/** The pages on which people change their email address, and undo what someone else did. */
export const email = {
  title: "Change your email address",
  current: (email: string) => `Your email address is ${email}.`,
  lead:
    "We’ll email a link to the new address. Your address changes when you open the link and confirm. Until then, nothing " +
    "changes.",
  /** A change that waits for its confirmation. */
  pending: {
    title: (email: string) => `Waiting for ${email}`,
    lead: (email: string) => `Open the link that we emailed to it. Until you confirm it, log in with ${email}.`,
    resend: "Resend",
    resendTo: (email: string) => `Resend the email to ${email}`,
    cancel: "Cancel",
    cancelOf: (email: string) => `Cancel the change to ${email}`,
  },
  /** Who sees the address. */
  visibility: {
    isShown: { everyone: "Anyone can see this address.", members: "Members can see this address." },
    isHidden: "Your email address is hidden.",
    hide: "Hide my email address",
    show: "Show my email address",
  },
  newEmail: "New email address",
  submit: "Email me a link",

  confirm: {
    title: "Confirm your new email address",
    question: (product: string, email: string) => `Do you want to use ${email} for your ${product} account?`,
    lead: "You’ll log in with this address from then on. Links that we’ve emailed to your old address stop working.",
    submit: "Yes, use this address",
    hint: "Didn’t ask for this? Close this page, and nothing will change.",
    notAllowed: "This address can’t be used anymore. Choose a different one in your settings.",
    taken: "Another account uses this address now. Choose a different one in your settings.",
  },

  notMe: {
    title: "Secure your account",
    lead: (product: string) => `If someone else is using your ${product} account, take it back. We’ll:`,
    steps: (email: string) => [
      "end all sessions, on every device",
      "remove the password",
      `make ${email} the email address of your account, if it was changed`,
      "undo other changes made since then: passkeys, authenticator apps, connected accounts",
      `email ${email} a link to choose a new password`,
    ],
    submit: "Secure my account",
    hint: "Was it you? Close this page, and nothing will change.",
    deadLink: "Reset your password",
  },
};
