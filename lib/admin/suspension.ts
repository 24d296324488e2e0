import { endAccess } from "../access/access_end.ts";
import { recordEvent } from "../activity/events.ts";
import { voidCodes } from "../mail/links/emailed_code.ts";
import { voidLinks } from "../mail/links/emailed_token.ts";
import type { Services } from "../services/services.ts";
import { voidFactorResets } from "../sign_in/second_factor/factor_removal.ts";
import { updateUser } from "../users/user_changes.ts";
import { type AdminAct, lockAccount, reasonIn } from "./locked_account.ts";

/**
 * Suspends an account. Its sessions, tokens and waiting sign-ins end and its emailed links and codes are void, so that
 * nothing of them comes back with the account. An account that is suspended already keeps its date and reason.
 *
 * @returns whether it was not suspended before.
 * @throws {AppError} NOT_FOUND; LAST_ADMIN.
 */
export async function suspendUser(services: Services, act: AdminAct & { reason: string }): Promise<boolean> {
  const { by, reason } = act;
  const now = services.now();
  return await services.db.transaction().execute(async (trx) => {
    const { id, suspended_at: suspendedAt } = await lockAccount(trx, act);
    if (suspendedAt !== null) return false;
    await updateUser(trx, { id, now }, { suspended_at: now, suspension_reason: reason });
    await recordEvent(trx, { kind: "account.suspended", userId: id, ...by, details: { reason } }, now);
    await endAccess(trx, { userId: id }, { reason: "account_suspended", client: null, by, now });
    await voidLinks(
      trx,
      id,
      "email_verification_tokens",
      "password_reset_tokens",
      "login_link_tokens",
      "not_me_tokens",
    );
    await voidFactorResets(trx, id);
    await voidCodes(trx, id);
    return true;
  });
}

/**
 * Lifts the suspension of an account. Its owner can log in again.
 *
 * @returns whether it was suspended.
 * @throws {AppError} NOT_FOUND.
 */
export async function unsuspendUser(services: Services, act: AdminAct): Promise<boolean> {
  const now = services.now();
  return await services.db.transaction().execute(async (trx) => {
    const { id, suspended_at: suspendedAt } = await lockAccount(trx, act);
    if (suspendedAt === null) return false;
    await updateUser(trx, { id, now }, { suspended_at: null, suspension_reason: null });
    await recordEvent(trx, { kind: "account.unsuspended", userId: id, ...act.by, details: reasonIn(act) }, now);
    return true;
  });
}
