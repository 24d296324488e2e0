import type { Db } from "../../db/schema.ts";

/**
 * Finds the other account for which an address is reserved. An address that an account has replaced stays reserved
 * while the link of an alert to it can bring it back.
 *
 * Call it after the statement that takes the address. That statement waits for concurrent changes of the address, so
 * this one sees their reservations.
 */
export async function findReservation(
  db: Db,
  { email, userId, now }: { email: string; userId: string; now: Date },
): Promise<string | null> {
  const row = await db.selectFrom("not_me_tokens").select("user_id")
    .where("email", "=", email).where("user_id", "!=", userId)
    .where("used", "=", false).where("expires_at", ">", now).limit(1).executeTakeFirst();
  return row?.user_id ?? null;
}

/** Finds the addresses that are reserved for any account. Call it after the statement that takes them, too. */
export async function findReservedAddresses(db: Db, emails: string[], now: Date): Promise<Set<string>> {
  if (emails.length === 0) return new Set();
  const rows = await db.selectFrom("not_me_tokens").select("email")
    .where("email", "in", emails).where("used", "=", false).where("expires_at", ">", now).execute();
  return new Set(rows.map(({ email }) => email));
}
