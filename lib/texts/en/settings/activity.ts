import type { ProfileTexts } from "../../../schemas/profile_rules.ts";
import type { EndReason, EventKind, TokenEndReason } from "../../../schemas/event_kinds.ts";

/** Facts about an event, as it stores them. */
type Details = Record<string, unknown>;
type EventText = string | ((details: Details) => string);

/** Stands for the name of a provider that is not known. */
const someProvider = "a connected account";

/** How people logged in, by the method of the session. */
const loggedIn: Record<string, string> = {
  password: "Logged in with a password",
  passkey: "Logged in with a passkey",
  invitation: "Logged in with an invitation",
  code: "Logged in with an emailed code",
};

/** Why sessions ended, by the reason of the event. */
const sessionEnds: Record<EndReason, string> = {
  logout: "Logged out",
  new_session: "Logged out by a new login in the same browser",
  ended: "Logged out from another session",
  password_changed: "Logged out because the password changed",
  password_reset: "Logged out because the password was reset",
  email_verified: "Logged out because the email address was confirmed",
  identity_linked: "Logged out because an account was connected",
  not_me: "Logged out when the account was secured by email",
  account_closing: "Logged out because the account will be deleted",
  account_deleted: "Logged out because the account is being deleted",
  account_suspended: "Logged out because the account was suspended",
  secrets_revoked: "Logged out because we replaced a secret of this service",
};

/** Why logins failed, by the reason of the event. */
const failures: Record<string, string> = {
  password: "Login failed: wrong password",
  code: "Login failed: wrong code",
  second_factor: "Login failed: wrong code in the second step",
  passkey: "Login failed: the passkey was not accepted",
  passkey_counter: "Login failed: the passkey may have been copied",
};

/** Which proof of identity was wrong, by the reason of the event. */
const wrongProofs: Record<string, string> = {
  password: "Wrong password entered in a session",
  code: "Wrong code entered in a session",
  passkey: "A passkey was not accepted in a session",
  totp_setup: "Wrong code entered while setting up an authenticator app",
};

/** Why passkeys were removed, unless their owner did it in the settings. */
const passkeyRemovals: Record<string, string> = {
  not_me: "Passkey removed when the account was secured by email",
  unverified: "Passkey removed because the email address was not confirmed when it was added",
};

/** Why an authenticator app was removed, unless its owner did it in the settings. */
const totpRemovals: Record<string, string> = {
  not_me: "Authenticator app removed when the account was secured by email",
  factor_reset: "Authenticator app removed because it was lost",
};

/** Why API tokens ended, by the reason of the event. */
const tokenEnds: Record<TokenEndReason, string> = {
  deleted: "deleted",
  password_reset: "ended because the password was reset",
  email_verified: "ended because the email address was confirmed",
  identity_linked: "ended because an account was connected",
  not_me: "ended when the account was secured by email",
  account_closing: "ended because the account will be deleted",
  account_deleted: "ended because the account is being deleted",
  secrets_revoked: "ended because we replaced a secret of this service",
  account_suspended: "ended because the account was suspended",
};

const fields: ProfileTexts & Record<string, string> = {
  name: "name",
  bio: "bio",
  location: "location",
  website: "website",
  avatar: "photo",
  emailVisible: "who sees your email address",
};

const list = new Intl.ListFormat("en-US");

/** The names of devices in lists of sessions and activity, and the page of an account's activity. */
export const activity = {
  browserOn: (browser: string, system: string) => `${browser} on ${system}`,
  program: "Unknown app",

  title: "Activity",
  lead: "What has happened to your account, newest first. If you don’t recognize something, change your password. " +
    "Days begin at midnight UTC.",
  /** In UTC. */
  today: "Today",
  yesterday: "Yesterday",
  here: (device: string) => `${device} (this device)`,
  newDevice: "New device",
  pages: "Pages",
  newest: "Newest activity",
  older: "Older activity",
  noMore: "No more activity.",

  /** What happened, by kind of event. */
  events: {
    "user.registered": ({ method }) => method === "invitation" ? "You were invited" : "Account created",
    "user.verified": "Email address confirmed",
    "user.updated": ({ fields: changed }) =>
      `Profile changed: ${list.format((changed as string[]).map((field) => fields[field]))}`,
    "user.deleted": "Account deleted",
    "email.changed": ({ from, to }) => `Email address changed from ${from} to ${to}`,
    "email.reverted": ({ from, to }) => `Email address changed back from ${from} to ${to}`,
    "email.requested": "An admin sent you an email",
    "password.changed": ({ reason }) =>
      reason === "not_me" ? "Password removed when the account was secured by email" : "Password changed",
    "password.reset": "Password reset with an emailed link",
    "session.started": ({ method, provider }) =>
      method === "idp" ? `Logged in with ${provider ?? someProvider}` : loggedIn[String(method)],
    "session.ended": ({ reason }) => sessionEnds[reason as EndReason],
    "login.failed": ({ reason }) => failures[String(reason)] ?? "Login failed",
    "proof.failed": ({ reason }) => wrongProofs[String(reason)] ?? "Wrong proof of identity entered in a session",
    "identity.linked": ({ provider }) => `${provider ?? someProvider} connected`,
    "identity.unlinked": ({ provider, reason }) =>
      `${provider ?? someProvider} disconnected${reason === "not_me" ? " when the account was secured by email" : ""}`,
    "passkey.added": ({ name }) => `Passkey “${name}” added`,
    "passkey.removed": ({ name, reason }) => passkeyRemovals[String(reason)] ?? `Passkey “${name}” removed`,
    "totp.enabled": "Authenticator app added",
    "totp.disabled": ({ reason }) => totpRemovals[String(reason)] ?? "Authenticator app turned off",
    "recovery_codes.made": "New recovery codes created",
    "recovery_code.used": "Recovery code used",
    "token.made": ({ name }) => `API token “${name}” created`,
    "token.ended": ({ name, reason }) => `API token “${name}” ${tokenEnds[reason as TokenEndReason]}`,
    "account.closing": "Account deletion requested",
    "account.kept": "Account deletion canceled",
    "account.suspended": "Account suspended",
    "account.unsuspended": "Account suspension lifted",
    "role.changed": ({ role }) => role === "admin" ? "You became an admin" : "You’re no longer an admin",
    "limits.cleared": "An admin lifted limits on your account",
    "upload.stored": "File uploaded",
    "upload.deleted": "File deleted",
    "webhook.changed": "Webhook changed",
  } as Record<EventKind, EventText>,
};
