import { findMissingFactor, findSecondFactorDuty } from "../access/second_factor_duty.ts";
import { recordEvent } from "../activity/events.ts";
import { sendAlert } from "../mail/links/alert.ts";
import { DAY_SECONDS, secondsAfter } from "../duration.ts";
import type { Services } from "../services/services.ts";
import { purgePasskeys } from "../sign_in/passkeys/passkey_purge.ts";
import { removeFactors } from "../sign_in/second_factor/factor_removal.ts";
import { extendSecondFactorTime } from "../users/user_changes.ts";
import { type AdminAct, lockAccount } from "./locked_account.ts";

/** The owner learns what has happened, but not from where. */
const UNNAMED_CLIENT = { address: "", userAgent: null };

/**
 * Removes the second factors of an account whose owner has lost them: the authenticator app and the recovery codes.
 * Passkeys stay, except where SECOND_FACTOR demands one at every login. An alert says so to the owner.
 *
 * @returns whether there was one to remove.
 * @throws {AppError} NOT_FOUND.
 */
export async function resetFactors(services: Services, act: AdminAct & { reason: string }): Promise<boolean> {
  const now = services.now();
  const { by, reason } = act;
  return await services.db.transaction().execute(async (trx) => {
    const { id: userId } = await lockAccount(trx, act);
    const duty = await findSecondFactorDuty({ ...services, db: trx }, { id: userId });
    const hadPasskey = duty?.hasPasskey ?? false;
    if (hadPasskey) {
      await purgePasskeys(trx, { userId, reason, client: null, by, now });
      await sendAlert(trx, services, { kind: "passkey_removed", userId, client: UNNAMED_CLIENT, now });
    }
    if (!await removeFactors(trx, userId)) return hadPasskey;
    await recordEvent(trx, { kind: "totp.disabled", userId, ...by, details: { reason } }, now);
    await sendAlert(trx, services, { kind: "totp_removed_by_operator", userId, client: UNNAMED_CLIENT, now });
    return true;
  });
}

/**
 * Gives someone more time to set up the second factor that they lack. The way by which they log in is then proof
 * enough: someone whose mailbox no longer works can prove nothing else. The admin must know who asks, so nobody gives
 * time to themselves: the password of an admin would do for it.
 *
 * @returns whether one is missing, of someone else.
 * @throws {AppError} NOT_FOUND.
 */
export async function extendSecondFactor(services: Services, act: AdminAct & { reason: string }): Promise<boolean> {
  const now = services.now();
  const { by, reason } = act;
  return await services.db.transaction().execute(async (trx) => {
    const { id } = await lockAccount(trx, act);
    if (id === by.actorId || await findMissingFactor({ ...services, db: trx }, { id }) === null) return false;
    const until = secondsAfter(now, Math.max(services.config.secondFactorGraceSeconds, DAY_SECONDS));
    await extendSecondFactorTime(trx, { id, until });
    const details = { dueAt: until.toISOString(), reason };
    await recordEvent(trx, { kind: "second_factor.extended", userId: id, ...by, details }, now);
    return true;
  });
}
