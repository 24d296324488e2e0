import { dayText, momentText } from "../dates.ts";

/** How people logged in, by the method of the session. */
const methods: Record<string, string> = {
  password: "Password",
  idp: "Account at another service",
  passkey: "Passkey",
  invitation: "Invitation",
  code: "Emailed code",
};

interface Act {
  happenedAt: Date;
  device: string;
  method?: string;
  newEmail?: string;
  provider?: string;
  dueAt?: Date;
}

/** The emails that report an act, and let its owner undo it. Reassurance comes first, then the facts, then the red button. */
export const alerts = {
  summary: () => "Was it you? Then there’s nothing to do.",
  facts: ({ happenedAt, device, method, newEmail, provider, dueAt }: Act): [string, string | undefined][] => [
    ["When", momentText(happenedAt)],
    ["Device", device],
    ["Method", method && (methods[method] ?? method)],
    ["New address", newEmail],
    ["Service", provider],
    ["Deletion", dueAt && momentText(dueAt)],
  ],
  lastOfItsKind: (silentUntil: Date) =>
    "You’ve had several of these emails today, so this is the last one until " +
    `${momentText(silentUntil)}, however often it happens again. The activity page lists every time. ` +
    "“This wasn’t me” also undoes what happens after this email.",
  action: "This wasn’t me",
  after: (lifetime: string) =>
    "If it wasn’t you, choose “This wasn’t me” to take your account back: that logs out every device, removes the password " +
    `and emails you a link to choose a new one. The link works once and expires after ${lifetime}.`,

  new_device: {
    subject: (product: string) => `New login to your ${product} account`,
    heading: () => "Someone logged in on a new device",
  },
  password_changed: {
    subject: (product: string) => `Your ${product} password was changed`,
    heading: () => "You have a new password",
  },
  email_change_requested: {
    subject: (product: string) => `Request to change your ${product} email address`,
    heading: () => "Nothing has changed yet",
    details: () => ["The address of your account changes as soon as the new one is confirmed."],
  },
  email_changed: {
    subject: (product: string) => `Your ${product} email address was changed`,
    heading: () => "This address no longer belongs to your account",
  },
  passkey_added: {
    subject: (product: string) => `A passkey was added to your ${product} account`,
    heading: () => "A new passkey can log in",
  },
  passkey_removed: {
    subject: (product: string) => `A passkey was removed from your ${product} account`,
    heading: () => "One passkey no longer works",
  },
  totp_enabled: {
    subject: (product: string) => `Authenticator app added to your ${product} account`,
    heading: () => "Logging in now takes a second step",
  },
  totp_disabled: {
    subject: (product: string) => `The authenticator app of your ${product} account was removed`,
    heading: () => "Logging in no longer takes a second step",
    details: () => ["The recovery codes were removed too."],
  },
  recovery_code_used: {
    subject: (product: string) => `A recovery code of your ${product} account was used`,
    heading: () => "Someone logged in with a recovery code",
  },
  recovery_codes_created: {
    subject: (product: string) => `New recovery codes for your ${product} account`,
    heading: () => "The earlier codes no longer work",
  },
  identity_linked: {
    subject: (product: string) => `A new way to log in to your ${product} account`,
    heading: () => "An account at another service can log in",
  },
  token_created: {
    subject: (product: string) => `New API token for your ${product} account`,
    heading: () => "A program can now act for you",
  },

  /** It can be undone by logging in, so that comes first, and the red button becomes a link. */
  account_closing: {
    subject: (product: string) => `Your ${product} account is being deleted`,
    heading: (_product: string, { dueAt }: { dueAt: Date }) => `We’ll delete it on ${dayText(dueAt)}`,
    summary: (_product: string, { dueAt }: { dueAt: Date }) =>
      `Changed your mind? Log in before ${dayText(dueAt)} and choose “Keep my account”.`,
    details: () => ["Your profile and all your files will be deleted too."],
    buttonAction: "Keep my account",
    after: (lifetime: string) =>
      "Wasn’t it you? “This wasn’t me” logs out every device, removes the password and emails you a link to choose a new " +
      `one. The link works once and expires after ${lifetime}.`,
  },
};
