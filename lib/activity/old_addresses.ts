import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/schema.ts";

/**
 * Empties the client addresses of old events. Skips locked rows, because waiting for them could cause a deadlock.
 *
 * @returns the number of events, at most `limit`.
 */
export async function emptyAddresses(
  db: Db,
  { end, limit }: { end: RawBuilder<Date>; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update events set client_address = null where ctid = any(array(
      select ctid from events where client_address is not null and created_at <= ${end}
      order by created_at limit ${limit} for update skip locked
    ))
  `.execute(db);
  return Number(numAffectedRows);
}
