import type { AccountReport } from "../admin/account_report.ts";
import { eventText } from "../texts/event_text.ts";
import { ENGLISH } from "../texts/languages.ts";
import { eventTable, limitTable, mailTable } from "./list_text.ts";
import { count, plain, time } from "./text.ts";

/** How many of the newest are shown. */
const EVENTS = 10;
const MAILS = 10;

/** Shows an account: first whether its owner can log in, and what to do if not. */
export function accountText(report: AccountReport): string {
  const mails = report.mails.slice(0, MAILS);
  const undelivered = mails.filter(({ status }) => status !== "sent");
  return [
    `${plain(report.name)} <${plain(report.email)}>${report.role === "admin" ? ", an admin" : ""}`,
    `${report.id}, ${report.status}, since ${time(report.createdAt)}`,
    "",
    ...loginLines(report),
    "",
    `Factors: ${factorText(report)}`,
    `In use: ${count(report.sessions.count, "session")} (last seen ${time(report.sessions.lastSeenAt)}), ` +
    `${count(report.tokens.length, "API token")}, ${count(report.storage.usedBytes, "byte")} of files`,
    "",
    ...section("Limits", limitTable(report.limits)),
    ...section("Emails that are waiting or have failed", mailTable(undelivered, { withUser: false })),
    ...section("Last events", eventTable(report.events.slice(0, EVENTS), { withUser: false })),
  ].join("\n").trimEnd();
}

function section(title: string, content: string): string[] {
  return [title, ...content.split("\n").map((line) => `  ${line}`), ""];
}

/** Says in plain words whether the person can log in, what stands in the way, and which command helps. */
export function loginLines(report: AccountReport): string[] {
  const ways = waysIn(report);
  const obstacles = [...obstaclesOf(report), ...ways.length === 0 ? [noWay(report)] : []];
  const hints = hintsOf(report).map((hint) => `- ${hint}`);
  if (obstacles.length === 0) return [`Can log in with: ${ways.join(", ")}.`, ...hints];
  const known = ways.length === 0 ? [] : [`Otherwise could log in with: ${ways.join(", ")}.`];
  return ["Cannot log in:", ...obstacles.map((obstacle) => `- ${obstacle}`), ...known, ...hints];
}

/** What limits that keep people out count. */
const LIMITED_ACTS: Record<string, string> = {
  account: "wrong passwords for this address",
  login: "logins",
  attempt: "logins with a provider",
  guess: "uses of emailed links",
  proof: "wrong codes or proofs",
};

function waysIn(
  { waysIn: { hasPassword, passkeys, providers, emailedCodes }, emailVerified }: AccountReport,
): string[] {
  return [
    ...hasPassword ? ["a password"] : [],
    ...passkeys > 0 ? [count(passkeys, "passkey")] : [],
    ...providers.filter(({ isConfigured }) => isConfigured).map(({ name }) => plain(name)),
    ...emailedCodes && emailVerified ? ["an emailed code"] : [],
  ];
}

function obstaclesOf(report: AccountReport): string[] {
  const { email, status, waysIn: { hasPassword } } = report;
  return [
    ...report.suspendedAt === null ? [] : [
      `The account was suspended at ${time(report.suspendedAt)}: ${
        plain(report.suspensionReason ?? "no reason given")
      }. ` +
      `To lift it: users unsuspend ${email}`,
    ],
    ...status !== "unverified" || !hasPassword ? [] : [
      `The address is not confirmed, and a password works only then. To send the link again: ` +
      `users resend-verification ${email}`,
    ],
    ...report.limits.filter(({ isReached, policy }) => isReached && policy in LIMITED_ACTS).map((
      { policy, address, endsAt },
    ) =>
      `Too many ${LIMITED_ACTS[policy]}${address === null ? "" : ` from ${address}`}, until ${time(endsAt)}. ` +
      `To forget them: limits clear ${address ?? email}`
    ),
  ];
}

function noWay({ email, emailVerified, waysIn: { providers } }: AccountReport): string {
  const gone = providers.map(({ name }) => plain(name)).join(", ");
  if (gone !== "") return `${gone} is no longer configured. To let them set a password: users send-reset ${email}`;
  return emailVerified
    ? `There is no password, passkey or provider. To let them set a password: users send-reset ${email}`
    : `The invitation has not been accepted. To send another link: users send-reset ${email}`;
}

function hintsOf(report: AccountReport): string[] {
  const { email, status, deletionDueAt, factors, mails, events } = report;
  const failed = events.find(({ kind }) => kind === "login.failed");
  const refused = mails.find(({ status, answer }) => status !== "sent" && answer !== null);
  const stuck = mails.find(({ status, attempts, answer }) => status === "waiting" && attempts > 1 && answer === null);
  return [
    ...status === "closing"
      ? [
        `The account will be deleted at ${time(deletionDueAt)}, unless its owner ${
          wayToKeep(report)
        } before then and keeps it.`,
      ]
      : [],
    ...factors.totp ? [secondStep(factors.recoveryCodesLeft)] : [],
    ...failed === undefined ? [] : [
      `Last failed login: ${time(failed.createdAt)}: ${eventText(ENGLISH, failed)}, ` +
      `from ${failed.clientAddress ?? "an unknown address"}`,
    ],
    ...refused === undefined ? [] : [`The email service refuses to deliver to ${email}: ${plain(refused.answer!)}`],
    ...stuck === undefined ? [] : [
      `The email “${stuck.kind}” has not been delivered in ${
        count(stuck.attempts, "attempt")
      }. Nothing is known from the ` +
      `email service. To see why: check --mail-to ${email}`,
    ],
  ];
}

/** An invitation that has not been accepted opens a session, so it comes before any login. */
function wayToKeep(report: AccountReport): string {
  return waysIn(report).length === 0 && !report.emailVerified ? "accepts the invitation" : "logs in";
}

function secondStep(recoveryCodesLeft: number): string {
  return "After a password or a provider, they need a code of their authenticator app or a recovery code " +
    `(${recoveryCodesLeft} left). If they have lost both, a link on the page that asks for the code removes the app after a ` +
    "waiting time.";
}

function factorText({ factors: { totp, recoveryCodesLeft, passkeys, removalDueAt } }: AccountReport): string {
  return [
    totp ? "an authenticator app" : "no authenticator app",
    count(recoveryCodesLeft, "recovery code"),
    count(passkeys, "passkey"),
    ...removalDueAt === null ? [] : [`the app will be removed at ${time(removalDueAt)}, because it was lost`],
  ].join(", ");
}
