import type { Transaction } from "kysely";
import type { Database } from "../../../db/schema.ts";
import type { Credential } from "./schema.ts";
import type { Services } from "../../services/services.ts";
import { type OpenChallenge, openChallenge } from "./challenge.ts";
import { spendOnce } from "../spent.ts";
import { userHandleOf } from "./options.ts";
import { challengeOf, type VerifiedUse, verifyCredential } from "./webauthn.ts";

/** A passkey whose signature is right. Nothing is stored yet. */
export interface CheckedPasskey extends VerifiedUse {
  id: string;
  userId: string;
  challenge: OpenChallenge;
}

/** The result of using a passkey. `cloned`: its counter did not increase, so there is a copy of it. */
export type PasskeyOutcome = "used" | "spent" | "gone" | "cloned";

/**
 * Checks a credential that answers one of the challenges for proofs. An unknown passkey takes the same time as a wrong
 * signature.
 *
 * @returns null if anything about it is wrong.
 */
export async function checkPasskey(services: Services, credential: Credential): Promise<CheckedPasskey | null> {
  const { config, db } = services;
  const challenge = await openChallenge(services, { text: challengeOf(credential), purpose: "prove" });
  const row = await db.selectFrom("passkeys").select(["id", "user_id", "public_key"])
    .where("credential_id", "=", credential.id).executeTakeFirst();
  if (challenge === null) return null;
  const publicKey = row?.public_key ?? NO_ONES_KEY;
  const verified = await verifyCredential(config, { credential, challenge: challenge.text, publicKey });
  if (verified === null || row === undefined || !isFor(credential, row.user_id)) return null;
  return { ...verified, id: row.id, userId: row.user_id, challenge };
}

/** Authenticators return the user for whom they created the passkey. */
function isFor({ response: { userHandle } }: Credential, userId: string): boolean {
  return userHandle == null || userHandle === userHandleOf(userId);
}

/**
 * Spends the challenge and stores the counter. Call it in a transaction that holds the user's lock and commits whatever
 * it returns. One conditional update compares the counter, so that of two copies at most one passes. After 0, any
 * counter is right: many authenticators always send 0.
 */
export async function recordPasskeyUse(
  trx: Transaction<Database>,
  { id, challenge, counter, isBackedUp }: CheckedPasskey,
  now: Date,
): Promise<PasskeyOutcome> {
  if (!await spendOnce(trx, challenge)) return "spent";
  const updated = await trx.updateTable("passkeys").set({ counter, backed_up: isBackedUp, last_used_at: now })
    .where("id", "=", id)
    .where((eb) => eb.or([eb("counter", "<", counter), eb("counter", "=", 0)]))
    .returning("id").executeTakeFirst();
  if (updated !== undefined) return "used";
  const isThere = await trx.selectFrom("passkeys").select("id").where("id", "=", id).executeTakeFirst();
  return isThere === undefined ? "gone" : "cloned";
}

/** An ES256 key that no authenticator has, as COSE. */
const NO_ONES_KEY =
  "pQECAyYgASFYIE6ShaBROwxS0WNU8os44ZkqS6kcdpCmEpbDW0iYV5ZVIlgg-QvfkL9mjgl9AnuNq19I2EoW5efkZ0T-Vlu2t48CGIs";
