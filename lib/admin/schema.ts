import { z } from "zod";
import { SERVICE_NAME } from "../config/registered_client.ts";
import { issueMessage } from "../errors/problem.ts";
import { notLonger, notShorter, ONE_LINE, type TextRules } from "../schemas/rules.ts";
import { lineOf, text } from "../schemas/text.ts";
import { COMMAND_LINE_ACTOR, MAIL_STATUSES, ROLES, USER_STATUSES } from "../schemas/states.ts";
import { EMAIL_MAX } from "../schemas/credential_rules.ts";
import { said } from "../schemas/documented_rules.ts";
import { EVENT_KINDS } from "../activity/kinds.ts";
import { Id, ListSchema } from "../schemas/list.ts";
import { EventDetails, IdentityView, Quota, SessionView } from "../accounts/schema.ts";
import { Amount, Done, EntityId, like, listOf, maybeLike, one, Success, Time } from "../schemas/views.ts";
import { GroupNames } from "../groups/schema.ts";
import { ApiTokenView } from "../access/schema.ts";

/** Why an admin does something, in words for other admins. */
export const REASON: TextRules = { gate: [notLonger(500), ONE_LINE], rules: [notShorter(1)] };
export const Reason = text(REASON, { sample: "Report 17: spam" });

/** An act that needs a reason. */
export const ReasonedActSchema = z.object({ reason: Reason });

/** An act that may have a reason. */
export const ActSchema = z.object({ reason: Reason.optional() });

/** The groups of an account, as far as admins choose them. */
export const GroupsSchema = ReasonedActSchema.extend({ groups: GroupNames });

/** The form of the same, in which the names have spaces between them. */
export const GroupsFormSchema = z.preprocess(
  ({ groups = "", ...fields }: Record<string, unknown>) => ({
    ...fields,
    groups: String(groups).split(" ").filter(Boolean),
  }),
  GroupsSchema,
);

/** The form that puts someone into a group. */
export const MemberFormSchema = ReasonedActSchema.extend({
  who: text({ gate: [notLonger(EMAIL_MAX), ONE_LINE], rules: [notShorter(1)] }),
});

/** The removal of an account. With `now`, its owner cannot keep it. */
export const RemovalSchema = ReasonedActSchema.extend({
  now: z.boolean(issueMessage({ rule: "boolean" })).default(false),
});

/** A change of a role. */
export const RoleSchema = ActSchema.extend({
  role: z.enum(ROLES, issueMessage({ rule: "oneOf", values: ROLES })),
});

/** What the forms of acts on an account have besides the reason. */
const ActOnAccount = {
  /** The client address whose limits are lifted. */
  address: z.union([z.ipv4(), z.ipv6()], issueMessage({ rule: "invalid" })).optional(),
};

/** The form of an act that needs a reason. */
export const ReasonedActFormSchema = ReasonedActSchema.extend(ActOnAccount);

/** The form of an act that may have a reason: an empty field is none. */
export const ActFormSchema = z.preprocess(
  ({ reason, ...fields }: Record<string, unknown>) => reason === "" ? fields : { reason, ...fields },
  ActSchema.extend(ActOnAccount),
);

/** The query of the page of an act. */
export const ActPageSchema = z.object(ActOnAccount);

/** What accounts are found by. */
export const AccountSearch = lineOf({ max: EMAIL_MAX }).meta({
  description:
    "Each word must be the beginning of a word in the name, the beginning of the address, or the whole id. Case and " +
    `accents make no difference. ${said("oneLine")}`,
});

/** The query of the list of accounts. */
export const AccountListSchema = ListSchema.extend({
  query: AccountSearch.optional(),
  status: oneOf(USER_STATUSES).optional(),
});

/** The query of the list of emails. */
export const MailListSchema = ListSchema.extend({ status: oneOf(MAIL_STATUSES).optional() });

/** An app that acts as itself, as events name it. */
const AppActor = z.string().regex(SERVICE_NAME).meta({ sample: "client:nightly-job" });

/** The query of the audit log. */
export const AuditListSchema = ListSchema.extend({
  kind: oneOf(EVENT_KINDS).optional(),
  actor: z.union([Id, z.literal(COMMAND_LINE_ACTOR), AppActor], issueMessage({ rule: "invalid" })).meta({
    description: "The id of a user, `command line`, or `client:` and the id of an app that acts as itself",
  }).optional(),
  user: Id.optional(),
});

function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, issueMessage({ rule: "oneOf", values }));
}

