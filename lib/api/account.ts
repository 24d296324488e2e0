import { EmailChangeSchema, IdentityLinkSchema, PasswordChangeSchema } from "../schemas/account.ts";
import { ListSchema } from "../schemas/list.ts";
import {
  Closing,
  EndedSessions,
  EventList,
  IdentityList,
  LinkStarted,
  OneAccount,
  SessionList,
} from "../schemas/views/account.ts";
import { Done } from "../schemas/views/common.ts";
import { ExportView } from "../schemas/views/export.ts";
import { entries } from "./entry.ts";

/** One's own account. */
export const ACCOUNT = entries({
  "GET /api/account": {
    summary: "Show your account",
    description: "What it is, how it is protected, and the current session.",
    caller: "account:read",
    whileClosing: "open",
    returns: { 200: OneAccount },
  },
  "DELETE /api/account": {
    summary: "Close your account",
    description: "Ends all sessions. The account is deleted at `deletionDueAt`. Until then you can log in and keep it.",
    caller: "session",
    whileClosing: "refused",
    returns: { 202: Closing },
    sends: ["Set-Cookie"],
    errors: ["REAUTHENTICATION_REQUIRED"],
    limit: "write",
  },
  "POST /api/account/restore": {
    summary: "Keep an account that is closing",
    caller: "session",
    whileClosing: "open",
    returns: { 200: Done },
    limit: "write",
  },
  "GET /api/account/export": {
    summary: "Export your data",
    description: "Everything that is stored about you, without secrets and without data of other people.",
    caller: "session",
    whileClosing: "open",
    returns: { 200: ExportView },
    sends: ["Content-Disposition"],
    errors: ["REAUTHENTICATION_REQUIRED"],
    limit: "export",
  },
  "GET /api/account/events": {
    summary: "List what happened to your account",
    description: "Newest first.",
    caller: "account:read",
    whileClosing: "refused",
    query: ListSchema,
    returns: { 200: EventList },
    sends: ["Link"],
  },
  "PUT /api/account/password": {
    summary: "Change your password",
    description:
      "Voids reset links, and ends your other sessions unless `keepOthers` is true. Accounts without a password omit " +
      "`currentPassword` and need a recent proof.",
    caller: "session",
    whileClosing: "refused",
    body: PasswordChangeSchema,
    returns: { 200: Done },
    errors: ["PROOF_WRONG", "REAUTHENTICATION_REQUIRED"],
    limit: "security",
  },
  "POST /api/account/email": {
    summary: "Change your email address",
    description:
      "Emails a link to the new address and alerts the old one. The response is the same for every address. Requires a " +
      "recent proof.",
    caller: "session",
    whileClosing: "refused",
    body: EmailChangeSchema,
    returns: { 200: Done },
    errors: ["REAUTHENTICATION_REQUIRED"],
    limit: "mail",
  },
  "GET /api/account/sessions": {
    summary: "List your sessions",
    description: "The most recently seen first.",
    caller: "session",
    whileClosing: "refused",
    query: ListSchema,
    returns: { 200: SessionList },
    sends: ["Link"],
  },
  "DELETE /api/account/sessions/{id}": {
    summary: "End one of your sessions",
    caller: "session",
    whileClosing: "refused",
    returns: { 204: null },
    errors: ["NOT_FOUND"],
    limit: "write",
  },
  "POST /api/account/sessions/end-others": {
    summary: "End all your other sessions",
    caller: "session",
    whileClosing: "refused",
    returns: { 200: EndedSessions },
    limit: "write",
  },
  "GET /api/account/identities": {
    summary: "List the identity providers that you can log in with",
    caller: "account:read",
    whileClosing: "refused",
    query: ListSchema,
    returns: { 200: IdentityList },
    sends: ["Link"],
  },
  "POST /api/account/identities": {
    summary: "Add an identity provider",
    description: "Returns the URL to send the browser to. Requires a recent proof.",
    caller: "session",
    whileClosing: "refused",
    body: IdentityLinkSchema,
    returns: { 200: LinkStarted },
    sends: ["Set-Cookie"],
    errors: ["EMAIL_NOT_VERIFIED", "REAUTHENTICATION_REQUIRED", "IDP_NOT_CONFIGURED", "NOT_FOUND"],
    limit: "security",
  },
  "DELETE /api/account/identities/{id}": {
    summary: "Remove an identity provider",
    description: "Requires a recent proof.",
    caller: "session",
    whileClosing: "refused",
    returns: { 204: null },
    errors: ["REAUTHENTICATION_REQUIRED", "NOT_FOUND", "LAST_SIGN_IN_METHOD"],
    limit: "security",
  },
});
