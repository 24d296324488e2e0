import { z } from "zod";
import type { AlertKind } from "../mail/kinds.ts";
import { hasUploads, type UploadPart, type UploadsSetting } from "../config/uploads_setting.ts";
import type { IconName } from "../schemas/icon_name.ts";
import { ROLES, SIGN_IN_METHODS } from "../schemas/states.ts";

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

/** Why a passkey was removed, if neither its owner nor an admin has removed it. */
const PASSKEY_END_REASONS = ["not_me", "unverified", "factor_reset"] as const;

/** Why an app has lost its access to an account. An admin may have said it in other words. */
const APP_END_REASONS = [...END_REASONS, "disconnected", "revoked", "code_reused", "too_many"] as const;
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

interface EventDeclaration {
  icon: IconName;
  /** What has happened, in one sentence for those who write webhooks. */
  says: string;
  /** The facts of the event, besides those of {@linkcode SHARED_DETAILS}. */
  details?: z.ZodRawShape;
  /** The details that its text states, in an example. */
  example?: Record<string, unknown>;
  /** What it is about, if UPLOADS can switch it off. Then lists to choose from and documents leave it out. */
  uploads?: UploadPart;
  /** The email with which the owner of the account may get word of it. The code that records the event sends it. */
  alert?: AlertKind;
  /** The details that the owner of the account does not see. */
  hidden?: readonly string[];
  /** Whether it may be about no account. */
  isGeneral?: true;
  /** The reasons that the owner sees. Others are the words of an admin. */
  reasons?: readonly string[];
}

/** The API token of an admin, and the reason of an act, which is in words for other admins. */
const ADMIN_WORDS = ["token", "reason"];

/** What any event may have. */
const SHARED_DETAILS = {
  token: z.string().describe("the id of the API token with which a program has caused it").optional(),
};

