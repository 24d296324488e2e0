/** Passkeys: on the login page, as a proof, and in the settings. */
export const passkeys = {
  logIn: "Continue with a passkey",
  refused: "We couldn’t log you in with that passkey. Try again, or use your password.",
  /** What the button says when its request fails. */
  problems: {
    cancelled: "No passkey was used. Try again, or use another way.",
    failed: "Something went wrong. Try again, or use another way.",
  },

  title: "Passkeys",
  lead: "Log in with your fingerprint, face or screen lock instead of a password.",
  none: "You have no passkeys yet.",
  full: (max: number) => `You can have up to ${max} passkeys. Remove one to add another.`,
  added: "Added",
  lastUsed: "Last used",
  neverUsed: "Not used yet",
  synced: "Synced by your password manager",
  rename: "Rename",
  renameOf: (name: string) => `Rename ${name}`,
  remove: "Remove",
  removeOf: (name: string) => `Remove ${name}`,
  add: "Add a passkey",
  noScripts: "Adding a passkey needs JavaScript. Turn it on to continue.",
  missing: "This browser doesn’t support passkeys. Try another browser or device.",
  elsewhere: (host: string) => `Passkeys don’t work at an IP address. Open this page at ${host}.`,
  nowhere: "Passkeys need a domain name. They don’t work here, because this site is at an IP address.",
  elsewhereLink: (host: string) => `Go to ${host}`,

  addition: {
    title: "Add a passkey",
    lead:
      "Your browser will ask you to confirm with your fingerprint, face or screen lock. The passkey is kept on your " +
      "device or in your password manager.",
    name: "Name",
    nameHint: "So that you recognize it later, such as “Work laptop”.",
    defaultName: (device: string) => `Passkey from ${device}`,
    submit: "Create passkey",
    refused: "The passkey couldn’t be added. Try again, or use another device.",
    /** The form was sent without a passkey. */
    again: "Choose “Create passkey” to continue.",
    problems: {
      cancelled: "No passkey was created. Try again.",
      exists: "This device or password manager already has a passkey for your account.",
      failed: "Something went wrong. Try again.",
    },
    back: "Back to ways to log in",
  },

  renaming: {
    title: "Rename passkey",
    submit: "Save name",
  },

  removal: {
    title: (name: string) => `Remove ${name}?`,
    lead: "You won’t be able to log in with this passkey anymore.",
    last: "This is your only way to log in. Add a password or another passkey before you remove it.",
    submit: "Remove passkey",
    keep: "Keep passkey",
  },
};
