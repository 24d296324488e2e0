import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { hashToken } from "../crypto/token.ts";

/** Remembers that an account was deleted, so that a restored backup does not bring it back. */
export async function rememberDeletion(db: Db, userId: string, now: Date): Promise<void> {
  const hashes = { id_hash: hashToken(userId), id_end_hash: hashToken(endOfId(userId)) };
  await db.insertInto("deleted_accounts").values({ ...hashes, deleted_at: now })
    .onConflict((conflict) => conflict.doNothing()).execute();
}

/** Returns the random part of an id, without its time: 22 characters. */
export function endOfId(id: string): string {
  return id.slice(-22);
}

/** Finds the users whose accounts are known to have been deleted. There are some only after a restore. */
export async function findDeleted(db: Db): Promise<{ id: string; email: string }[]> {
  const idHash = sql<string>`translate(encode(sha256(convert_to(id, 'UTF8')), 'base64'), '+/=', '-_')`;
  return await db.selectFrom("users").select(["id", "email"])
    .where(idHash, "in", (query) => query.selectFrom("deleted_accounts").select("id_hash")).execute();
}
