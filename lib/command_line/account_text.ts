import type { AccountReport } from "../admin/account_report.ts";
import { type Hint, type LimitedAct, type Obstacle, reportLogin, type WayIn } from "../admin/login_report.ts";
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
    ...groupLines(report),
    "",
    ...section("Limits", limitTable(report.limits)),
    ...section("Emails that are waiting or have failed", mailTable(undelivered, { withUser: false })),
    ...section("Last events", eventTable(report.events.slice(0, EVENTS), { withUser: false })),
  ].join("\n").trimEnd();
}

function groupLines({ groups }: AccountReport): string[] {
  if (groups.length === 0) return [];
  return [`Groups: ${groups.map(({ name, sources }) => `${name} (by ${sources.join(", ")})`).join(", ")}`];
}

function section(title: string, content: string): string[] {
  return [title, ...content.split("\n").map((line) => `  ${line}`), ""];
}

/** Says in plain words whether the person can log in, what stands in the way, and which command helps. */
export function loginLines(report: AccountReport): string[] {
  const { email } = report;
  const { ways, obstacles, hints } = reportLogin(report);
  const hintLines = hints.map((hint) => `- ${hintText(hint, email)}`);
  const known = ways.map(wayText).join(", ");
  if (obstacles.length === 0) return [`Can log in with: ${known}.`, ...hintLines];
  const otherwise = ways.length === 0 ? [] : [`Otherwise could log in with: ${known}.`];
  return ["Cannot log in:", ...obstacles.map((each) => `- ${obstacleText(each, report)}`), ...otherwise, ...hintLines];
}

/** What limits that keep people out count. */
const LIMITED_ACT_TEXTS: Record<LimitedAct, string> = {
  account: "wrong passwords for this address",
  login: "logins",
  attempt: "logins with a provider",
  guess: "uses of emailed links",
  proof: "wrong codes or proofs",
  code: "wrong codes in browsers that the account does not know",
};

function wayText(way: WayIn): string {
  switch (way.kind) {
    case "password":
      return "a password";
    case "passkeys":
      return count(way.count, "passkey");
    case "provider":
      return plain(way.name);
    case "code":
      return "an emailed code";
  }
}

function obstacleText(obstacle: Obstacle, { email, waysIn: { canReset } }: AccountReport): string {
  const remedy = canReset
    ? `To let them set a password: users send-reset ${email}`
    : `To email them a link that logs in once: users send-reset ${email}. To print one: users link ${email}`;
  switch (obstacle.kind) {
    case "suspended":
      return `The account was suspended at ${time(obstacle.since)}: ${plain(obstacle.reason ?? "no reason given")}. ` +
        `To lift it: users unsuspend ${email}`;
    case "unconfirmed":
      return "The address is not confirmed, and a password works only then. To send the link again: " +
        `users resend-verification ${email}`;
    case "limited": {
      const { act, address, endsAt } = obstacle;
      return `Too many ${LIMITED_ACT_TEXTS[act]}${address === null ? "" : ` from ${address}`}, until ${
        time(endsAt)
      }. ` +
        `To forget them: limits clear ${address ?? email}`;
    }
    case "providersGone":
      return `${obstacle.names.map(plain).join(", ")} is no longer configured. ` +
        remedy;
    case "noWayIn":
      return `There is no password, passkey or provider. ${remedy}`;
    case "notAccepted":
      return `The invitation has not been accepted. To send another link: users send-reset ${email}`;
  }
}

function hintText(hint: Hint, email: string): string {
  switch (hint.kind) {
    case "closing": {
      const way = hint.isInvitation ? "accepts the invitation" : "logs in";
      return `The account will be deleted at ${time(hint.dueAt)}, unless its owner ${way} before then and keeps it. ` +
        `To keep it: users keep ${email} --reason TEXT`;
    }
    case "secondStep":
      return secondStep(hint.recoveryCodesLeft);
    case "secondFactorDue": {
      const { dueAt, isOverdue } = hint;
      const state = isOverdue
        ? `They can only set up a second factor, which they must have since ${time(dueAt)}`
        : `They must have a second factor by ${time(dueAt)}`;
      return `${state}. If they cannot prove in a second way who they are, give them more time: ` +
        `users extend-second-factor ${email} --reason TEXT`;
    }
    case "failed": {
      const { createdAt, clientAddress } = hint.event;
      return `Last failed login: ${time(createdAt)}: ${eventText(ENGLISH, hint.event)}, ` +
        `from ${clientAddress ?? "an unknown address"}`;
    }
    case "refused":
      return `The email service refuses to deliver to ${email}: ${plain(hint.answer)}`;
    case "undelivered": {
      const { kind, attempts } = hint.mail;
      return `The email “${kind}” has not been delivered in ${count(attempts, "attempt")}. ` +
        `Nothing is known from the email service. To see why: check --mail-to ${email}`;
    }
  }
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
