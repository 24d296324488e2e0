import { sessionView } from "../access/session_list.ts";
import { tokenView } from "../access/token_list.ts";
import { identityView } from "../accounts/identities.ts";
import type { AuditedEvent } from "../activity/audit_list.ts";
import { unixSeconds } from "../duration.ts";
import type { ListedMail } from "../mail/outbox_list.ts";
import type { AdminAccountView, AuditEventView, ListedAccountView, MailView } from "./schema.ts";
import type { Services } from "../services/services.ts";
import type { Language } from "../texts/texts.ts";
import type { ListedAccount } from "./account_list.ts";
import type { AccountReport } from "./account_report.ts";

/** What the API returns to admins. The fields are listed one by one, so that a new column never leaks. */

/** An account in the list. */
export function listedAccountView(account: ListedAccount): ListedAccountView {
  const { id, name, email, emailVerified, role, status, createdAt, lastSeenAt } = account;
  return {
    id,
    name,
    email,
    emailVerified,
    role,
    status,
    createdAt: unixSeconds(createdAt),
    lastSeenAt: secondsOrNull(lastSeenAt),
  };
}

/** One account. */
export function accountReportView(
  report: AccountReport,
  { config }: Pick<Services, "config">,
  language: Language,
): AdminAccountView {
  const { sessions, factors, identities, storage, suspensionReason } = report;
  return {
    ...listedAccountView({ ...report, lastSeenAt: sessions.lastSeenAt }),
    suspendedAt: secondsOrNull(report.suspendedAt),
    suspensionReason,
    deletionDueAt: secondsOrNull(report.deletionDueAt),
    hasPassword: report.waysIn.hasPassword,
    factors: { totp: factors.totp, recoveryCodesLeft: factors.recoveryCodesLeft, passkeys: factors.passkeys },
    storage,
    sessions: sessions.list.map((session) => sessionView(session, language)),
    groups: report.groups,
    identities: identities.map((identity) => identityView(identity, { account: report, config })),
    tokens: report.tokens.map(tokenView),
    events: report.events.map(auditEventView),
    mails: report.mails.map(mailView),
  };
}

/** An event in the audit log. */
export function auditEventView(event: AuditedEvent): AuditEventView {
  const { id, kind, createdAt, actor, user, reason, clientAddress, details } = event;
  return { id, kind, createdAt: unixSeconds(createdAt), actor, user, reason, clientAddress, details };
}

/** An email. */
export function mailView(mail: ListedMail): MailView {
  const { id, kind, status, user, createdAt, sentAt, attempts, nextAttemptAt, answer } = mail;
  return {
    id,
    kind,
    status,
    user,
    createdAt: unixSeconds(createdAt),
    sentAt: secondsOrNull(sentAt),
    attempts,
    nextAttemptAt: secondsOrNull(nextAttemptAt),
    answer,
  };
}

function secondsOrNull(time: Date | null): number | null {
  return time && unixSeconds(time);
}
