import { z } from "zod";
import { COMMAND_LINE_ACTOR, MAIL_STATUSES, ROLES, USER_STATUSES } from "../admin/states.ts";
import { EVENT_KINDS } from "../event_kinds.ts";
import { EventDetails, IdentityView, SessionView } from "./account.ts";
import { Amount, Done, EntityId, listOf, one, Success, Time } from "./common.ts";
import { ApiTokenView } from "./tokens.ts";

/** An account in the list that admins see. */
export const ListedAccountView = z.object({
  id: EntityId,
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  role: z.enum(ROLES),
  status: z.enum(USER_STATUSES).meta({ description: "The first one that applies" }),
  createdAt: Time,
  lastSeenAt: Time.nullable().meta({ description: "When a session was last in use; null without one" }),
});
export type ListedAccountView = z.infer<typeof ListedAccountView>;

/** An app of CLIENTS_FILE as admins see it. */
export const ClientView = z.object({
  clientId: z.string(),
  name: z.string(),
  firstParty: z.boolean(),
  confidential: z.boolean().meta({ description: "Whether it has a secret" }),
  scopes: z.array(z.string()).meta({ description: "The most that it may ask for" }),
  resources: z.array(z.string()),
  redirectUris: z.array(z.string()),
  people: Amount.meta({ description: "People who have allowed it something" }),
  grants: Amount.meta({ description: "Sign-ins at the app that still count" }),
  lastUsedAt: Time.nullable().meta({ description: "Accurate to five minutes; null if no one has used it" }),
});
export type ClientView = z.infer<typeof ClientView>;

export const ClientList = z.object({ data: z.array(ClientView) });

const Named = z.object({ id: EntityId, name: z.string() });

/** An event as admins see it. */
export const AuditEventView = z.object({
  id: EntityId,
  kind: z.enum(EVENT_KINDS),
  createdAt: Time,
  actor: z.union([
    Named.extend({
      token: z.object({ id: EntityId, name: z.string().nullable() }).optional().meta({
        description: "The API token with which a program acted. The name is null once the token has ended",
      }),
    }),
    z.literal(COMMAND_LINE_ACTOR),
    z.null(),
  ]).meta({ description: "Who caused it; null if unknown or deleted" }),
  user: Named.nullable().meta({ description: "Whose account it is about; null once it is deleted" }),
  reason: z.string().nullable().meta({ description: "The words of an admin, or the cause of a failure" }),
  clientAddress: z.string().nullable(),
  details: EventDetails,
});
export type AuditEventView = z.infer<typeof AuditEventView>;

/** An email as admins see it, without its content. */
export const MailView = z.object({
  id: EntityId,
  kind: z.string().meta({ description: "Such as `verification` or `reset`" }),
  status: z.enum(MAIL_STATUSES).meta({ description: "A canceled one has failed" }),
  user: z.object({ id: EntityId, email: z.string() }).nullable().meta({ description: "Null once it is deleted" }),
  createdAt: Time,
  sentAt: Time.nullable(),
  attempts: Amount,
  nextAttemptAt: Time.nullable().meta({ description: "Null unless it is waiting" }),
  answer: z.string().nullable().meta({ description: "What the email service said about its last refusal" }),
});
export type MailView = z.infer<typeof MailView>;

/** All that admins see of one account. */
export const AdminAccountView = ListedAccountView.extend({
  suspendedAt: Time.nullable(),
  suspensionReason: z.string().nullable(),
  deletionDueAt: Time.nullable(),
  hasPassword: z.boolean(),
  factors: z.object({ totp: z.boolean(), recoveryCodesLeft: Amount, passkeys: Amount }),
  storage: z.object({
    usedBytes: Amount,
    quotaBytes: Amount.meta({ description: "0 means that there is no quota, 1 that nothing can be stored" }),
  }),
  sessions: z.array(SessionView),
  identities: z.array(IdentityView),
  tokens: z.array(ApiTokenView),
  events: z.array(AuditEventView).meta({ description: "The newest 50" }),
  mails: z.array(MailView).meta({ description: "The newest 50" }),
});
export type AdminAccountView = z.infer<typeof AdminAccountView>;

export const AdminAccountList = listOf(ListedAccountView);
export const OneAdminAccount = one(AdminAccountView);
export const MailList = listOf(MailView);
export const AuditList = listOf(AuditEventView);

/** The result of an act. */
export const Changed = Done.extend({
  changed: z.boolean().meta({ description: "False if it was so already. Then nothing has happened" }),
});
/** The result of ending sessions. */
export const SessionsEnded = Done.extend({ ended: Amount });
/** The result of ending the grants of an app. */
export const GrantsEnded = Done.extend({ ended: Amount });
/** The result of an email that may be needless. */
export const ConfirmationSent = Done.extend({
  sent: z.boolean().meta({ description: "False if the address is confirmed already" }),
});
/** The result of a change of a role. */
export const RoleChanged = Success.extend({ role: z.enum(ROLES) });
