/** The home page, which only guests see. */
export const home = {
  title: (product: string) => `Welcome to ${product}`,
  lead: "Log in to your account, or create one in a minute.",
  leadClosed: "Log in to your account.",
  createAccount: "Create account",
  logIn: "Log in",
  forDevelopers: "For developers:",
};