/** The query of the page of accounts. */
export const AccountPageSchema = AccountListSchema.pick({ cursor: true, query: true, status: true }).extend({
  role: oneOf(ROLES).optional(),
  factor: oneOf(["none"]).optional(),
});

/** The query of the page of emails. */
export const MailPageSchema = MailListSchema.pick({ cursor: true, status: true });

/** The periods before now to which the page of events can be limited. */
export const EVENT_PERIODS = ["day", "week"] as const;
export type EventPeriod = typeof EVENT_PERIODS[number];

/** The query of the page of events. `who` is the address or the id of an account, or the command line. */
export const AuditPageSchema = AuditListSchema.pick({ cursor: true, kind: true }).extend({
  who: AccountSearch.optional(),
  period: oneOf(EVENT_PERIODS).optional(),
});

/** An account in the list that admins see. */
export const ListedAccountView = z.object({
  id: EntityId,
  name: like("Ada Lovelace"),
  email: like("ada@example.com"),
  emailVerified: z.boolean(),
  role: z.enum(ROLES),
  status: z.enum(USER_STATUSES).meta({ description: "The first one that applies", sample: "active" }),
  createdAt: Time,
  lastSeenAt: Time.nullable().meta({ description: "When the person last used a session; null if never" }),
});
export type ListedAccountView = z.infer<typeof ListedAccountView>;

/** An app as admins see it. */
export const ClientView = z.object({
  clientId: like("wiki"),
  name: like("Team wiki"),
  source: z.enum(["CLIENTS_FILE", "browser"]).meta({ description: "What registers it, or whether an admin made it" }),
  firstParty: z.boolean(),
  confidential: z.boolean().meta({ description: "Whether it has a secret" }),
  scopes: z.array(like("openid")).meta({ description: "The most that it may ask for" }),
  resources: z.array(like("https://notes.example.com/api")),
  redirectUris: z.array(like("https://wiki.example.com/callback")),
  people: Amount.meta({ description: "People who have allowed it something" }),
  grants: Amount.meta({ description: "Sign-ins at the app that still count" }),
  lastUsedAt: Time.nullable().meta({ description: "Accurate to five minutes; null if no one has used it" }),
  fields: z.record(z.string(), z.unknown()).nullable().meta({
    description: "What an admin has entered, with the names of CLIENTS_FILE, to change and send back; else null",
    sample: { client_name: "Team wiki", redirect_uris: ["https://wiki.example.com/callback"] },
  }),
  secrets: z.array(z.object({ n: Amount, createdAt: Time })).nullable().meta({
    description: "The numbers of the secrets of an app made in the browser; else null",
  }),
});
export type ClientView = z.infer<typeof ClientView>;

export const ClientList = z.object({ data: z.array(ClientView) });
export const OneClient = one(ClientView);
/** The only response that contains the secret. */
export const ClientSecretView = z.object({
  n: Amount.meta({ description: "The number of the secret, with which it can be deleted" }),
  secret: like("0cTzWvEJYhEDnmQ3b1yC7KkXo2LrQm9uVfPs8dGaNtR").meta({ description: "Shown once" }),
});

const Named = z.object({ id: EntityId, name: like("Ada Lovelace") });

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
    AppActor,
    z.null(),
  ]).meta({ description: "Who caused it; null if unknown or deleted. `client:`: an app that acts as itself" }),
  user: Named.nullable().meta({ description: "Whose account it is about; null once it is deleted" }),
  reason: maybeLike("Report 17: spam").meta({ description: "The words of an admin, or the cause of a failure" }),
  clientAddress: maybeLike("192.0.2.1"),
  details: EventDetails,
});
export type AuditEventView = z.infer<typeof AuditEventView>;

/** An email as admins see it, without its content. */
export const MailView = z.object({
  id: EntityId,
  kind: like("reset").meta({ description: "Such as `verification` or `reset`" }),
  status: z.enum(MAIL_STATUSES).meta({ description: "A canceled one has failed" }),
  user: z.object({ id: EntityId, email: like("ada@example.com") }).nullable().meta({
    description: "Null once it is deleted",
  }),
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
    quotaBytes: Quota,
  }),
  sessions: z.array(SessionView),
  groups: z.array(z.object({ name: like("staff"), title: like("Staff"), sources: z.array(like("admin")) })),
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
/** The result of a change of groups. */
export const GroupsChanged = Success.extend({
  groups: z.array(like("staff")).meta({ description: "All groups that the person is in now" }),
});
/** The result of a change of a role. */
export const RoleChanged = Success.extend({ role: z.enum(ROLES) });
