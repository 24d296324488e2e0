/** The kinds of events, as the activity page, the audit log and webhooks name them. */
export const EVENT_KINDS = [
  "user.registered",
  "user.verified",
  "user.updated",
  "user.deleted",
  "email.changed",
  "email.reverted",
  "email.requested",
  "password.changed",
  "password.reset",
  "session.started",
  "session.ended",
  "login.failed",
  "proof.failed",
  "identity.linked",
  "identity.unlinked",
  "passkey.added",
  "passkey.removed",
  "totp.enabled",
  "totp.disabled",
  "recovery_codes.made",
  "recovery_code.used",
  "token.made",
  "token.ended",
  "app.authorized",
  "app.ended",
  "grant.reused",
  "account.closing",
  "account.kept",
  "account.suspended",
  "account.unsuspended",
  "role.changed",
  "limits.cleared",
  "upload.stored",
  "upload.deleted",
  "upload.linked",
  "upload.links_revoked",
  "upload.opened",
  "webhook.changed",
  "client.grants_ended",
] as const;

export type EventKind = typeof EVENT_KINDS[number];

/** What the test of a webhook sends. Nothing records it. */
export const TEST_KIND = "webhook.test";

/** What a webhook can get. */
export type WebhookKind = EventKind | typeof TEST_KIND;

/** Why sessions end before they expire. An admin may have said it in other words. */
export const END_REASONS = [
  "logout",
  "new_session",
  "password_changed",
  "password_reset",
  "email_verified",
  "identity_linked",
  "ended",
  "admin",
  "not_me",
  "account_closing",
  "account_deleted",
  "account_suspended",
  "secrets_revoked",
] as const;
export type EndReason = typeof END_REASONS[number];

/** Why an authenticator app was removed, if its owner has not removed it. */
export const FACTOR_END_REASONS = ["not_me", "factor_reset", "admin"] as const;

/** Why an app has lost its access to an account. An admin may have said it in other words. */
export const APP_END_REASONS = [...END_REASONS, "disconnected", "revoked", "code_reused"] as const;
export type AppEndReason = typeof APP_END_REASONS[number];

/** Why an API token ended before it expired. */
export type TokenEndReason =
  | "deleted"
  | Extract<
    EndReason,
    | "password_reset"
    | "email_verified"
    | "identity_linked"
    | "not_me"
    | "account_closing"
    | "account_deleted"
    | "account_suspended"
    | "secrets_revoked"
  >;
