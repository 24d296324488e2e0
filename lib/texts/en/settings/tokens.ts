import type { Scope } from "../../../schemas/scopes.ts";

/** The pages of API tokens. */
export const tokens = {
  title: "API tokens",
  lead:
    "A token lets a script or another program act for you, without your password. Give each program its own token, with " +
    "no more permissions than it needs.",
  none: "You have no API tokens.",
  create: "Create a token",
  newToken: "Your new token",
  neverAgain: "Copy it now: you won’t see it again. Treat it like a password.",
  copying: {
    copy: "Copy token",
    copied: "Token copied",
    copyFailed: "Couldn’t copy the token. It’s selected, so press Ctrl+C (⌘C on a Mac).",
  },
  created: "Created",
  lastUsed: "Last used",
  neverUsed: "Never used",
  expires: "Expires",
  delete: "Delete",
  deleteNamed: (name: string) => `Delete ${name}`,
  gone: "That token has already ended.",

  createTitle: "Create an API token",
  name: "Name",
  nameHint: "What the token is for, such as “Nightly backup”. Only you see it.",
  permissions: "Permissions",
  days: "Days until it expires",
  daysHint: "From 1 to 365. We’ll email you seven days before.",
  tooMany: "You have as many tokens as you can have. Delete one first.",
  back: "Back to your tokens",

  /** What a token with each scope may do. */
  scopes: {
    "profile:read": "Read your profile",
    "profile:write": "Change your profile",
    "users:read": "See other people’s profiles",
    "users:invite": "Invite people",
    "uploads:read": "See your files",
    "uploads:write": "Upload and delete files",
    "account:read": "See your account and its activity",
    "admin": "Manage all accounts",
  } as Record<Scope, string>,
};
