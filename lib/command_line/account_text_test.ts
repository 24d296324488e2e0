import { deepStrictEqual } from "node:assert/strict";
import type { AccountReport } from "../admin/account_report.ts";
import { loginLines } from "./account_text.ts";

const at = new Date("2026-03-01T12:00:00Z");
const REPORT: AccountReport = {
  id: "1",
  name: "Ann",
  email: "ann@example.org",
  avatar: null,
  emailVerified: true,
  role: "user",
  status: "active",
  createdAt: at,
  suspendedAt: null,
  suspensionReason: null,
  deletionDueAt: null,
  waysIn: { hasPassword: true, canReset: true, passkeys: 0, providers: [], onlyProvider: null, emailedCodes: false },
  factors: { totp: false, recoveryCodesLeft: 0, passkeys: 0, removalDueAt: null },
  secondFactorDuty: null,
  lacksSecondFactor: false,
  sessions: { count: 0, lastSeenAt: null, list: [] },
  tokens: [],
  identities: [],
  groups: [],
  storage: { usedBytes: 0, quotaBytes: 0 },
  limits: [],
  mails: [],
  events: [],
};
const limit = { requests: 5, quota: 5, endsAt: at, isReached: true };

Deno.test("people who are kept out by a limit of their account or address are told apart, with the command that helps", () => {
  const limits: AccountReport["limits"] = [
    { ...limit, policy: "proof", by: "account", address: null },
    { ...limit, policy: "login", by: "address", address: "203.0.113.7" },
    { ...limit, policy: "write", by: "account", address: null },
    { ...limit, policy: "guess", by: "address", address: "203.0.113.8", isReached: false },
  ];
  deepStrictEqual(loginLines({ ...REPORT, limits }), [
    "Cannot log in:",
    "- Too many wrong codes or proofs, until 2026-03-01 12:00:00Z. To forget them: limits clear ann@example.org",
    "- Too many logins from 203.0.113.7, until 2026-03-01 12:00:00Z. To forget them: limits clear 203.0.113.7",
    "Otherwise could log in with: a password.",
  ]);
});

Deno.test("an authenticator app is named as a second step, with the way out if it is lost", () => {
  const factors = { ...REPORT.factors, totp: true, recoveryCodesLeft: 2 };
  deepStrictEqual(loginLines({ ...REPORT, factors }), [
    "Can log in with: a password.",
    "- After a password or a provider, they need a code of their authenticator app or a recovery code (2 left). If they have " +
    "lost both, a link on the page that asks for the code removes the app after a waiting time.",
  ]);
});

Deno.test("who must have a second factor is named, with the command that gives more time", () => {
  const duty = { firstDueAt: at, dueAt: at, hasFactor: false, hasPasskey: false, isOverdue: false };
  const help = "If they cannot prove in a second way who they are, give them more time: users extend-second-factor " +
    "ann@example.org --reason TEXT";
  const lines = (more: Partial<typeof duty>) =>
    loginLines({ ...REPORT, secondFactorDuty: { ...duty, ...more } }).slice(1);
  deepStrictEqual(lines({}), [`- They must have a second factor by 2026-03-01 12:00:00Z. ${help}`]);
  deepStrictEqual(lines({ isOverdue: true }), [
    `- They can only set up a second factor, which they must have since 2026-03-01 12:00:00Z. ${help}`,
  ]);
  deepStrictEqual(lines({ hasFactor: true }), []);
});

Deno.test("an email that no service has answered for is named, and one at its first attempt is not", () => {
  const mail = {
    id: "2",
    kind: "reset",
    status: "waiting",
    user: null,
    createdAt: at,
    sentAt: null,
    answer: null,
  } as const;
  const mails = (attempts: number) => [{ ...mail, attempts, nextAttemptAt: at }];
  deepStrictEqual(loginLines({ ...REPORT, mails: mails(1) }), ["Can log in with: a password."]);
  deepStrictEqual(loginLines({ ...REPORT, mails: mails(3) }), [
    "Can log in with: a password.",
    "- The email “reset” has not been delivered in 3 attempts. Nothing is known from the email service. To see why: check " +
    "--mail-to ann@example.org",
  ]);
});

Deno.test("an account that will be deleted says how its owner can keep it, without contradiction", () => {
  const closing = { ...REPORT, status: "closing", deletionDueAt: at } as const;
  deepStrictEqual(loginLines(closing), [
    "Can log in with: a password.",
    "- The account will be deleted at 2026-03-01 12:00:00Z, unless its owner logs in before then and keeps it. " +
    "To keep it: users keep ann@example.org --reason TEXT",
  ]);
  const invited = { ...closing, emailVerified: false, waysIn: { ...REPORT.waysIn, hasPassword: false } };
  deepStrictEqual(loginLines(invited), [
    "Cannot log in:",
    "- The invitation has not been accepted. To send another link: users send-reset ann@example.org",
    "- The account will be deleted at 2026-03-01 12:00:00Z, unless its owner accepts the invitation before then and keeps it. " +
    "To keep it: users keep ann@example.org --reason TEXT",
  ]);
});

Deno.test("someone without a way in is helped by an email or by a printed link, where passwords help no one", () => {
  const waysIn = { ...REPORT.waysIn, hasPassword: false, canReset: false };
  deepStrictEqual(loginLines({ ...REPORT, waysIn }), [
    "Cannot log in:",
    "- There is no password, passkey or provider. To email them a link that logs in once: users send-reset ann@example.org. " +
    "To print one: users link ann@example.org",
  ]);
  deepStrictEqual(loginLines({ ...REPORT, waysIn, emailVerified: false }), [
    "Cannot log in:",
    "- The invitation has not been accepted. To send another link: users send-reset ann@example.org",
  ]);
});
