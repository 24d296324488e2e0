import type { Transaction } from "kysely";
import type { Database } from "../../../db/schema.ts";
import type { Client } from "../../activity/client.ts";
import { type Actor, recordEvents } from "../../activity/events.ts";

/** Whose passkeys to remove, and why. */
export interface PasskeyPurge {
  userId: string;
  /** Only those that were added since then. */
  since?: Date;
  /** "not_me", "unverified", "factor_reset", or the words of an admin. */
  reason: string;
  client: Client | null;
  /** Who removes them, if it is an admin. */
  by?: Actor;
  now: Date;
}

/**
 * Removes passkeys that someone else may have added, or that their owner has lost, and records it. The caller holds the
 * user's lock, and ends the trust in devices, with all access or all factors.
 */
export async function purgePasskeys(
  trx: Transaction<Database>,
  { userId, since, reason, client, by, now }: PasskeyPurge,
): Promise<void> {
  const removed = await trx.deleteFrom("passkeys").where("user_id", "=", userId)
    .$if(since !== undefined, (query) => query.where("created_at", ">=", since!)).returning("name").execute();
  const events = removed.map(({ name }) => ({
    kind: "passkey.removed" as const,
    userId,
    client,
    details: { name, reason },
    ...by,
  }));
  await recordEvents(trx, events, now);
}
