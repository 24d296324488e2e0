import { z } from "zod";
import { createInvitedUser } from "../accounts/invitation.ts";
import { pageAfterInvitation } from "../accounts/return_address.ts";
import { COMMAND_LINE as by } from "../activity/events.ts";
import { endAllSessions } from "../admin/access.ts";
import { listAccounts } from "../admin/account_list.ts";
import { reportAccount } from "../admin/account_report.ts";
import { resendConfirmation, sendReset } from "../admin/emails.ts";
import { extendSecondFactor } from "../admin/factors.ts";
import { createLoginLink } from "../admin/login_link.ts";
import { keepUser, removeUser } from "../admin/removal.ts";
import { changeRole } from "../admin/role.ts";
import { suspendUser, unsuspendUser } from "../admin/suspension.ts";
import { AccountSearch, Reason } from "../admin/schema.ts";
import { AppError } from "../errors/errors.ts";
import { errorInEnglish } from "../http/error_english.ts";
import type { Services } from "../services/services.ts";
import { USER_STATUSES } from "../schemas/states.ts";
import { Id } from "../schemas/list.ts";
import { InvitationSchema } from "../sign_in/schema.ts";
import { accountText } from "./account_text.ts";
import { type Command, command, type Report } from "./command.ts";
import { Limit, LIMIT_OPTION, REASON_OPTION, WHO, Who } from "./inputs.ts";
import { count, forPrograms, plain, table, time } from "./text.ts";

const WhoInput = z.object({ who: Who });

const list = command({
  name: "users list",
  summary: "List accounts, the newest first",
  options: [
    {
      flags: "--query <words>",
      description: "only accounts with these beginnings of words in the name, or of the address",
    },
    { flags: "--status <status>", description: "only accounts in this state", choices: USER_STATUSES },
    { flags: "--without-second-factor", description: "only accounts with neither an authenticator app nor a passkey" },
    LIMIT_OPTION,
    { flags: "--after <id>", description: "continue after this account, the last one of the previous list" },
  ],
  input: z.object({
    query: AccountSearch.optional(),
    status: z.enum(USER_STATUSES).optional(),
    withoutSecondFactor: z.boolean().default(false),
    limit: Limit,
    after: Id.optional(),
  }),
  async run(services, { withoutSecondFactor, ...query }) {
    const factor = withoutSecondFactor ? "none" : undefined;
    const { accounts, next } = await listAccounts(services, { ...query, factor });
    const rows = accounts.map((account) => [
      account.email,
      account.name,
      account.role === "admin" ? `${account.status}, admin` : account.status,
      time(account.createdAt),
      time(account.lastSeenAt),
      account.id,
    ]);
    const text = rows.length === 0
      ? "No accounts."
      : table(["EMAIL", "NAME", "STATE", "CREATED", "LAST SEEN", "ID"], rows);
    return {
      text: next === null ? text : `${text}\nThere are more: --after ${next}`,
      value: forPrograms({ data: accounts, next }),
    };
  },
});

const show = command({
  name: "users show",
  summary: "Show one account, and why its owner cannot log in",
  details: "State, ways in, factors, limits in force, emails that have not arrived, and the last ten events.",
  arguments: WHO,
  input: WhoInput,
  async run(services, { who }) {
    const report = await reportAccount(services, who);
    return { text: accountText(report), value: forPrograms(report) };
  },
});

const create = command({
  name: "users create",
  summary: "Create an account without a password, and print an invitation link",
  details:
    "Nothing is emailed. Whoever opens the link chooses a password (with PASSWORDS=on), and the address counts as " +
    "confirmed: give it " +
    "only to the owner of the address. REGISTRATION does not matter.",
  arguments: { email: "the address", name: "the name that other people see" },
  options: [
    {
      flags: "--next <url>",
      description: "where the person goes afterward: an address of this service, of a product or of an app",
    },
  ],
  input: InvitationSchema,
  async run(services, { email, name, next: address }) {
    const next = pageAfterInvitation(address, services.config);
    const { user, link, expiresAt } = await createInvitedUser(services, { email, name, next, by });
    return {
      text: `Created ${plain(user.email)} (${user.id}).\nInvitation, until ${time(expiresAt)}:\n${link}`,
      value: forPrograms({ id: user.id, link, expiresAt }),
    };
  },
});

const suspend = command({
  name: "users suspend",
  summary: "Keep someone out, until it is lifted",
  details: "Ends their sessions and API tokens, voids emailed links and codes, and hides them from lists.",
  arguments: WHO,
  options: [REASON_OPTION],
  input: z.object({ who: Who, reason: Reason }),
  run: async (services, { who, reason }) =>
    changed(await suspendUser(services, { who, reason, by }), `Suspended ${who}.`, `${who} was suspended already.`),
});

const unsuspend = command({
  name: "users unsuspend",
  summary: "Lift a suspension",
  details: "Sessions, tokens and links that ended with it do not come back.",
  arguments: WHO,
  input: WhoInput,
  run: async (services, { who }) =>
    changed(
      await unsuspendUser(services, { who, by }),
      `Lifted the suspension of ${who}. users show ${who} says whether they can log in.`,
      `${who} was not suspended.`,
    ),
});

const promote = command({
  name: "users promote",
  summary: "Make someone an admin",
  arguments: WHO,
  input: WhoInput,
  run: async (services, { who }) =>
    changed(
      await changeRole(services, { who, role: "admin", by }),
      `${who} is an admin.`,
      `${who} was an admin already.`,
    ),
});

const demote = command({
  name: "users demote",
  summary: "Make an admin an ordinary user",
  details: "The last admin stays: make someone else an admin first.",
  arguments: WHO,
  input: WhoInput,
  run: async (services, { who }) =>
    changed(await changeRole(services, { who, role: "user", by }), `${who} is no admin.`, `${who} was no admin.`),
});

