import { dayText, momentText } from "../dates.ts";

/** The emails that nobody waits for, besides alerts. */
export const reports = {
  factor_reset_waiting: {
    subject: (product: string) => `Your ${product} authenticator app will be removed`,
    heading: (_product: string, { dueAt }: { dueAt: Date }) => `We’ll remove the app on ${dayText(dueAt)}`,
    summary: () => "Was it you? Then there’s nothing to do.",
    details: (product: string) => [
      `Someone (hopefully you) asked us to remove the authenticator app and the recovery codes of your ${product} account.`,
    ],
    facts: ({ dueAt }: { dueAt: Date }): [string, string][] => [["Removal", momentText(dueAt)]],
    action: "Keep the app",
    after: () =>
      "If it wasn’t you, choose “Keep the app” to stop it, and change your password: someone knows it. We send this email " +
      "every day until then.",
  },

  many_wrong_passwords: {
    subject: (product: string) => `Wrong passwords for your ${product} account`,
    heading: () => "None of them was right",
    summary: (product: string) => `Someone has entered many wrong passwords for your ${product} account.`,
    details: () => [
      "For a while, you can log in with your password only in a browser that you have used before. If you’re locked out, " +
      "choose a new password.",
    ],
    action: "Choose a new password",
    after: () =>
      "If your password is long and you use it nowhere else, there’s nothing to do. We send this email at most once a day.",
  },

  token_expiring: {
    subject: (product: string) => `An API token for ${product} expires soon`,
    heading: () => "Programs that use it will stop working",
    summary: (_product: string, { name, expiresAt }: { name: string; expiresAt: Date }) =>
      `The API token “${name}” expires on ${dayText(expiresAt)}.`,
    facts: ({ hint, expiresAt }: { hint: string; expiresAt: Date }): [string, string][] => [
      ["Token", hint],
      ["Expires", momentText(expiresAt)],
    ],
    action: "Show API tokens",
    after: () => "If you still need it, create a new token and replace the old one. Otherwise there’s nothing to do.",
  },

  closed_by_operator: {
    subject: (product: string) => `Your ${product} account will be deleted`,
    heading: (_product: string, { dueAt }: { dueAt: Date }) => `We’ll delete it on ${dayText(dueAt)}`,
    summary: (product: string) => `An admin has asked to delete your ${product} account.`,
    details: () => ["Your profile and all your files will be deleted too."],
    facts: ({ dueAt }: { dueAt: Date }): [string, string][] => [["Deletion", momentText(dueAt)]],
    action: "Keep my account",
    after: () =>
      "Did you ask us to? Then there’s nothing to do. If not, log in before then and choose “Keep my account”.",
  },

  deletion: {
    subject: (product: string) => `Your ${product} account has been deleted`,
    heading: () => "Everything is deleted",
    summary: (product: string) =>
      `As you asked, we’ve deleted your ${product} account with your profile and all your files.`,
    details: () => ["They can’t be restored."],
    after: (_lifetime: string, product: string) =>
      `This is the last email about this account. You can create a new one at ${product}.`,
  },
};
