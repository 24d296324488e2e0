import { z } from "zod";
import { listAudit } from "../activity/audit_list.ts";
import { COMMAND_LINE as by } from "../activity/events.ts";
import { getAccountId } from "../admin/locked_account.ts";
import { clearLimits, listLimits } from "../admin/limits.ts";
import { EVENT_KINDS } from "../activity/kinds.ts";
import { restartStoreSweep } from "../uploads/store_sweep.ts";
import { findSetupLink } from "../accounts/first_admin.ts";
import { allowDeletionOfMost, reportUploads } from "../uploads/upload_report.ts";
import { type Command, command } from "./command.ts";
import { Limit, LIMIT_OPTION, Who } from "./inputs.ts";
import { eventTable, limitTable } from "./list_text.ts";
import { forPrograms } from "./text.ts";

const LIMITED = { who: "an email address, the id of an account, or the network address of a client" };
const LimitedInput = z.object({ who: Who });

const events = command({
  name: "events",
  summary: "List what has happened, the newest first",
  options: [
    { flags: "--user <who>", description: "only what concerns this account" },
    { flags: "--kind <kind>", description: "only events of this kind", choices: EVENT_KINDS },
    { flags: "--request <id>", description: "only what the request with this id did" },
    LIMIT_OPTION,
  ],
  input: z.object({
    user: Who.optional(),
    kind: z.enum(EVENT_KINDS).optional(),
    request: z.string().optional(),
    limit: Limit,
  }),
  async run({ db }, { user, kind, request: requestId, limit }) {
    const userId = user === undefined ? undefined : await getAccountId(db, user);
    const listed = await listAudit(db, { userId, kind, requestId, limit });
    return { text: eventTable(listed, { withUser: true }), value: forPrograms({ data: listed }) };
  },
});

const setupLink = command({
  name: "setup-link",
  summary: "Print the link that makes the first admin",
  details: "It works for an hour, once, and only as long as no account has ever been an admin. A start prints it too.",
  input: z.object({}),
  async run(services) {
    const link = await findSetupLink(services);
    if (link === null) throw new Error("There has been an admin. To make another one, use users promote");
    return { text: link, value: { link } };
  },
});

const limitsList = command({
  name: "limits list",
  summary: "Show what counts against the limits of someone",
  arguments: LIMITED,
  input: LimitedInput,
  async run(services, { who }) {
    const limits = await listLimits(services, who);
    return { text: limitTable(limits), value: forPrograms({ data: limits }) };
  },
});

const limitsClear = command({
  name: "limits clear",
  summary: "Forget what counts against the limits of someone",
  arguments: LIMITED,
  input: LimitedInput,
  async run(services, { who }) {
    const cleared = await clearLimits(services, { who, by });
    const text = cleared.length === 0 ? limitTable(cleared) : `Forgotten:\n${limitTable(cleared)}`;
    return { text, value: forPrograms({ cleared }) };
  },
});

const uploadsCheck = command({
  name: "uploads check",
  summary: "Show what the sweeps of uploads will do next",
  details: "Changes nothing. Also names rows whose objects are missing in the store.",
  input: z.object({}),
  run: reportUploads,
});

const uploadsDeleteMost = command({
  name: "uploads delete-most",
  summary: "Let the next sweep of the store delete most of its objects",
  details:
    "Without it, the sweep deletes nothing if most objects are unknown to the database. Look at uploads check first.",
  options: [{ flags: "--yes", description: "do it", isRequired: true }],
  input: z.object({ yes: z.literal(true) }),
  async run({ db }) {
    await allowDeletionOfMost(db);
    return { text: "The next sweep deletes the objects that uploads check names.", value: { allowed: true } };
  },
});

const uploadsKeepUnknown = command({
  name: "uploads keep-unknown",
  summary: "After a restore without foyer import: keep the objects that the database does not know",
  details: "They get rows instead of being deleted. The next sweep of the store is in two days.",
  input: z.object({}),
  async run(services) {
    await restartStoreSweep(services.db, services);
    return { text: "The objects that have no row now will not be deleted.", value: { kept: true } };
  },
});

/** What operators do with events, limits and files. */
export const OTHER_COMMANDS: Command[] = [
  setupLink,
  events,
  limitsList,
  limitsClear,
  uploadsCheck,
  uploadsDeleteMost,
  uploadsKeepUnknown,
];
