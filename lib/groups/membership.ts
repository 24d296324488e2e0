import { type Expression, sql, type Transaction } from "kysely";
import { v7 } from "uuid";
import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Database, Db } from "../../db/schema.ts";
import { type AccountEvent, type Actor, recordEvents } from "../activity/events.ts";
import { SERVICE_PREFIX } from "../config/registered_client.ts";
import { AppError, validationFailed } from "../errors/errors.ts";
import type { Services } from "../services/services.ts";
import { lockForAct } from "../users/user_lock.ts";
import { GroupName, GROUPS_OF_PERSON_MAX } from "./schema.ts";

/** The source of memberships that an admin sets. */
export const ADMIN_SOURCE = "admin";

/** A group that a person is in, and who says so. */
export interface Membership {
  name: string;
  title: string;
  sources: string[];
}

export interface GroupMember {
  id: string;
  name: string;
  email: string;
  sources: string[];
}

/** Which groups an admin, or an app, has chosen for someone, and who acts. */
export interface GroupChoice {
  userId: string;
  groups: string[];
  by: Actor;
  /** Why, for other operators. It becomes part of the events. */
  reason: string;
}

/**
 * Sets the groups of someone as far as admins say so. What a provider says stays.
 *
 * @returns whether anything has changed.
 * @throws {AppError} NOT_FOUND; VALIDATION_FAILED for a group that does not exist; TOO_MANY.
 */
export async function setGroups(services: Services, { userId, groups, by, reason }: GroupChoice): Promise<boolean> {
  return await services.db.transaction().execute(async (trx) => {
    await lockMember(trx, { userId, by });
    return await chooseGroups(trx, { userId, groups, by, reason, now: services.now() });
  });
}

/**
 * Sets the groups of someone as far as another source says so, which decides only among some groups.
 *
 * @throws {AppError} NOT_FOUND; VALIDATION_FAILED for a group that does not exist; TOO_MANY.
 */
export async function setGroupsOfSource(
  services: Services,
  { source, among, ...choice }: GroupChoice & { source: string; among: string[] },
): Promise<boolean> {
  return await services.db.transaction().execute(async (trx) => {
    await lockMember(trx, choice);
    const others = (await namesBySource(trx, { userId: choice.userId, source })).filter((name) =>
      !among.includes(name)
    );
    const groups = [...others, ...choice.groups];
    return await chooseGroups(trx, { ...choice, groups, source, now: services.now() });
  });
}

/**
 * Adds someone to one group, or removes them from it, as {@linkcode setGroups} does. Removing also ends what apps have
 * said: the app may be gone.
 */
export async function setGroup(
  services: Services,
  { group, isMember, ...choice }: Omit<GroupChoice, "groups"> & { group: string; isMember: boolean },
): Promise<boolean> {
  return await services.db.transaction().execute(async (trx) => {
    await lockMember(trx, choice);
    await requireGroups(trx, [group]);
    const { userId } = choice;
    const now = services.now();
    const sources = isMember ? [ADMIN_SOURCE] : await removableSources(trx, { userId, group });
    const changes: boolean[] = [];
    for (const source of sources) {
      const others = (await namesBySource(trx, { userId, source })).filter((name) => name !== group);
      const groups = isMember ? [...others, group] : others;
      changes.push(await chooseGroups(trx, { ...choice, groups, source, now }));
    }
    return changes.includes(true);
  });
}

/** Whether an admin can remove what a source has said. A provider would say it again at the next login. */
export function isRemovable(source: string): boolean {
  return source === ADMIN_SOURCE || source.startsWith(SERVICE_PREFIX);
}

async function removableSources(trx: Transaction<Database>, of: { userId: string; group: string }): Promise<string[]> {
  const rows = await trx.selectFrom("group_members").select("source").where("user_id", "=", of.userId)
    .where("group_name", "=", of.group).orderBy("source").execute();
  return rows.map(({ source }) => source).filter(isRemovable);
}

async function lockMember(trx: Transaction<Database>, { userId, by }: Pick<GroupChoice, "userId" | "by">) {
  await lockForAct(trx, { userId, by });
  const user = await trx.selectFrom("users").select("id").where("id", "=", userId).executeTakeFirst();
  if (user === undefined) throw new AppError("NOT_FOUND", { reason: "user" });
}

async function chooseGroups(
  trx: Transaction<Database>,
  { userId, groups, by, reason, source = ADMIN_SOURCE, now }: GroupChoice & { source?: string; now: Date },
): Promise<boolean> {
  await requireGroups(trx, groups);
  const event = { ...by, userId };
  const hasChanged = await replaceMemberships(trx, { event, source, names: groups, reason, now });
  if ((await groupNamesOf(trx, { userId, now })).length > GROUPS_OF_PERSON_MAX) {
    throw new AppError("TOO_MANY", { reason: "groupsOfPerson", max: GROUPS_OF_PERSON_MAX });
  }
  return hasChanged;
}

/** What a source says about someone, and the request by which it does. */
export interface MembershipChange {
  event: Omit<AccountEvent, "kind" | "details">;
  source: string;
  names: string[];
  reason?: string;
  /** When the source must have repeated it; by default never. */
  expiresAt?: Date;
  now: Date;
}

