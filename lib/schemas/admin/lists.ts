import { z } from "zod";
import { issueMessage } from "../../problem.ts";
import { EMAIL_MAX } from "../credential_rules.ts";
import { said } from "../documented_rules.ts";
import { EVENT_KINDS } from "../event_kinds.ts";
import { Id, ListSchema } from "../list.ts";
import { lineOf } from "../text.ts";
import { COMMAND_LINE_ACTOR, MAIL_STATUSES, USER_STATUSES } from "./states.ts";

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

/** The query of the audit log. */
export const AuditListSchema = ListSchema.extend({
  kind: oneOf(EVENT_KINDS).optional(),
  actor: z.union([Id, z.literal(COMMAND_LINE_ACTOR)], issueMessage({ rule: "invalid" })).meta({
    description: "The id of a user, or `command line`",
  }).optional(),
  user: Id.optional(),
});

function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, issueMessage({ rule: "oneOf", values }));
}

/** The query of the page of accounts. */
export const AccountPageSchema = AccountListSchema.pick({ cursor: true, query: true, status: true });

/** The query of the page of emails. */
export const MailPageSchema = MailListSchema.pick({ cursor: true, status: true });

/** The query of the page of events. Accounts are named by their addresses too. */
export const AuditPageSchema = AuditListSchema.pick({ cursor: true, kind: true }).extend({
  user: AccountSearch.optional(),
  actor: AccountSearch.optional(),
});
