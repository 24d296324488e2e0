import { sql, type Transaction } from "kysely";
import type { Database, Db } from "../../db/schema.ts";
import { type Actor, recordEvent } from "../activity/events.ts";
import { findClientOfGroup } from "../clients/registrations.ts";
import type { Config } from "../config/config.ts";
import { AppError } from "../errors/errors.ts";
import type { Services } from "../services/services.ts";
import { lockForAct } from "../users/user_lock.ts";
import { isCurrent } from "./membership.ts";
import { GroupName, GROUPS_MAX } from "./schema.ts";

const LOCK = "foyer groups";
/** More members are not counted: with 1,000 groups, that would take seconds. */
export const COUNTED_MAX = 1_000;

export interface Group {
  name: string;
  title: string;
  /** At most {@linkcode COUNTED_MAX}. */
  members: number;
}

/** A group to act on, and who acts. */
export interface GroupAct {
  name: string;
  by: Actor;
  /** Why, for other operators. It becomes part of the event. */
  reason?: string;
}

/**
 * Returns the name of a group from a path.
 *
 * @throws {AppError} NOT_FOUND for what can be no name.
 */
export function groupNameIn({ name }: Record<string, string>): string {
  if (!GroupName.safeParse(name).success) throw groupNotFound();
  return name;
}

/** Lists all groups by name. */
export async function listGroups(db: Db, now: Date): Promise<Group[]> {
  return (await selectGroups(db, now).orderBy("name").execute()).map(toGroup);
}

/**
 * Returns a group.
 *
 * @throws {AppError} NOT_FOUND.
 */
export async function getGroup(db: Db, { name, now }: { name: string; now: Date }): Promise<Group> {
  const row = await selectGroups(db, now).where("name", "=", name).executeTakeFirst();
  if (row === undefined) throw groupNotFound();
  return toGroup(row);
}

/** Creates a group, or gives it another title. */
export async function saveGroup(services: Services, { name, title, by }: GroupAct & { title: string }): Promise<void> {
  const now = services.now();
  await services.db.transaction().execute(async (trx) => {
    const previous = await lockGroups(trx, { name, by });
    if (previous === title) return;
    if (previous === null) await insertGroup(trx, { name, title, now });
    else await trx.updateTable("groups").set({ title }).where("name", "=", name).execute();
    await recordChange(trx, { name, by, change: previous === null ? "created" : "renamed", now });
  });
}

/**
 * Deletes a group. No one is in it any longer.
 *
 * @throws {AppError} NOT_FOUND; GROUP_IN_USE.
 */
export async function deleteGroup(services: Services, { name, by, reason }: GroupAct): Promise<void> {
  await services.db.transaction().execute(async (trx) => {
    if (await lockGroups(trx, { name, by }) === null) throw groupNotFound();
    const user = groupsInUse(services.config).get(name)?.[0] ?? await findClientOfGroup(trx, name);
    if (user !== null) throw new AppError("GROUP_IN_USE", { by: user });
    await trx.deleteFrom("groups").where("name", "=", name).execute();
    await recordChange(trx, { name, by, reason, change: "deleted", now: services.now() });
  });
}

/** Something that names groups: a client, a resource, a provider or a setting. */
interface GroupUser {
  name: string;
  groups: string[];
}

/**
 * Returns the groups that settings name, each with what names it: a client of CLIENTS_FILE, a resource, a provider or
 * SECOND_FACTOR.
 */
export function groupsInUse(
  { registrations, providers, secondFactor }: Pick<Config, "registrations" | "providers" | "secondFactor">,
): Map<string, string[]> {
  return usersByGroup([
    ...[...registrations?.clients.values() ?? []].filter(({ isMadeHere }) => !isMadeHere)
      .map(({ name, groups, managedGroups }) => ({ name, groups: [...groups, ...managedGroups] })),
    ...registrations?.resources.values() ?? [],
    ...providers.map(({ name, groups: { pairs } }) => ({ name, groups: pairs.map(([, group]) => group) })),
    { name: "SECOND_FACTOR", groups: secondFactor?.groups ?? [] },
  ]);
}

/** Returns the names of the apps and APIs that groups open, by the group. Those for everyone are not among them. */
export function openedByGroups({ registrations }: Pick<Config, "registrations">): Map<string, string[]> {
  return usersByGroup([...registrations?.clients.values() ?? [], ...registrations?.resources.values() ?? []]);
}

function usersByGroup(users: GroupUser[]): Map<string, string[]> {
  const named = users.flatMap(({ name: user, groups }) => groups.map((group) => ({ group, user })));
  return new Map(
    [...Map.groupBy(named, ({ group }) => group)].map(([group, uses]) => [group, uses.map(({ user }) => user)]),
  );
}

/** Creates the groups that settings name. Call it at the start: an operator can then put people into them. */
export async function prepareGroups({ config, db, now, log }: Services): Promise<void> {
  const names = [...groupsInUse(config).keys()];
  if (names.length === 0) return;
  const created = await db.insertInto("groups").values(names.map((name) => ({ name, title: name, created_at: now() })))
    .onConflict((conflict) => conflict.doNothing()).returning("name").execute();
  if (created.length > 0) log("info", "groups created that settings name", { groups: created.map(({ name }) => name) });
}

/**
 * Locks the list of groups, so that it does not outgrow its limit, and the group, so that no client begins to name it.
 * Returns the title of the group, or null.
 */
async function lockGroups(trx: Transaction<Database>, { name, by }: GroupAct): Promise<string | null> {
  if (by.actorId) await lockForAct(trx, { userId: by.actorId, by });
  await sql`select pg_advisory_xact_lock(hashtext(${LOCK}))`.execute(trx);
  const row = await trx.selectFrom("groups").select("title").where("name", "=", name).forUpdate().executeTakeFirst();
  return row?.title ?? null;
}

async function insertGroup(db: Db, { name, title, now }: { name: string; title: string; now: Date }): Promise<void> {
  const { count } = await db.selectFrom("groups").select((eb) => eb.fn.countAll().as("count"))
    .executeTakeFirstOrThrow();
  if (Number(count) >= GROUPS_MAX) throw new AppError("TOO_MANY", { reason: "groups", max: GROUPS_MAX });
  await db.insertInto("groups").values({ name, title, created_at: now }).execute();
}

async function recordChange(
  trx: Transaction<Database>,
  { name, by, reason, change, now }: GroupAct & { change: string; now: Date },
): Promise<void> {
  const details = { group: name, change, ...reason !== undefined && { reason } };
  await recordEvent(trx, { kind: "group.changed", userId: null, ...by, details }, now);
}

function selectGroups(db: Db, now: Date) {
  return db.selectFrom("groups").select(["name", "title"]).select((eb) =>
    eb.selectFrom(
      eb.selectFrom("group_members").select("user_id").distinct().whereRef("group_name", "=", "groups.name")
        .where(isCurrent(now)).limit(COUNTED_MAX).as("counted"),
    ).select((counted) => counted.fn.countAll().as("members")).as("members")
  );
}

function toGroup({ name, title, members }: { name: string; title: string; members: unknown }): Group {
  return { name, title, members: Number(members) };
}

function groupNotFound(): AppError {
  return new AppError("NOT_FOUND", { reason: "group" });
}
