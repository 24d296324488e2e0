/** The pages of one's own account. */
export const settings = {
  title: "Settings",
  allPages: "All settings",
  /** The groups of pages in the navigation. */
  groups: { you: "You", security: "Security", developers: "Developers", account: "Account" },
  /** The names of the pages in the navigation. */
  pages: {
    profile: "Profile",
    email: "Email",
    password: "Password",
    signInMethods: "Ways to log in",
    sessions: "Sessions",
    activity: "Activity",
    tokens: "API tokens",
    data: "Your data",
  },

  /** For a browser without scripts. The island on the page makes photos smaller itself. */
  photoTooLarge: (limit: string) =>
    `Choose an image smaller than ${limit}, or turn on JavaScript and this page makes it smaller for you`,

  password: {
    title: "Change your password",
    lead:
      "Your old password and any reset links that we’ve emailed you will stop working. You’ll be logged out on your " +
      "other devices, unless you choose to stay logged in.",
    submit: "Change password",
  },
  firstPassword: {
    title: "Add a password",
    lead:
      "Your account has no password yet. With one, you can log in with your email address. You’ll be logged out on your " +
      "other devices, unless you choose to stay logged in.",
    submit: "Add password",
  },
  newPassword: "New password",
  keepOthers: "Stay logged in on my other devices",

  sessions: {
    title: "Sessions",
    lead:
      "These devices are logged in to your account. If you don’t recognize one, log it out and change your password.",
    current: "This device",
    active: "Active now",
    lastSeen: "Last seen",
    end: "Log out",
    endOf: (device: string) => `Log out ${device}`,
    endOthers: "Log out all other sessions",
    othersHint: "You stay logged in here and are logged out everywhere else.",
    alone: "You’re not logged in anywhere else.",
    gone: "That session has already ended.",
  },

  signInMethods: {
    title: "Ways to log in",
    password: "Password",
    providers: "Connected accounts",
    hasPassword: "You can log in with your email address and your password.",
    noPassword: "You have no password yet.",
    linked: (provider: string, email: string) => `You can log in with ${provider}, as ${email}.`,
    notLinked: "Not connected.",
    verifyFirst: (provider: string) => `Confirm your email address before you connect ${provider}.`,
    add: "Connect",
    addOf: (provider: string) => `Connect ${provider}`,
    addTitle: (provider: string) => `Connect ${provider}?`,
    addLead: (provider: string) =>
      `Log in to ${provider} next, then come back here to confirm. Your email address and password stay the same.`,
    confirmLead: ({ provider, identity, email }: { provider: string; identity: string; email: string }) =>
      `Anyone who can log in to ${provider} as ${identity} will be able to log in to your account, ${email}.`,
    dontAdd: "Cancel",
    /** Stands for the name of a provider that is not known. */
    someProvider: "the service you chose",
    /** Why the provider was not connected. */
    refusals: {
      cancelled: (provider: string) => `You canceled. ${provider} hasn’t been connected.`,
      idp_failed: (provider: string) => `We couldn’t connect ${provider}. Try again.`,
      idp_email: (provider: string) =>
        `${provider} hasn’t been connected. It hasn’t confirmed your email address there, or another account here already ` +
        "uses it.",
      idp_email_withheld: (provider: string) =>
        `${provider} hasn’t been connected. It didn’t tell us your email address. Allow it to be shared with us, and try ` +
        "again.",
      expired: (provider: string) =>
        `${provider} hasn’t been connected. You may have taken longer than ten minutes or started again elsewhere. Try ` +
        "again.",
    },
    last: (provider: string) => `This is your only way to log in. Add a password before you disconnect ${provider}.`,
    remove: "Disconnect",
    removeOf: (provider: string) => `Disconnect ${provider}`,
    removeTitle: (provider: string) => `Disconnect ${provider}?`,
    removeLead: (provider: string) =>
      `You can still log in in your other ways. If you continue with ${provider} again later, with the email address of ` +
      "this account, it’s connected again.",
    keep: (provider: string) => `Keep ${provider}`,
  },
};
