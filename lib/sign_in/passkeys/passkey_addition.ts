import { v7 } from "uuid";
import type { Db } from "../../../db/schema.ts";
import { isUniqueViolation } from "../../../db/database_errors.ts";
import { sendAlert } from "../../mail/links/alert.ts";
import { eventBy, lockPrincipal, type Principal } from "../../access/principal.ts";
import { endSessionsWithoutFactor } from "../../access/session.ts";
import { recordEvent } from "../../activity/events.ts";
import { AppError, validationFailed } from "../../errors/errors.ts";
import type { NewPasskey } from "./schema.ts";
import type { Services } from "../../services/services.ts";
import { openChallenge } from "./challenge.ts";
import { spendOnce } from "../spent.ts";
import { type Passkey, PASSKEY_COLUMNS, passkeyOfRow } from "./passkey.ts";
import { challengeOf, verifyNewCredential } from "./webauthn.ts";

/** How many passkeys a user may have. */
export const MAX_PASSKEYS = 10;

/**
 * Adds a passkey to the principal's account, and alerts its owner. The challenge shows that the account has asked for
 * it after a recent proof, so no further proof is needed. The user's lock settles races with other additions.
 *
 * @throws {AppError} VALIDATION_FAILED, with `credential` in the details, when the passkey cannot be verified, its
 * challenge is spent, expired or another account's, or an account already has it; TOO_MANY; UNAUTHENTICATED when the
 * session has ended in the meantime.
 */
export async function addPasskey(
  services: Services,
  principal: Principal,
  { name, credential }: NewPasskey,
): Promise<Passkey> {
  const { db, config } = services;
  const { user: { id: userId }, client } = principal;
  const purpose = { addTo: userId };
  const challenge = await openChallenge(services, { text: challengeOf(credential), purpose });
  const created = challenge && await verifyNewCredential(config, { credential, challenge: challenge.text });
  if (created === null) throw credentialRefused("unverifiedPasskey");
  try {
    const row = await db.transaction().execute(async (trx) => {
      const now = services.now();
      await lockPrincipal(trx, principal, now);
      if (!await spendOnce(trx, challenge!)) throw credentialRefused("spentPasskey");
      await requireSpace(trx, userId);
      await endSessionsWithoutFactor(trx, services, principal);
      const row = await trx.insertInto("passkeys").values({
        // Without a given time, the ids of one process increase, and with them the order of the list.
        id: v7(),
        user_id: userId,
        credential_id: created.credentialId,
        public_key: created.publicKey,
        counter: created.counter,
        transports: credential.response.transports ?? [],
        name,
        backed_up: created.isBackedUp,
        created_at: now,
        last_used_at: null,
      }).returning(PASSKEY_COLUMNS).executeTakeFirstOrThrow();
      await sendAlert(trx, services, { kind: "passkey_added", userId, client, now });
      await recordEvent(trx, { ...eventBy(principal), kind: "passkey.added", details: { name } }, now);
      return row;
    });
    return passkeyOfRow(row);
  } catch (error) {
    throw isUniqueViolation(error) ? credentialRefused("knownPasskey") : error;
  }
}

function credentialRefused(rule: "unverifiedPasskey" | "spentPasskey" | "knownPasskey"): AppError {
  return validationFailed({ credential: [{ rule }] });
}

/**
 * Requires that the principal may have another passkey.
 *
 * @throws {AppError} TOO_MANY.
 */
export async function requirePasskeySpace({ db }: Pick<Services, "db">, { user }: Principal): Promise<void> {
  await requireSpace(db, user.id);
}

async function requireSpace(db: Db, userId: string): Promise<void> {
  const row = await db.selectFrom("passkeys").select((eb) => eb.fn.countAll().as("count")).where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  if (Number(row.count) >= MAX_PASSKEYS) throw new AppError("TOO_MANY", { reason: "passkeys", max: MAX_PASSKEYS });
}
