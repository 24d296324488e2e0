import {
  AccountListSchema,
  ActSchema,
  AdminAccountList,
  AuditList,
  AuditListSchema,
  Changed,
  ClientList,
  ConfirmationSent,
  GrantsEnded,
  GroupsChanged,
  GroupsSchema,
  MailList,
  MailListSchema,
  OneAdminAccount,
  ReasonedActSchema,
  RemovalSchema,
  RoleChanged,
  RoleSchema,
  SessionsEnded,
} from "../admin/schema.ts";
import { Closing } from "../accounts/schema.ts";
import { Done } from "../schemas/views.ts";
import { GroupList, GroupSchema, MemberList, OneGroup } from "../groups/schema.ts";
import { ListSchema } from "../schemas/list.ts";
import { OneLink } from "../uploads/schema.ts";
import { entries } from "./entry.ts";

/** What all acts have in common. API tokens with the scope `admin` need no proof. */
const ACT = { caller: "admin", whileClosing: "refused", needsProof: true, limit: "write" } as const;
/** An act with a reason. */
const REASONED = { ...ACT, body: ReasonedActSchema, isRepeatable: true } as const;
/** An act that needs no reason. */
const PLAIN = { ...ACT, body: ActSchema, bodyIsOptional: true, isRepeatable: true } as const;
const READ = { caller: "admin", whileClosing: "refused" } as const;

