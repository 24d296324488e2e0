import { z } from "zod";
import { GROUP_NAME } from "../config/registered_client.ts";
import { issueMessage } from "../errors/problem.ts";
import { notLonger, notShorter, ONE_LINE, type Rule, type TextRules } from "../schemas/rules.ts";
import { text } from "../schemas/text.ts";
import { Amount, EntityId, like, listOf, one } from "../schemas/views.ts";

/** With names of 40 characters, the groups of a person fit into a header of 2,100 bytes. */
export const GROUPS_OF_PERSON_MAX = 50;
export const GROUPS_MAX = 1_000;

const IS_NAME: Rule = { problem: { rule: "groupName" }, holds: (name) => GROUP_NAME.test(name) };

/** The name of a group, which never changes. */
export const GroupName = text({ gate: [IS_NAME], rules: [] }, { pattern: GROUP_NAME.source, sample: "staff" });

/** What people read instead of the name. */
export const GROUP_TITLE: TextRules = { gate: [notLonger(100), ONE_LINE], rules: [notShorter(1)] };

export const GroupSchema = z.object({ title: text(GROUP_TITLE, { sample: "Staff" }) });

/** The form that creates a group, or gives it another title. */
export const GroupFormSchema = z.object({ groupName: GroupName, groupTitle: GroupSchema.shape.title });

/** The query of the page of groups. */
export const GroupPageSchema = z.object({ group: GroupName.optional() });

/** The group that a path names. */
export const NamedGroup = z.object({ name: GroupName });

/** The groups of a list. One that is named twice counts once. */
export const GroupNames = z.array(GroupName, {
  error: ({ input }) => issueMessage({ rule: input === undefined ? "required" : "groupList" }),
}).max(GROUPS_OF_PERSON_MAX, issueMessage({ rule: "tooMany" })).transform((names) => [...new Set(names)]);

/** A group. */
export const GroupView = z.object({
  name: like("staff"),
  title: like("Staff"),
  members: Amount.meta({ description: "How many people are in it; 1000 also stands for more" }),
});
export type GroupView = z.infer<typeof GroupView>;

/** Someone in a group. */
export const MemberView = z.object({
  id: EntityId,
  name: like("Ada Lovelace"),
  email: like("ada@example.com").meta({ description: 'Empty ("") for an app that may not see addresses' }),
  sources: z.array(like("admin")).meta({
    description: "Who says so: `admin`, `provider:` and the key of a provider, or `client:` and the id of an app",
  }),
});
export type MemberView = z.infer<typeof MemberView>;

export const GroupList = z.object({ data: z.array(GroupView) });
export const OneGroup = one(GroupView);
export const MemberList = listOf(MemberView);