const adminReason = z.string().describe("why, in the words of an admin").optional();
const factorDate = z.string().describe("by when, such as `2026-03-08T18:04:00.000Z`");
const appName = z.string().describe("its name then");
const app = z.string().describe("the `client_id` of the app");
const provider = z.string().describe("the key of the provider, as in `IDP_PROVIDERS`");
const upload = z.string().describe("the id of the upload");
const file = { upload, name: z.string().describe("the name of the file").optional() };
const namedFile = { details: file, example: { name: "report.pdf" } };
const trustedDevice = z.string().describe("the id of the device, as in `GET /api/account/devices`");
const passkeyName = z.string().describe("the name of the passkey");
const tokenName = z.string().describe("the name of the token");
const membership = {
  group: z.string().describe("the name of the group"),
  source: z.string().describe(
    "who says so: `admin`, `provider:` and the key of a provider, or `client:` and the id of an app",
  ),
  reason: adminReason,
};
const mail = z.string().describe("the kind of the email");
const addresses = { from: z.string().describe("the address before"), to: z.string().describe("the address now") };
const endReason = (reasons: readonly string[]) =>
  z.string().describe(`why: ${reasons.map((reason) => `\`${reason}\``).join(", ")}, or the words of an admin`);

/** Every event, as the activity page, the audit log and webhooks name it. Its text is in settings/activity.json. */
const EVENTS = {
  "user.registered": {
    icon: "person",
    says: "An account was created",
    details: { method: z.enum(["password", "idp", "invitation", "import", "link"]).describe("how") },
    hidden: ["token"],
  },
  "user.verified": {
    icon: "person",
    says: "The address of an account was confirmed",
    details: { method: z.enum(["link", "reset", "invitation", "code", "idp", "not_me"]).describe("by what") },
  },
  "user.updated": {
    icon: "person",
    says: "A profile was changed",
    details: { fields: z.array(z.string()).describe("the names of the fields") },
    example: { fields: ["bio"] },
  },
  "user.deleted": { icon: "person", says: "An account was deleted", details: { reason: adminReason } },
  "email.changed": {
    icon: "mail",
    says: "An account got another address",
    details: addresses,
    example: { from: "tomas@example.com", to: "tomas.new@example.com" },
    alert: "email_changed",
  },
  "email.reverted": {
    icon: "mail",
    says: "An account got its former address back, because its owner reported the change",
    details: addresses,
    example: { from: "tomas.new@example.com", to: "tomas@example.com" },
  },
  "email.requested": {
    icon: "mail",
    isGeneral: true,
    says: "An admin had an email sent to someone",
    details: { mail, reason: adminReason },
    hidden: ADMIN_WORDS,
  },
  "password.changed": {
    icon: "key",
    says: "A password was changed, or removed",
    details: { reason: z.literal("not_me").describe("removed, because the owner reported an act").optional() },
    alert: "password_changed",
  },
  "password.reset": {
    icon: "key",
    says: "A password was set with an emailed link",
    details: { method: z.literal("invitation").describe("`invitation`, if the link was one").optional() },
  },
  "session.started": {
    icon: "enter",
    says: "Someone logged in",
    details: {
      method: z.enum(SIGN_IN_METHODS).describe("how"),
      provider: provider.optional(),
      newDevice: z.boolean().describe("whether the account did not know the browser"),
      trustedDevice: z.literal(true).describe("`true`, if a trusted device skipped the second step").optional(),
    },
    alert: "new_device",
  },
  "session.link_created": {
    icon: "link",
    says: "An operator made a link that logs in once",
    details: {},
  },
  "session.ended": {
    icon: "leave",
    says: "A session ended before it expired",
    details: { reason: endReason(END_REASONS) },
    reasons: END_REASONS,
  },
  "login.failed": {
    icon: "warning",
    says: "Someone failed to log in to an account",
    details: {
      reason: z.enum(["password", "code", "second_factor", "passkey", "passkey_counter"]).describe(
        "what was wrong; after `passkey_counter`, the passkey may have been copied",
      ),
    },
  },
  "proof.failed": {
    icon: "warning",
    says: "Someone in a session failed to prove who they are",
    details: { reason: z.enum(["password", "code", "passkey", "totp_setup"]).describe("what was wrong") },
  },
  "identity.linked": {
    icon: "link",
    says: "An account was connected to a provider",
    details: { provider },
    example: { provider: "Google" },
    alert: "identity_linked",
  },
  "identity.unlinked": {
    icon: "link",
    says: "An account was disconnected from a provider",
    details: { provider, reason: z.literal("not_me").describe("the owner reported an act").optional() },
    example: { provider: "Google" },
  },
  "passkey.added": {
    icon: "key",
    says: "A passkey was added",
    details: { name: passkeyName },
    example: { name: "Laptop" },
    alert: "passkey_added",
  },
  "passkey.removed": {
    icon: "key",
    says: "A passkey was removed",
    details: {
      name: passkeyName,
      reason: endReason(PASSKEY_END_REASONS).optional(),
    },
    example: { name: "Laptop" },
    alert: "passkey_removed",
    reasons: [...PASSKEY_END_REASONS, "admin"],
  },
  "totp.enabled": { icon: "shield", says: "An authenticator app was added", alert: "totp_enabled" },
  "totp.disabled": {
    icon: "shield",
    says: "The authenticator app of an account was removed",
    details: { reason: endReason(["not_me", "factor_reset"]).optional() },
    alert: "totp_disabled",
    reasons: FACTOR_END_REASONS,
  },
  "second_factor.required": {
    icon: "shield",
    says: "Someone must have a second factor: SECOND_FACTOR reaches them",
    details: { dueAt: factorDate },
  },
  "second_factor.due": {
    icon: "shield",
    says: "Someone has no second factor and must have one within three days, or by now",
    details: { dueAt: factorDate },
  },
  "second_factor.extended": {
    icon: "shield",
    says: "An admin gave someone more time to set up a second factor",
    details: { dueAt: factorDate, reason: adminReason },
    hidden: ADMIN_WORDS,
  },
  "device.trusted": {
    icon: "shield",
    says: "Someone trusted a device: logins there skip the second step",
    details: {
      device: trustedDevice,
      until: z.string().describe("until when, such as `2026-03-08T18:04:00.000Z`"),
    },
  },
  "device.forgotten": {
    icon: "shield",
    says: "Someone forgot a device that they had trusted",
    details: { device: trustedDevice },
  },
  "recovery_codes.made": { icon: "shield", says: "Recovery codes were created", alert: "recovery_codes_created" },
  "recovery_code.used": { icon: "shield", says: "A recovery code was used", alert: "recovery_code_used" },
  "token.made": {
    icon: "program",
    says: "An API token was created",
    details: {
      token: z.string().describe("the id of the token"),
      name: tokenName,
      scopes: z.array(z.string()).describe("what it may do"),
    },
    example: { name: "Nightly export" },
    alert: "token_created",
  },
  "token.ended": {
    icon: "program",
    says: "An API token ended before it expired",
    details: {
      token: z.string().describe("the id of the token"),
      name: tokenName,
      reason: z.string().describe("why: `deleted`, or as for `session.ended`"),
    },
    example: { name: "Nightly export" },
  },
  "app.authorized": {
    icon: "program",
    says: "Someone allowed an app to use their account, or signed in to it",
    details: { app, scopes: z.array(z.string()).describe("what the app may do") },
    example: { app: "Harbor Wiki" },
    alert: "app_authorized",
  },
  "app.ended": {
    icon: "program",
    says: "An app lost its access to an account",
    details: {
      app,
      reason: z.string().describe(
        "why: `disconnected`, `revoked`, `code_reused`, `too_many`, as for `session.ended`, or the words of an admin",
      ),
    },
    example: { app: "Harbor Wiki" },
    reasons: APP_END_REASONS,
  },
  "device.approved": {
    icon: "program",
    says: "Someone allowed an app on another device to use their account",
    details: { app },
    example: { app: "Harbor Wiki" },
  },
  "grant.reused": {
    icon: "warning",
    says: "An old refresh token of an app was used, so its access ended",
    details: { app },
    example: { app: "Harbor Wiki" },
    alert: "grant_reused",
  },
  "account.closing": {
    icon: "person",
    says: "An account will be deleted",
    details: { reason: adminReason },
    alert: "account_closing",
    hidden: ADMIN_WORDS,
  },
  "account.kept": {
    icon: "person",
    says: "An account that would have been deleted stays",
    details: {
      reason: z.string().describe("`not_me`: the owner reported an act; or the words of an admin").optional(),
    },
    hidden: ADMIN_WORDS,
  },
  "account.suspended": {
    icon: "person",
    says: "An account was suspended",
    details: { reason: adminReason },
    hidden: ADMIN_WORDS,
  },
  "account.unsuspended": {
    icon: "person",
    says: "A suspension was lifted",
    details: { reason: adminReason },
    hidden: ADMIN_WORDS,
  },
  "admin.first": { icon: "person", says: "Someone became the first admin, by the link of the setup" },
  "role.changed": {
    icon: "person",
    says: "Someone became an admin, or is no admin any longer",
    details: { role: z.enum(ROLES).describe("the role now"), reason: adminReason },
    hidden: ADMIN_WORDS,
  },
  "group.joined": {
    icon: "person",
    says: "Someone came into a group",
    details: membership,
    example: { group: "staff" },
    hidden: ADMIN_WORDS,
  },
  "group.left": {
    icon: "person",
    says: "Someone is no longer in a group",
    details: membership,
    example: { group: "staff" },
    hidden: ADMIN_WORDS,
  },
  "group.changed": {
    icon: "person",
    isGeneral: true,
    says: "An admin created, renamed or deleted a group",
    details: {
      group: z.string().describe("the name of the group"),
      change: z.enum(["created", "renamed", "deleted"]).describe("how"),
      reason: adminReason,
    },
    example: { group: "staff" },
  },
  "limits.cleared": {
    icon: "shield",
    isGeneral: true,
    says: "An admin lifted limits",
    details: { limits: z.array(z.string()).describe("the names of the limits"), reason: adminReason },
    hidden: ADMIN_WORDS,
  },
  "upload.stored": { icon: "file", uploads: "photos", says: "A file was stored", ...namedFile },
  "upload.deleted": { icon: "file", uploads: "photos", says: "A file was deleted", ...namedFile },
  "upload.linked": { icon: "file", uploads: "files", says: "A link to a private file was created", ...namedFile },
  "upload.links_revoked": { icon: "file", uploads: "files", says: "The links to a private file ended", ...namedFile },
  "upload.opened": {
    icon: "file",
    uploads: "files",
    says: "An admin opened a private file",
    details: { upload, name: z.string().describe("the name of the file"), reason: adminReason },
    example: { name: "report.pdf", reason: "Reported by a member" },
  },
  "webhook.changed": {
    icon: "link",
    isGeneral: true,
    says: "A webhook was changed",
    details: {
      webhook: z.string().describe("the id of the webhook"),
      change: z.enum(["created", "deleted", "disabled", "enabled", "replayed", "rotated", "tested"]).describe("how"),
      reason: z.string().describe("`gone`, `failing`, or the words of an admin").optional(),
    },
  },
  "client.grants_ended": {
    icon: "program",
    isGeneral: true,
    says: "An admin ended all sign-ins at an app",
    details: { app, reason: adminReason },
    example: { app: "Harbor Wiki" },
  },
  "client.created": {
    icon: "program",
    isGeneral: true,
    says: "An admin made an app",
    details: { app, name: appName, reason: adminReason },
    example: { name: "Harbor Wiki" },
    alert: "client_changed",
  },
  "client.changed": {
    icon: "program",
    isGeneral: true,
    says: "An admin changed an app, or its secrets",
    details: {
      app,
      name: appName,
      fields: z.array(z.string()).describe("the names of the fields, or `secret`"),
      reason: adminReason,
    },
    example: { name: "Harbor Wiki" },
    alert: "client_changed",
  },
  "client.deleted": {
    icon: "program",
    isGeneral: true,
    says: "An admin deleted an app",
    details: { app, name: appName, reason: adminReason },
    example: { name: "Harbor Wiki" },
    alert: "client_changed",
  },
} as const satisfies Record<string, EventDeclaration>;

export type EventKind = keyof typeof EVENTS;
/** The events that may be about no account. */
export type GeneralEventKind = {
  [Kind in EventKind]: typeof EVENTS[Kind] extends { isGeneral: true } ? Kind : never;
}[EventKind];
/** The names of all events. */
export const EVENT_KINDS = Object.keys(EVENTS) as EventKind[];

/** The names of the events that there can be. UPLOADS switches some off, which may still be listed. */
export function eventKindsIn(config: UploadsSetting): EventKind[] {
  return EVENT_KINDS.filter((kind) => {
    const { uploads } = eventDeclaration(kind);
    return uploads === undefined || hasUploads(config, uploads);
  });
}

/** Returns what is known about a kind of event. */
export function eventDeclaration(kind: EventKind): EventDeclaration {
  return EVENTS[kind];
}

/** Returns a schema of the facts of an event. They contain no secrets. */
export function detailsOf(kind: EventKind): z.ZodObject {
  return z.object({ ...SHARED_DETAILS, ...eventDeclaration(kind).details });
}

/** What the test of a webhook sends. Nothing records it. */
export const TEST_KIND = "webhook.test";

/** What a webhook can get. */
export type WebhookKind = EventKind | typeof TEST_KIND;