/**
 * Makes the groups of someone equal to what a source says, and records who joined and left. The caller holds the lock
 * of the user.
 *
 * @returns whether anything but the expiry has changed.
 */
export async function replaceMemberships(
  trx: Transaction<Database>,
  { event, source, names, reason, expiresAt, now }: MembershipChange,
): Promise<boolean> {
  const { userId } = event;
  const before = await namesBySource(trx, { userId, source });
  const joined = names.filter((name) => !before.includes(name));
  const left = before.filter((name) => !names.includes(name));
  const ofSource = { user_id: userId, source };
  if (left.length > 0) {
    await trx.deleteFrom("group_members").where((eb) => eb.and(ofSource)).where("group_name", "in", left).execute();
  }
  if (expiresAt !== undefined) {
    await trx.updateTable("group_members").set({ expires_at: expiresAt }).where((eb) => eb.and(ofSource)).execute();
  }
  if (joined.length > 0) {
    const row = { ...ofSource, created_at: now, expires_at: expiresAt ?? null };
    await trx.insertInto("group_members").values(joined.map((name) => ({ ...row, id: v7(), group_name: name })))
      .execute();
  }
  const details = (group: string) => ({ group, source, ...reason !== undefined && { reason } });
  const events = [
    ...joined.map((group) => ({ ...event, kind: "group.joined" as const, details: details(group) })),
    ...left.map((group) => ({ ...event, kind: "group.left" as const, details: details(group) })),
  ];
  await recordEvents(trx, events, now);
  return joined.length + left.length > 0;
}

async function namesBySource(trx: Transaction<Database>, of: { userId: string; source: string }): Promise<string[]> {
  const rows = await trx.selectFrom("group_members").select("group_name").where("user_id", "=", of.userId)
    .where("source", "=", of.source).execute();
  return rows.map(({ group_name }) => group_name);
}

/**
 * Keeps the groups from being deleted until the transaction ends.
 *
 * @throws {AppError} VALIDATION_FAILED if there is no such group.
 */
export async function requireGroups(trx: Transaction<Database>, names: string[]): Promise<void> {
  if (names.length === 0) return;
  await trx.selectFrom("groups").select("name").where("name", "in", names).orderBy("name").forKeyShare().execute();
  const [unknown] = await findUnknownGroups(trx, names);
  if (unknown !== undefined) throw validationFailed({ groups: [{ rule: "unknownGroup", group: unknown }] });
}

/** Returns the names of which there is no group. Texts that can be no names are left out. */
export async function findUnknownGroups(db: Db, names: string[]): Promise<string[]> {
  const possible = names.filter((name) => GroupName.safeParse(name).success);
  if (possible.length === 0) return [];
  const rows = await db.selectFrom("groups").select("name").where("name", "in", possible).execute();
  return possible.filter((name) => !rows.some((row) => row.name === name));
}

const selectGroupNames = prepare((db, { userId, now }: Placeholders<{ userId: string; now: Date }>) =>
  db.selectFrom("group_members").select("group_name").distinct().where("user_id", "=", userId)
    .where(isCurrent(now)).orderBy("group_name")
);

/** Returns the names of the groups that a person is in, in their order. */
export async function groupNamesOf(db: Db, person: { userId: string; now: Date }): Promise<string[]> {
  return (await selectGroupNames(db, person)).map(({ group_name }) => group_name);
}

/** Returns the groups that a person is in, by name. */
export async function listGroupsOf(db: Db, { userId, now }: { userId: string; now: Date }): Promise<Membership[]> {
  return await db.selectFrom("group_members").innerJoin("groups", "groups.name", "group_name")
    .select(["groups.name", "title", sources.as("sources")])
    .where("user_id", "=", userId).where(isCurrent(now)).groupBy(["groups.name", "title"]).orderBy("groups.name")
    .execute();
}

/** Lists the people in a group, the newest accounts first. `next` is the `after` of the next page, or null. */
export async function listMembers(
  db: Db,
  { name, now, limit, after }: { name: string; now: Date; limit: number; after?: string },
): Promise<{ members: GroupMember[]; next: string | null }> {
  const rows = await db.selectFrom("group_members").innerJoin("users", "users.id", "user_id")
    .select(["users.id", "users.name", "users.email", sources.as("sources")])
    .where("group_name", "=", name).where(isCurrent(now))
    .$if(after !== undefined, (members) => members.where("user_id", "<", after!))
    .groupBy("users.id").orderBy("users.id", "desc").limit(limit + 1).execute();
  const members = rows.slice(0, limit);
  return { members, next: rows.length > limit ? members.at(-1)!.id : null };
}

const sources = sql<string[]>`array_agg(source order by source)`;

/** Selects the names of the groups that the person in a row of `users` is in at a time, in their order. */
export function groupNamesAt(now: Expression<Date>) {
  return sql<string[]>`array(
    select distinct group_name from group_members
    where user_id = users.id and (expires_at is null or expires_at > ${now}) order by group_name
  )`;
}

/** Whether members of these groups may use something. */
export function admits({ groups: admitted }: { groups: readonly string[] }, groups: readonly string[]): boolean {
  return admitted.length === 0 || admitted.some((name) => groups.includes(name));
}

/** Whether a membership counts at a time. */
export function isCurrent(now: Date | Expression<Date>) {
  return sql<boolean>`(expires_at is null or expires_at > ${now})`;
}
