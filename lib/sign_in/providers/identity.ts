import { DEFAULT_IDENTITY } from "../../accounts/account.ts";
import { eventBy, lockPrincipal, type Principal } from "../../accounts/sessions/principal.ts";
import { recordEvent } from "../../activity/events.ts";
import { AppError } from "../../errors.ts";
import type { Services } from "../../services.ts";
import { requireRecentProof } from "../proof.ts";

/**
 * Removes a login with an identity provider from an account. The user's lock settles races with other changes of how the
 * account is protected.
 *
 * @throws {AppError} REAUTHENTICATION_REQUIRED; NOT_FOUND when the account has no such identity; LAST_SIGN_IN_METHOD when
 * it has no password; UNAUTHENTICATED when the session has ended in the meantime.
 */
export async function unlinkIdentity(services: Services, principal: Principal, id: string): Promise<void> {
  await requireRecentProof(services, principal);
  await services.db.transaction().execute(async (trx) => {
    const now = services.now();
    const { id: userId, password_hash: passwordHash } = await lockPrincipal(trx, principal, now);
    const unlinked = await trx.updateTable("users")
      .set({ idp_id: null, idp_linked_at: null, provider: "email", updated_at: now })
      .where("id", "=", userId).where("idp_id", "is not", null).returning("id").executeTakeFirst();
    if (id !== DEFAULT_IDENTITY || unlinked === undefined) throw new AppError("NOT_FOUND", "Identity not found");
    if (passwordHash === null) {
      throw new AppError("LAST_SIGN_IN_METHOD", "This is your only way to log in. Add a password first");
    }
    await recordEvent(trx, { ...eventBy(principal), kind: "identity.unlinked", details: { provider: id } }, now);
  });
}
