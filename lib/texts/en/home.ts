/** The home page. */
export const home = {
  title: "Accounts for your product, ready to use",
  lead: "Sign-up, profiles and file sharing in one place. Works on every device, with or without JavaScript.",
  createAccount: "Create account",
  logIn: "Log in",
  cards: [
    ["Log in securely", "Use a passkey or a password, and add an authenticator app for extra protection."],
    ["Create a profile", "Your name, a photo and a short bio, on a page others can find."],
    [
      "Share files",
      "Drop them in, follow the progress and share the link. If an upload fails, you can retry it.",
    ],
  ] as [title: string, text: string][],
  forDevelopers: "For developers:",
};
