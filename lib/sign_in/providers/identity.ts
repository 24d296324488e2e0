import { type Identity, listIdentities } from "../../accounts/identities.ts";
import { eventBy, lockPrincipal, type Principal } from "../../access/principal.ts";
import { recordEvent } from "../../activity/events.ts";
import { AppError } from "../../errors/errors.ts";
import type { Services } from "../../services/services.ts";
import { dropProviderGroups } from "../../groups/provider_groups.ts";
import { requireRecentProof } from "../proof.ts";
import { requireWayIn } from "../way_in.ts";
import { removeIdentities } from "./identity_store.ts";

/**
 * Returns the principal's identity at a provider.
 *
 * @throws {AppError} NOT_FOUND.
 */
export async function getIdentity(
  { db }: Pick<Services, "db">,
  { user }: Principal,
  provider: string,
): Promise<Identity> {
  const identity = (await listIdentities(db, user.id)).find((each) => each.provider === provider);
  if (identity === undefined) throw identityNotFound();
  return identity;
}

/**
 * Removes a login with an identity provider from an account. The user's lock settles races with other changes of how
 * the account is protected.
 *
 * @throws {AppError} REAUTHENTICATION_REQUIRED; NOT_FOUND when the account has no such identity; LAST_SIGN_IN_METHOD
 * when it is the only way in; UNAUTHENTICATED when the session has ended in the meantime.
 */
export async function unlinkIdentity(services: Services, principal: Principal, id: string): Promise<void> {
  await requireRecentProof(services, principal);
  await services.db.transaction().execute(async (trx) => {
    const now = services.now();
    const user = await lockPrincipal(trx, principal, now);
    const [provider] = await removeIdentities(trx, user.id, { id }, now);
    if (provider === undefined) throw identityNotFound();
    await dropProviderGroups(trx, { providers: [provider], event: eventBy(principal), now });
    await requireWayIn(trx, { ...services, user }, provider);
    await recordEvent(trx, { ...eventBy(principal), kind: "identity.unlinked", details: { provider } }, now);
  });
}

function identityNotFound(): AppError {
  return new AppError("NOT_FOUND", { reason: "identity" });
}