/** The accounts of everyone, for admins. */
export const ADMIN = entries({
  "GET /api/admin/users": {
    ...READ,
    operationId: "listAccounts",
    summary: "List accounts",
    description: "Newest first.",
    query: AccountListSchema,
    returns: { 200: AdminAccountList },
    sends: ["Link"],
  },
  "GET /api/admin/users/{id}": {
    ...READ,
    operationId: "getAccountOf",
    summary: "Show one account",
    description: "With all that tells why someone cannot log in, and without secrets.",
    returns: { 200: OneAdminAccount },
  },
  "POST /api/admin/users/{id}/suspend": {
    ...REASONED,
    operationId: "suspendAccount",
    summary: "Suspend an account",
    description: "Ends its sessions and API tokens, voids emailed links and codes, and hides it from lists.",
    returns: { 200: Changed },
    errors: ["LAST_ADMIN"],
  },
  "POST /api/admin/users/{id}/unsuspend": {
    ...PLAIN,
    operationId: "unsuspendAccount",
    summary: "Lift a suspension",
    description: "Nothing that has ended comes back.",
    returns: { 200: Changed },
  },
  "POST /api/admin/users/{id}/end-sessions": {
    ...PLAIN,
    operationId: "endSessionsOf",
    summary: "Log someone out everywhere",
    description: "API tokens stay.",
    returns: { 200: SessionsEnded },
  },
  "POST /api/admin/users/{id}/send-reset": {
    ...PLAIN,
    operationId: "sendResetTo",
    summary: "Email someone a link that sets a password",
    description: "At most `LIMIT_MAIL_ADDRESS`, three an hour. Earlier links stop working.",
    returns: { 200: Done },
    errors: ["ACCOUNT_SUSPENDED"],
  },
  "POST /api/admin/users/{id}/resend-verification": {
    ...PLAIN,
    operationId: "resendVerificationTo",
    summary: "Email someone the link again that confirms their address",
    description: "At most `LIMIT_MAIL_ADDRESS`, three an hour. Earlier links keep working.",
    returns: { 200: ConfirmationSent },
    errors: ["ACCOUNT_SUSPENDED"],
  },
  "POST /api/admin/users/{id}/reset-factors": {
    ...REASONED,
    caller: "adminSession",
    operationId: "resetFactorsOf",
    summary: "Remove the second factors that someone has lost",
    description: "The authenticator app and the recovery codes. Passkeys stay. An email says so to the owner.",
    returns: { 200: Changed },
  },
  "DELETE /api/admin/users/{id}": {
    ...ACT,
    operationId: "removeAccount",
    summary: "Delete an account",
    description:
      "Its owner can log in until `deletionDueAt` and keep it. With `now`, it and everything in it are deleted at once; API tokens " +
      "cannot do that.",
    body: RemovalSchema,
    returns: { 202: Closing, 204: null },
    errors: ["LAST_ADMIN", "SESSION_REQUIRED"],
  },
  "POST /api/admin/users/{id}/restore": {
    ...REASONED,
    operationId: "restoreAccountOf",
    summary: "Keep an account that will be deleted",
    description: "Until the deletion begins. Sessions and API tokens do not come back. An email says so to the owner.",
    returns: { 200: Changed },
  },
  "PUT /api/admin/users/{id}/role": {
    ...ACT,
    caller: "adminSession",
    operationId: "changeRoleOf",
    summary: "Make someone an admin, or an ordinary user again",
    description: "The last admin stays.",
    body: RoleSchema,
    returns: { 200: RoleChanged },
    errors: ["LAST_ADMIN"],
  },
  "PUT /api/admin/users/{id}/groups": {
    ...ACT,
    caller: "adminSession",
    operationId: "setGroupsOf",
    summary: "Say which groups someone is in",
    description: "What a provider says about the person stays. Apps learn of it at the next login, refresh or check.",
    body: GroupsSchema,
    returns: { 200: GroupsChanged },
    errors: ["TOO_MANY"],
  },
  "GET /api/admin/groups": {
    ...READ,
    operationId: "listGroups",
    summary: "List the groups",
    description: "By name.",
    returns: { 200: GroupList },
  },
  "PUT /api/admin/groups/{name}": {
    ...ACT,
    operationId: "saveGroup",
    summary: "Create a group, or give it another title",
    body: GroupSchema,
    returns: { 200: OneGroup },
    errors: ["TOO_MANY"],
  },
  "DELETE /api/admin/groups/{name}": {
    ...ACT,
    operationId: "deleteGroup",
    summary: "Delete a group",
    description: "No one is in it any longer. Not while an app or a setting names it.",
    returns: { 204: null },
    errors: ["GROUP_IN_USE"],
  },
  "GET /api/admin/groups/{name}/members": {
    ...READ,
    operationId: "listGroupMembers",
    summary: "List the people in a group",
    description: "The newest accounts first.",
    query: ListSchema,
    returns: { 200: MemberList },
    sends: ["Link"],
  },
  "POST /api/admin/uploads/{id}/link": {
    ...REASONED,
    caller: "adminSession",
    operationId: "openUploadOf",
    uploads: "files",
    summary: "Make a link to a private file of someone else",
    description:
      "It works for five minutes, also for a file of a suspended account, but not for one that will be deleted. The owner " +
      "reads in their activity that an admin has opened the file, and the reason.",
    returns: { 200: OneLink },
    errors: ["NOT_UPLOADED"],
  },
  "GET /api/admin/mails": {
    ...READ,
    operationId: "listMails",
    summary: "List emails",
    description: "Newest first, without their content.",
    query: MailListSchema,
    returns: { 200: MailList },
    sends: ["Link"],
  },
  "POST /api/admin/mails/{id}/retry": {
    ...PLAIN,
    operationId: "retryMail",
    summary: "Send a waiting email now",
    description: "The content of one that was sent or has failed is gone.",
    returns: { 200: Done },
    errors: ["EMAIL_GONE"],
  },
  "GET /api/admin/events": {
    ...READ,
    operationId: "listAuditEvents",
    summary: "List what has happened to all accounts",
    description: "Newest first.",
    query: AuditListSchema,
    returns: { 200: AuditList },
    sends: ["Link"],
  },
  "GET /api/admin/clients": {
    ...READ,
    operationId: "listClients",
    summary: "List the apps that sign people in",
    description: "Those of CLIENTS_FILE, and how they are used. Empty without it.",
    returns: { 200: ClientList },
  },
  "POST /api/admin/clients/{client}/end-grants": {
    ...REASONED,
    operationId: "endGrantsOf",
    summary: "End all sign-ins at an app",
    description: "Also those that stay connected without a session. What people have allowed the app stays.",
    returns: { 200: GrantsEnded },
  },
});