const remove = command({
  name: "users delete",
  summary: "Delete accounts",
  details:
    "Ends sessions and API tokens now, and deletes the accounts after DELETION_GRACE_DAYS. An email says so to each owner, " +
    "who can log in until then and keep it. With --now, they and their files are deleted at once, and nothing brings " +
    "them back. One that cannot be deleted holds up no other.",
  arguments: { who: { description: "email addresses or ids of accounts", isList: true } },
  options: [
    REASON_OPTION,
    { flags: "--yes", description: "confirm it", isRequired: true },
    { flags: "--now", description: "without a time to change one's mind" },
  ],
  input: z.object({ who: z.array(Who).min(1), reason: Reason, yes: z.literal(true), now: z.boolean().default(false) }),
  async run(services, { who, ...act }) {
    const results: Removed[] = [];
    for (const each of new Set(who)) results.push(await removeOne(services, { who: each, ...act }));
    return {
      text: results.map(removedText).join("\n"),
      value: forPrograms({ data: results }),
      hasFailed: results.some(({ failure }) => failure !== undefined),
    };
  },
});

/** What became of an account that was to be deleted. */
interface Removed {
  who: string;
  /** When it will be deleted; null if it has been. */
  deletionDueAt?: Date | null;
  /** Why it stays. */
  failure?: string;
}

async function removeOne(
  services: Services,
  act: { who: string; reason: string; now: boolean },
): Promise<Removed> {
  try {
    return { who: act.who, deletionDueAt: await removeUser(services, { ...act, by }) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { who: act.who, failure: errorInEnglish(error) };
  }
}

function removedText({ who, deletionDueAt, failure }: Removed): string {
  if (failure !== undefined) return plain(`${who}: ${failure}`);
  return plain(deletionDueAt ? `${who} will be deleted at ${time(deletionDueAt)}.` : `Deleted ${who}.`);
}

const keep = command({
  name: "users keep",
  summary: "Keep an account that will be deleted",
  details: "Until the deletion begins. Sessions and API tokens do not come back. An email says so to the owner.",
  arguments: WHO,
  options: [REASON_OPTION],
  input: z.object({ who: Who, reason: Reason }),
  run: async (services, { who, reason }) =>
    changed(await keepUser(services, { who, reason, by }), `${who} stays.`, `${who} was not being deleted.`),
});

const extend = command({
  name: "users extend-second-factor",
  summary: "Give someone more time to set up a second factor",
  details:
    "For SECOND_FACTOR_GRACE_DAYS, at least a day, they log in as before, and that is proof enough to set one up. For " +
    "someone who cannot get the emailed code. Make sure that it is really the owner who asks.",
  arguments: WHO,
  options: [REASON_OPTION],
  input: z.object({ who: Who, reason: Reason }),
  run: async (services, { who, reason }) =>
    changed(
      await extendSecondFactor(services, { who, reason, by }),
      `${who} has more time. users show ${who} says until when.`,
      `${who} lacks no second factor that is demanded.`,
    ),
});

const endSessions = command({
  name: "users end-sessions",
  summary: "Log someone out everywhere",
  details: "API tokens stay.",
  arguments: WHO,
  input: WhoInput,
  async run(services, { who }) {
    const ended = await endAllSessions(services, { who, by });
    return { text: `Ended ${count(ended, "session")} of ${who}.`, value: { ended } };
  },
});

const reset = command({
  name: "users send-reset",
  summary: "Email a link that sets a new password, or logs in once where PASSWORDS allows none",
  details: "Earlier links stop working. An address gets three an hour, or what LIMIT_MAIL_ADDRESS says.",
  arguments: WHO,
  input: WhoInput,
  async run(services, { who }) {
    await sendReset(services, { who, by });
    return { text: `The email to ${who} is on its way. users show ${who} says if it does not arrive.`, value: {} };
  },
});

const link = command({
  name: "users link",
  summary: "Print a link that logs someone in once, within ten minutes",
  details:
    "The way back in when every other door is shut, whatever PASSWORDS says. Nothing is emailed: give it only to " +
    "the owner of the account. An account with a second factor asks for it as always. Earlier links stop working. " +
    "It confirms the address of someone who has not accepted their invitation. Someone who has registered and not " +
    "confirmed the address gets none: users resend-verification emails them.",
  arguments: WHO,
  input: WhoInput,
  async run(services, { who }) {
    const { email, link, expiresAt } = await createLoginLink(services, { who, by });
    return {
      text: `A login of ${plain(email)}, once, until ${time(expiresAt)}:\n${link}`,
      value: forPrograms({ link, expiresAt }),
    };
  },
});

const resend = command({
  name: "users resend-verification",
  summary: "Email the link again that confirms an address",
  details: "Earlier links keep working. An address gets as many as LIMIT_MAIL_ADDRESS says, by default three an hour.",
  arguments: WHO,
  input: WhoInput,
  run: async (services, { who }) =>
    changed(
      await resendConfirmation(services, { who, by }),
      `The email to ${who} is on its way. users show ${who} says if it does not arrive.`,
      `The address of ${who} is confirmed already.`,
    ),
});

function changed(isChanged: boolean, done: string, already: string): Report {
  return { text: plain(isChanged ? done : already), value: { changed: isChanged } };
}

/** What operators do with accounts. */
export const USER_COMMANDS: Command[] = [
  list,
  show,
  create,
  suspend,
  unsuspend,
  promote,
  demote,
  remove,
  keep,
  extend,
  endSessions,
  reset,
  link,
  resend,
];
