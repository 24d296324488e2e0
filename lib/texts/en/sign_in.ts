const either = new Intl.ListFormat("en-US", { type: "disjunction" });

/** The pages on which people create an account, log in, confirm an address and choose a new password. */
export const signIn = {
  email: "Email address",
  password: "Password",
  /** For the field of a new address, where only some domains are accepted. */
  emailDomains: (domains: string[]) => `Use an address at ${either.format(domains)}.`,
  continueWith: (provider: string) => `Continue with ${provider}`,
  /** Stands for the name of a provider that is not known. */
  someProvider: "the service you chose",
  /** Between the ways to log in. */
  or: "or",
  /** Marks the way in which someone last logged in with this browser. */
  lastUsed: "Last used",
  backToLogin: "Back to login",
  /** After an email has been sent. */
  checkEmail: "Check your email",
  sendAgain: "Send again",
  otherAddress: "Use another address",

  login: {
    /** The title of the window. */
    title: "Log in",
    heading: (product: string) => `Log in to ${product}`,
    submit: "Log in",
    /** For people whose account is being deleted. */
    toKeep: "Log in to keep your account.",
    forgot: "Forgot your password?",
    newHere: (product: string) => `New to ${product}?`,
    createAccount: "Create an account",
    cancelled: "Login canceled. Try again, or use your password.",
    idpFailed: (provider: string) => `We couldn’t log you in with ${provider}. Try again, or use your password.`,
    idpEmail: (provider: string) =>
      `${provider} hasn’t confirmed your email address, or another account here already uses it. ` +
      `Confirm the address with ${provider} and try again, or use your password.`,
    idpEmailWithheld: (provider: string) =>
      `${provider} didn’t tell us your email address. Allow it to be shared with us when you try again, or use your ` +
      "password.",
    registrationClosed: (provider: string) =>
      `No account here uses your email address at ${provider}, and you can’t create one with it. If you have an ` +
      "account, log in to it in another way.",
  },

  logout: {
    title: "Log out",
    lead: (product: string) =>
      `This logs you out of ${product} in this browser, and out of the sites that you use with it.`,
    submit: "Log out",
  },

  loginCode: {
    title: "Log in with a code",
    link: "Email me a login code",
    lead: "Enter your email address and we’ll send you a code to log in with. You don’t need your password.",
    tooManySent: (minutes: number) =>
      `Too many codes were sent from your network. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`,
    sent: (email: string) => `If an account uses ${email}, we’ve emailed it a code. Check your spam folder too.`,
  },

  register: {
    title: "Create your account",
    description: "All you need is a name, an email address and a password.",
    name: "Your name",
    emailHint: "We’ll email you a link to confirm it’s yours.",
    emailVisible: {
      everyone: "Show my email on my profile, where anyone can see it",
      members: "Show my email on my profile, where members can see it",
    },
    submit: "Create account",
    /** @param link makes a link of a text. */
    taken: <Link>(link: (to: "login" | "reset", text: string) => Link) => [
      "An account already uses this email address. ",
      link("login", "Log in"),
      " or ",
      link("reset", "reset your password"),
      ".",
    ],
    hasAccount: "Already have an account?",
    logIn: "Log in",
    /** Where people cannot create accounts. */
    closed: {
      invited: {
        title: "You need an invitation",
        lead:
          "Only people who have been invited can create an account here. The invitation comes by email, with a link " +
          "to choose a password.",
      },
      closed: { title: "Registration is closed", lead: "New accounts can’t be created here." },
    },
    newLink: "Lost your invitation? Get a new link",
  },

  verify: {
    title: "Confirm your email address",
    question: (product: string, email: string) => `Did you create a ${product} account with ${email}?`,
    confirm: "Yes, confirm my email",
    reject: "No, delete this account",
    rejectHint: "Someone may have mistyped their address. Choosing “No” deletes the account.",
    checkTitle: "Check your email",
    /** Only after an email was asked for. The notice above it says so. */
    arriving: "It can take a few minutes to arrive. Check your spam folder too.",
    sentBefore: ({ email, lifetime }: { email?: string; lifetime: string }) =>
      `We emailed a link to ${email || "your address"} when you signed up. Links work for ${lifetime}.`,
    alreadyTitle: "Email already confirmed",
    alreadyLogIn: "Your email address is already confirmed. Log in to continue.",
    alreadyDone: "Your email address is already confirmed.",
    nothing: "Didn’t get it?",
    resend: "Email me a new link",
  },

  forgot: {
    title: "Forgot your password?",
    lead: "Enter your email address and we’ll send you a link to choose a new password.",
    submit: "Email me a link",
    sent: (email: string, lifetime: string) =>
      `If an account uses ${email}, we’ve emailed it a link to choose a new password. It works for ${lifetime}. ` +
      "Check your spam folder too.",
  },

  reset: {
    title: "Choose a new password",
    password: "New password",
    submit: "Save new password",
    newLink: "Email me a new link",
    missingLink: "Open the link in the email we sent you. Each link works once, and only the latest one works.",
  },

  invitation: {
    title: "Choose a password",
    lead: (product: string) => `Choose a password to start using your ${product} account.`,
    password: "Password",
    submit: "Save password",
  },
};
