import type { Services } from "../services/services.ts";
import type { NoticeCode } from "../texts/texts.ts";
import type { AdminAct } from "./locked_account.ts";
import { endAllSessions } from "./access.ts";
import type { AccountReport } from "./account_report.ts";
import { resendConfirmation, sendReset } from "./emails.ts";
import { extendSecondFactor, resetFactors } from "./factors.ts";
import { clearLimits } from "./limits.ts";
import { reportLogin } from "./login_report.ts";
import { keepUser, removeUser } from "./removal.ts";
import { changeRole } from "./role.ts";
import { suspendUser, unsuspendUser } from "./suspension.ts";

/** An act on an account, as a form requests it. */
export interface RequestedAct extends AdminAct {
  /** The client address whose limits are lifted, in place of those of the account. */
  address?: string;
}

/** What admins can do to an account. */
interface AccountAct {
  needsReason: boolean;
  /** Whether its button is red. */
  isDangerous: boolean;
  /** What the next page says. */
  notice: NoticeCode;
  /** Whether there is something to do. */
  isOffered(report: AccountReport): boolean;
  /** Returns false if nothing has changed. */
  run(services: Services, act: RequestedAct): Promise<boolean>;
}

/** A reason that the schema of the form requires. */
const reasoned = (act: RequestedAct) => ({ ...act, reason: act.reason ?? "" });
const always = () => true;

/** The acts on an account, in the order in which they are offered. */
export const ACCOUNT_ACTS = {
  "clear-limits": {
    needsReason: false,
    isDangerous: false,
    notice: "admin_limits_cleared",
    isOffered: (report) => reportLogin(report).obstacles.some(({ kind }) => kind === "limited"),
    run: async (services, { who, address, by, reason }) =>
      (await clearLimits(services, { who: address ?? who, by, reason })).length > 0,
  },
  "resend-verification": {
    needsReason: false,
    isDangerous: false,
    notice: "admin_confirmation_sent",
    isOffered: ({ emailVerified, suspendedAt }) => !emailVerified && suspendedAt === null,
    run: resendConfirmation,
  },
  "send-reset": {
    needsReason: false,
    isDangerous: false,
    notice: "admin_reset_sent",
    isOffered: ({ suspendedAt }) => suspendedAt === null,
    run: (services, act) => sendReset(services, act).then(always),
  },
  "end-sessions": {
    needsReason: false,
    isDangerous: false,
    notice: "admin_sessions_ended",
    isOffered: ({ sessions }) => sessions.count > 0,
    run: async (services, act) => await endAllSessions(services, act) > 0,
  },
  "reset-factors": {
    needsReason: true,
    isDangerous: false,
    notice: "admin_factors_reset",
    isOffered: ({ factors, secondFactorDuty }) => factors.totp || (secondFactorDuty?.hasPasskey ?? false),
    run: (services, act) => resetFactors(services, reasoned(act)),
  },
  "extend-second-factor": {
    needsReason: true,
    isDangerous: false,
    notice: "admin_second_factor_extended",
    isOffered: ({ lacksSecondFactor }) => lacksSecondFactor,
    run: (services, act) => extendSecondFactor(services, reasoned(act)),
  },
  "unsuspend": {
    needsReason: false,
    isDangerous: false,
    notice: "admin_unsuspended",
    isOffered: ({ suspendedAt }) => suspendedAt !== null,
    run: unsuspendUser,
  },
  "keep": {
    needsReason: true,
    isDangerous: false,
    notice: "admin_kept",
    isOffered: ({ deletionDueAt }) => deletionDueAt !== null,
    run: (services, act) => keepUser(services, reasoned(act)),
  },
  "promote": {
    needsReason: false,
    isDangerous: false,
    notice: "admin_promoted",
    isOffered: ({ role }) => role !== "admin",
    run: (services, act) => changeRole(services, { ...act, role: "admin" }),
  },
  "demote": {
    needsReason: false,
    isDangerous: true,
    notice: "admin_demoted",
    isOffered: ({ role }) => role === "admin",
    run: (services, act) => changeRole(services, { ...act, role: "user" }),
  },
  "suspend": {
    needsReason: true,
    isDangerous: true,
    notice: "admin_suspended",
    isOffered: ({ suspendedAt }) => suspendedAt === null,
    run: (services, act) => suspendUser(services, reasoned(act)),
  },
  "close": {
    needsReason: true,
    isDangerous: true,
    notice: "admin_closed",
    isOffered: ({ deletionDueAt }) => deletionDueAt === null,
    run: (services, act) => removeUser(services, { ...reasoned(act), now: false }).then(always),
  },
  "delete": {
    needsReason: true,
    isDangerous: true,
    notice: "admin_deleted",
    isOffered: always,
    run: (services, act) => removeUser(services, { ...reasoned(act), now: true }).then(always),
  },
} satisfies Record<string, AccountAct>;

/** The name of an act, as the paths of the pages have it. */
export type AccountActName = keyof typeof ACCOUNT_ACTS;

/** Returns an act by its name, or undefined if no act has it. */
export function accountAct(name: string): { name: AccountActName; act: AccountAct } | undefined {
  if (!Object.hasOwn(ACCOUNT_ACTS, name)) return undefined;
  const known = name as AccountActName;
  return { name: known, act: ACCOUNT_ACTS[known] };
}

/** Returns the names of the acts for which an account gives a reason. */
export function offeredActs(report: AccountReport): AccountActName[] {
  return (Object.keys(ACCOUNT_ACTS) as AccountActName[]).filter((name) => ACCOUNT_ACTS[name].isOffered(report));
}
