import { sendAlert } from "../../mail/links/alert.ts";
import { eventBy, lockPrincipal, type Principal } from "../../access/principal.ts";
import { requireSecondFactor } from "../../access/second_factor_duty.ts";
import { recordEvent } from "../../activity/events.ts";
import { endTrust } from "../../activity/trusted_device.ts";
import type { Services } from "../../services/services.ts";
import { requireRecentProof } from "../proof.ts";
import { requireWayIn } from "../way_in.ts";
import { passkeyNotFound, requirePasskeyId } from "./passkey.ts";

/**
 * Removes one of the principal's passkeys, and alerts its owner. The user's lock settles races with other changes of
 * how the account is protected.
 *
 * @throws {AppError} REAUTHENTICATION_REQUIRED; NOT_FOUND for an unknown passkey or another user's; LAST_SIGN_IN_METHOD
 * when it is the only way in; LAST_SECOND_FACTOR; UNAUTHENTICATED when the session has ended in the meantime.
 */
export async function removePasskey(services: Services, principal: Principal, id: string): Promise<void> {
  await requireRecentProof(services, principal);
  requirePasskeyId(id);
  const { user: { id: userId }, client } = principal;
  await services.db.transaction().execute(async (trx) => {
    const now = services.now();
    const user = await lockPrincipal(trx, principal, now);
    const removed = await trx.deleteFrom("passkeys").where("user_id", "=", userId).where("id", "=", id)
      .returning("name").executeTakeFirst();
    if (removed === undefined) throw passkeyNotFound();
    await requireWayIn(trx, { ...services, user });
    await requireSecondFactor(trx, services, principal.user);
    await endTrust(trx, userId);
    await sendAlert(trx, services, { kind: "passkey_removed", userId, client, now });
    await recordEvent(trx, { ...eventBy(principal), kind: "passkey.removed", details: { name: removed.name } }, now);
  });
}
