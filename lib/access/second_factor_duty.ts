import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Db } from "../../db/schema.ts";
import { recordEvent } from "../activity/events.ts";
import type { Config } from "../config/config.ts";
import { secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { admits, groupNamesAt } from "../groups/membership.ts";
import type { Services } from "../services/services.ts";
import { setSecondFactorDue } from "../users/user_changes.ts";
import type { User } from "../users/user_row.ts";

/** That SECOND_FACTOR demands a second factor of someone. */
export interface SecondFactorDuty {
  /** The date as the settings say. */
  firstDueAt: Date | null;
  /** By when they must have one, with what an admin has added. Null until a session of theirs is used. */
  dueAt: Date | null;
  /** An authenticator app, or a passkey. */
  hasFactor: boolean;
  hasPasskey: boolean;
  /** Whether the date has passed and they have none. */
  isOverdue: boolean;
}

/** Whom to ask about. The role is that of the person, whatever their API token may do. */
type Person = Pick<User, "id" | "role">;
type UsedServices = Pick<Services, "config" | "db" | "now">;

const selectFacts = prepare((db, { userId, now }: Placeholders<{ userId: string; now: Date }>) =>
  db.selectFrom("users").select((eb) => [
    "role",
    "second_factor_due_at",
    "second_factor_extended_until",
    eb.exists(
      eb.selectFrom("totp_secrets").select("user_id").whereRef("user_id", "=", "users.id")
        .where("enabled_at", "is not", null),
    ).as("hasTotp"),
    eb.exists(eb.selectFrom("passkeys").select("id").whereRef("passkeys.user_id", "=", "users.id")).as("hasPasskey"),
    eb.exists(
      eb.selectFrom("first_admin").select("id").whereRef("first_admin.assumed_user_id", "=", "users.id"),
    ).as("isAddressAssumed"),
    groupNamesAt(now).as("groupNames"),
  ]).where("id", "=", userId)
);

/**
 * Finds out whether someone must have a second factor, by when, and whether they have one. Everything that
 * SECOND_FACTOR demands follows from this. Where it says nothing about a person, there is no query.
 *
 * @param person without a role, it is looked up.
 * @returns null if they need none.
 */
export async function findSecondFactorDuty(
  { config: { secondFactor: policy }, db, now }: UsedServices,
  { id, role }: Pick<Person, "id"> & Partial<Person>,
): Promise<SecondFactorDuty | null> {
  if (policy === null) return null;
  if (!policy.everyone && policy.groups.length === 0 && role !== undefined && role !== "admin") return null;
  const [row] = await selectFacts(db, { userId: id, now: now() });
  if (row === undefined) return null;
  if (!isReached(row, policy)) return null;
  const { second_factor_due_at: firstDueAt, second_factor_extended_until: extended } = row;
  const dueAt = firstDueAt !== null && extended !== null && extended > firstDueAt ? extended : firstDueAt;
  const hasPasskey = Boolean(row.hasPasskey);
  const hasFactor = hasPasskey || Boolean(row.hasTotp);
  // Before any email has arrived, the first admin could set nothing up: that takes an emailed code.
  const isOverdue = !hasFactor && !row.isAddressAssumed && dueAt !== null && dueAt <= now();
  return { firstDueAt, dueAt, hasFactor, hasPasskey, isOverdue };
}

/** That someone has no second factor, and SECOND_FACTOR or an app that they may use demands one. */
export interface MissingFactor {
  /** Whether an admin has given them time in which the way by which they log in is proof enough to set one up. */
  isExtended: boolean;
}

/** Finds out whether someone lacks the second factor that is demanded of them. Null if not. */
export async function findMissingFactor(
  services: UsedServices,
  { id }: Pick<Person, "id">,
): Promise<MissingFactor | null> {
  const { config: { secondFactor, registrations }, db, now } = services;
  const clients = [...registrations?.clients.values() ?? []].filter(({ requiresSecondFactor }) => requiresSecondFactor);
  if (secondFactor === null && clients.length === 0) return null;
  const [row] = await selectFacts(db, { userId: id, now: now() });
  if (row === undefined || row.hasTotp || row.hasPasskey) return null;
  if (!isReached(row, secondFactor) && !clients.some((client) => admits(client, row.groupNames))) return null;
  const { second_factor_extended_until: extended } = row;
  return { isExtended: extended !== null && extended > now() };
}

/** Whether SECOND_FACTOR names someone. */
export function isReached(
  { role, groupNames }: { role: User["role"]; groupNames: string[] },
  policy: Config["secondFactor"],
): boolean {
  return policy !== null && (policy.everyone || (policy.admins && role === "admin") ||
    policy.groups.some((name) => groupNames.includes(name)));
}

/** Whether someone must set up a second factor before anything acts for them. */
export async function isSecondFactorOverdue(services: UsedServices, person: Person): Promise<boolean> {
  return (await findSecondFactorDuty(services, person))?.isOverdue ?? false;
}

/**
 * The same for the person of a session. Their first request starts the time that they have. A shorter time in the
 * settings brings the date nearer; nothing moves it away, nor does a policy that reaches them again.
 */
export async function isSessionWaiting(services: Services, person: Person): Promise<boolean> {
  const duty = await findSecondFactorDuty(services, person);
  if (duty === null) return false;
  const { config, db, now } = services;
  const latest = secondsAfter(now(), config.secondFactorGraceSeconds);
  if (duty.firstDueAt !== null && duty.firstDueAt <= latest) return duty.isOverdue;
  await db.transaction().execute(async (trx) => {
    if (!await setSecondFactorDue(trx, { id: person.id, dueAt: latest })) return;
    const details = { dueAt: latest.toISOString() };
    await recordEvent(trx, { kind: "second_factor.required", userId: person.id, client: null, details }, now());
  });
  return latest <= now() && await isSecondFactorOverdue(services, person);
}

/**
 * Requires that the account still has a second factor, if it must have one. Call it after removing one, in the same
 * transaction.
 *
 * @throws {AppError} LAST_SECOND_FACTOR.
 */
export async function requireSecondFactor(db: Db, services: UsedServices, person: Person): Promise<void> {
  const duty = await findSecondFactorDuty({ ...services, db }, person);
  if (duty !== null && !duty.hasFactor) throw new AppError("LAST_SECOND_FACTOR");
}
