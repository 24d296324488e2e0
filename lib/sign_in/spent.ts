import type { Db } from "../../db/schema.ts";

/**
 * Spends what works once: the challenge of a passkey, or an attempt at a provider. Of several concurrent calls, exactly
 * one returns true. The row stays until the spent thing has expired.
 *
 * @param id identifies what is spent: 256 bits, base64url.
 */
export async function spendOnce(db: Db, { id, expiresAt }: { id: string; expiresAt: Date }): Promise<boolean> {
  const spent = await db.insertInto("spent_challenges").values({ id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing()).returning("id").executeTakeFirst();
  return spent !== undefined;
}
