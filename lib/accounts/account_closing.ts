import type { Transaction } from "kysely";
import type { Database, UserRow } from "../../db/schema.ts";
import { type Actor, recordEvent } from "../activity/events.ts";
import { secondsAfter, unixSeconds } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import type { Services } from "../services/services.ts";
import { sendAlert } from "../mail/links/alert.ts";
import { sendEmail } from "../mail/links/send_email.ts";
import { eventBy, lockPrincipal, type Principal } from "../access/principal.ts";
import { endAccess } from "../access/access_end.ts";
import { updateUser } from "../users/user_changes.ts";
import { lockForAct } from "../users/user_lock.ts";

/**
 * Closes the account: all its sessions and API tokens end, other people no longer see it, and it will be deleted after
 * DELETION_GRACE_DAYS. Until then its owner can sign in and keep it. The caller checks the proof.
 *
 * @returns when the account will be deleted.
 * @throws {AppError} UNAUTHENTICATED when the session has ended or the user no longer exists; LAST_ADMIN.
 */
export async function closeAccount(services: Services, principal: Principal): Promise<Date> {
  const now = services.now();
  const { user: { id: userId }, client } = principal;
  return await services.db.transaction().execute(async (trx) => {
    const { deletion_due_at: dueAt } = await lockClosing(trx, userId);
    // A concurrent request has closed the account.
    if (dueAt !== null) return dueAt;
    await lockPrincipal(trx, principal, now);
    const newDueAt = closingDueAt(services);
    await updateUser(trx, { id: userId, now }, { deletion_due_at: newDueAt });
    await recordEvent(trx, { ...eventBy(principal), kind: "account.closing" }, now);
    await sendAlert(trx, services, { kind: "account_closing", userId, client, now, details: { dueAt: newDueAt } });
    await endAccess(trx, { userId }, { reason: "account_closing", client, now });
    return newDueAt;
  });
}

/**
 * Closes someone else's account, as {@linkcode closeAccount} does. The owner gets an email that names the day. It is no
 * alert: nothing was done with their account that they would have to secure it against.
 *
 * @returns when the account will be deleted.
 * @throws {AppError} NOT_FOUND, also when a user acts who is not an admin now; LAST_ADMIN.
 */
export async function closeAccountOf(
  services: Services,
  { userId, by, reason }: { userId: string; by: Actor; reason: string },
): Promise<Date> {
  const now = services.now();
  return await services.db.transaction().execute(async (trx) => {
    const row = await lockForOperator(trx, { userId, by });
    if (row.deletion_due_at !== null) return row.deletion_due_at;
    const newDueAt = closingDueAt(services);
    await updateUser(trx, { id: userId, now }, { deletion_due_at: newDueAt });
    await recordEvent(trx, { kind: "account.closing", userId, ...by, details: { reason } }, now);
    if (canKeepAccount(row)) {
      await sendEmail(trx, services, { kind: "closed_by_operator", user: row, facts: { dueAt: newDueAt }, now });
    }
    await endAccess(trx, { userId }, { reason: "account_closing", client: null, by, now });
    return newDueAt;
  });
}

/**
 * Keeps an account that is closing. Does nothing if it is not. Against the deletion, the lock of the row decides: the
 * account can be kept until the deletion begins.
 *
 * @throws {AppError} UNAUTHENTICATED when the session has ended or the deletion has begun.
 */
export async function restoreAccount(
  { db, now: currentTime }: Pick<Services, "db" | "now">,
  principal: Principal,
): Promise<void> {
  const now = currentTime();
  const { id } = principal.user;
  await db.transaction().execute(async (trx) => {
    const { deletion_due_at: dueAt, deletion_lease_ends_at: leaseEndsAt } = await lockClosing(trx, id);
    if (leaseEndsAt !== null) throw deleted();
    if (dueAt === null) return;
    await lockPrincipal(trx, principal, now);
    await updateUser(trx, { id, now }, { deletion_due_at: null });
    await recordEvent(trx, { ...eventBy(principal), kind: "account.kept" }, now);
  });
}

/**
 * Keeps someone else's account that is closing, as {@linkcode restoreAccount} does. Its sessions and tokens do not come
 * back. An email says so to the owner.
 *
 * @returns whether it was closing.
 * @throws {AppError} NOT_FOUND, also when the deletion has begun, or when a user acts who is not an admin now.
 */
export async function keepAccountOf(
  services: Services,
  { userId, by, reason }: { userId: string; by: Actor; reason: string },
): Promise<boolean> {
  const now = services.now();
  return await services.db.transaction().execute(async (trx) => {
    const row = await lockForOperator(trx, { userId, by });
    if (row.deletion_lease_ends_at !== null) throw new AppError("NOT_FOUND", { reason: "user" });
    if (row.deletion_due_at === null) return false;
    await updateUser(trx, { id: userId, now }, { deletion_due_at: null });
    await recordEvent(trx, { kind: "account.kept", userId, ...by, details: { reason } }, now);
    if (canKeepAccount(row)) await sendEmail(trx, services, { kind: "kept_by_operator", user: row, now });
    return true;
  });
}

/** Returns when an account that is closed now will be deleted. */
export function closingDueAt({ config, now }: Pick<Services, "config" | "now">): Date {
  return secondsAfter(now(), config.deletionGraceSeconds);
}

/** The fields that the API returns after the closing. */
export function closingView(dueAt: Date) {
  return { deletionDueAt: unixSeconds(dueAt) };
}

async function lockClosing(trx: Transaction<Database>, id: string) {
  const row = await lockRow(trx, id);
  if (row === undefined) throw deleted();
  return row;
}

async function lockForOperator(trx: Transaction<Database>, act: { userId: string; by: Actor }) {
  await lockForAct(trx, act);
  const row = await lockRow(trx, act.userId);
  if (row === undefined) throw new AppError("NOT_FOUND", { reason: "user" });
  return row;
}

/** Someone who is suspended cannot keep the account, and an address that is not confirmed may be someone else's. */
function canKeepAccount(row: Pick<UserRow, "email_verified" | "suspended_at">): boolean {
  return row.email_verified && row.suspended_at === null;
}

async function lockRow(trx: Transaction<Database>, id: string) {
  return await trx.selectFrom("users")
    .select(["id", "email", "email_verified", "suspended_at", "deletion_due_at", "deletion_lease_ends_at"])
    .where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
}

function deleted(): AppError {
  return new AppError("UNAUTHENTICATED", { reason: "account" });
}
