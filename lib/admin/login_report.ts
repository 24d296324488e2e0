import type { AuditedEvent } from "../activity/audit_list.ts";
import type { ListedMail } from "../mail/outbox_list.ts";
import type { AccountReport } from "./account_report.ts";

/** A way to log in. */
export type WayIn =
  | { kind: "password" | "code" }
  | { kind: "passkeys"; count: number }
  | { kind: "provider"; name: string };

/** What limits that keep people out count, by policy. */
const LIMITED_ACTS = ["account", "login", "attempt", "guess", "proof", "code"] as const;
export type LimitedAct = typeof LIMITED_ACTS[number];

/** Something that keeps someone out. */
export type Obstacle =
  | { kind: "suspended"; since: Date; reason: string | null }
  | { kind: "unconfirmed" }
  | { kind: "limited"; act: LimitedAct; address: string | null; endsAt: Date }
  /** The only ways in are providers that are no longer configured. */
  | { kind: "providersGone"; names: string[] }
  | { kind: "noWayIn" }
  | { kind: "notAccepted" };

/** Something that explains what the person sees, or what they do not get. */
export type Hint =
  | { kind: "closing"; dueAt: Date | null; isInvitation: boolean }
  | { kind: "secondStep"; recoveryCodesLeft: number }
  /** They must have a second factor by a date, or can only set one up by now. */
  | { kind: "secondFactorDue"; dueAt: Date; isOverdue: boolean }
  | { kind: "failed"; event: AuditedEvent }
  | { kind: "refused"; answer: string }
  | { kind: "undelivered"; mail: ListedMail };

/** Whether someone can log in, and why not. Without obstacles, they can. */
export interface LoginReport {
  ways: WayIn[];
  obstacles: Obstacle[];
  hints: Hint[];
}

/** Answers the question “why can’t this person log in?”. */
export function reportLogin(report: AccountReport): LoginReport {
  const ways = waysIn(report);
  const obstacles = [...obstaclesOf(report), ...ways.length === 0 ? [noWay(report)] : []];
  return { ways, obstacles, hints: hintsOf(report, ways) };
}

function waysIn({ waysIn, emailVerified }: AccountReport): WayIn[] {
  const { hasPassword, passkeys, providers, onlyProvider, emailedCodes } = waysIn;
  if (onlyProvider !== null) return [{ kind: "provider", name: onlyProvider }];
  return [
    ...hasPassword ? [{ kind: "password" as const }] : [],
    ...passkeys > 0 ? [{ kind: "passkeys" as const, count: passkeys }] : [],
    ...providers.filter(({ isConfigured }) => isConfigured).map(({ name }) => ({ kind: "provider" as const, name })),
    ...emailedCodes && emailVerified ? [{ kind: "code" as const }] : [],
  ];
}

function obstaclesOf({ suspendedAt, suspensionReason, status, waysIn, limits }: AccountReport): Obstacle[] {
  const isLimitedAct = (policy: string): policy is LimitedAct => (LIMITED_ACTS as readonly string[]).includes(policy);
  return [
    ...suspendedAt === null ? [] : [{ kind: "suspended" as const, since: suspendedAt, reason: suspensionReason }],
    // A password works only with a confirmed address.
    ...status === "unverified" && waysIn.hasPassword && waysIn.onlyProvider === null
      ? [{ kind: "unconfirmed" as const }]
      : [],
    ...limits.flatMap(({ isReached, policy, by, address, endsAt }) => {
      const act = policy === "proof" && by === "unknown browsers" ? "code" : policy;
      return isReached && isLimitedAct(act) ? [{ kind: "limited" as const, act, address, endsAt }] : [];
    }),
  ];
}

function noWay({ emailVerified, waysIn: { providers } }: AccountReport): Obstacle {
  if (providers.length > 0) return { kind: "providersGone", names: providers.map(({ name }) => name) };
  return { kind: emailVerified ? "noWayIn" : "notAccepted" };
}

function hintsOf(
  { status, deletionDueAt, emailVerified, factors, secondFactorDuty: duty, mails, events }: AccountReport,
  ways: WayIn[],
): Hint[] {
  const failed = events.find(({ kind }) => kind === "login.failed");
  const refused = mails.find(({ status, answer }) => status !== "sent" && answer !== null);
  const undelivered = mails.find(({ status, attempts, answer }) =>
    status === "waiting" && attempts > 1 && answer === null
  );
  // An invitation that has not been accepted opens a session, so it comes before any login.
  const isInvitation = ways.length === 0 && !emailVerified;
  return [
    ...status === "closing" ? [{ kind: "closing" as const, dueAt: deletionDueAt, isInvitation }] : [],
    ...factors.totp ? [{ kind: "secondStep" as const, recoveryCodesLeft: factors.recoveryCodesLeft }] : [],
    ...duty === null || duty.hasFactor || duty.dueAt === null
      ? []
      : [{ kind: "secondFactorDue" as const, dueAt: duty.dueAt, isOverdue: duty.isOverdue }],
    ...failed === undefined ? [] : [{ kind: "failed" as const, event: failed }],
    ...refused === undefined ? [] : [{ kind: "refused" as const, answer: refused.answer! }],
    ...undelivered === undefined ? [] : [{ kind: "undelivered" as const, mail: undelivered }],
  ];
}
