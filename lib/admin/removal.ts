import { closeAccountOf, keepAccountOf } from "../accounts/account_closing.ts";
import { deleteAccountNow } from "../accounts/account_deletion.ts";
import { isProgram } from "../activity/events.ts";
import { DAY_SECONDS } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import type { Services } from "../services/services.ts";
import { type AdminAct, getAccountId } from "./locked_account.ts";

/** Returns for how many days the owner of an account that is closed can keep it. */
export function graceDays({ config }: Pick<Services, "config">): number {
  return config.deletionGraceSeconds / DAY_SECONDS;
}

/**
 * Closes an account, whose owner can still keep it for DELETION_GRACE_DAYS, or deletes it at once.
 *
 * @returns when it will be deleted; null if it has been.
 * @throws {AppError} NOT_FOUND; LAST_ADMIN; SESSION_REQUIRED for a program that deletes at once.
 */
export async function removeUser(
  services: Services,
  { who, by, reason, now }: AdminAct & { reason: string; now: boolean },
): Promise<Date | null> {
  if (now && isProgram(by)) throw new AppError("SESSION_REQUIRED");
  const userId = await getAccountId(services.db, who);
  if (!now) return await closeAccountOf(services, { userId, by, reason });
  await deleteAccountNow(services, { userId, by, reason });
  return null;
}

/**
 * Undoes the closing of an account, until its deletion begins.
 *
 * @returns whether it was closing.
 * @throws {AppError} NOT_FOUND.
 */
export async function keepUser(
  services: Services,
  { who, by, reason }: AdminAct & { reason: string },
): Promise<boolean> {
  return await keepAccountOf(services, { userId: await getAccountId(services.db, who), by, reason });
}
