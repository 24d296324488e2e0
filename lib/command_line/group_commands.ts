import { z } from "zod";
import { COMMAND_LINE as by } from "../activity/events.ts";
import { getAccountId } from "../admin/locked_account.ts";
import { Reason } from "../admin/schema.ts";
import { deleteGroup, getGroup, listGroups, saveGroup } from "../groups/group.ts";
import { listMembers, setGroup } from "../groups/membership.ts";
import { GROUP_TITLE, GroupName } from "../groups/schema.ts";
import { text } from "../schemas/text.ts";
import { Id } from "../schemas/list.ts";
import type { Services } from "../services/services.ts";
import { type Command, command, type Report } from "./command.ts";
import { Limit, LIMIT_OPTION, REASON_OPTION, WHO, Who } from "./inputs.ts";
import { forPrograms, plain, table } from "./text.ts";

const NAME = { name: "the name of the group, such as staff" };
const NamedGroup = z.object({ name: GroupName });
const Membership = NamedGroup.extend({ who: Who, reason: Reason });

const list = command({
  name: "groups list",
  summary: "List the groups",
  input: z.object({}),
  async run({ db, now }) {
    const groups = await listGroups(db, now());
    const rows = groups.map(({ name, title, members }) => [name, title, String(members)]);
    return {
      text: rows.length === 0 ? "No groups." : table(["NAME", "TITLE", "PEOPLE"], rows),
      value: { data: groups },
    };
  },
});

const create = command({
  name: "groups create",
  summary: "Create a group, or give it another title",
  details: "The name stands in tokens and settings, and never changes. People read the title.",
  arguments: NAME,
  options: [{ flags: "--title <text>", description: "what people read (default: the name)" }],
  input: NamedGroup.extend({ title: text(GROUP_TITLE).optional() }),
  async run(services, { name, title = name }) {
    await saveGroup(services, { name, title, by });
    return { text: `The group ${name} is called “${plain(title)}”.`, value: { name, title } };
  },
});

const remove = command({
  name: "groups delete",
  summary: "Delete a group",
  details: "No one is in it any longer.",
  arguments: NAME,
  options: [{ flags: "--yes", description: "do it", isRequired: true }],
  input: NamedGroup.extend({ yes: z.literal(true) }),
  async run(services, { name }) {
    await deleteGroup(services, { name, by });
    return { text: `Deleted the group ${name}.`, value: { deleted: true } };
  },
});

const members = command({
  name: "groups members",
  summary: "List the people in a group, the newest accounts first",
  arguments: NAME,
  options: [LIMIT_OPTION, { flags: "--after <id>", description: "continue after this account" }],
  input: NamedGroup.extend({ limit: Limit, after: Id.optional() }),
  async run({ db, now }, { name, limit, after }) {
    await getGroup(db, { name, now: now() });
    const { members, next } = await listMembers(db, { name, now: now(), limit, after });
    const rows = members.map((member) => [member.email, member.name, member.sources.join(", "), member.id]);
    const shown = rows.length === 0 ? "Nobody is in it." : table(["EMAIL", "NAME", "BY", "ID"], rows);
    return {
      text: next === null ? shown : `${shown}\nThere are more: --after ${next}`,
      value: forPrograms({ data: members, next }),
    };
  },
});

const MEMBER = { ...NAME, ...WHO };

const add = command({
  name: "groups add",
  summary: "Put someone into a group",
  arguments: MEMBER,
  options: [REASON_OPTION],
  input: Membership,
  run: (services, input) => change(services, { ...input, isMember: true }),
});

const drop = command({
  name: "groups remove",
  summary: "Take someone out of a group",
  details: "What operators and apps have said ends. What a provider says stays.",
  arguments: MEMBER,
  options: [REASON_OPTION],
  input: Membership,
  run: (services, input) => change(services, { ...input, isMember: false }),
});

async function change(
  services: Services,
  { name: group, who, reason, isMember }: z.infer<typeof Membership> & { isMember: boolean },
): Promise<Report> {
  const userId = await getAccountId(services.db, who);
  const changed = await setGroup(services, { userId, group, isMember, reason, by });
  const text = isMember
    ? `${who} ${changed ? "is in" : "was already in"} the group ${group}.`
    : `${who} ${changed ? "is no longer in" : "was not put into"} the group ${group}.`;
  return { text, value: { changed } };
}

/** What operators do with groups. */
export const GROUP_COMMANDS: Command[] = [list, create, remove, members, add, drop];
