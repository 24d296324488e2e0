import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { hashToken } from "../crypto/token.ts";

/** Remembers that an account was deleted, so that a restored backup does not bring it back. */
export async function rememberDeletion(db: Db, userId: string, now: Date): Promise<void> {
  await db.insertInto("deleted_accounts").values({ id_hash: hashToken(userId), deleted_at: now })
    .onConflict((conflict) => conflict.doNothing()).execute();
}

/** Finds the users whose accounts are known to have been deleted. There are some only after a restore. */
export async function findDeleted(db: Db): Promise<{ id: string; email: string }[]> {
  const idHash = sql<string>`translate(encode(sha256(convert_to(id, 'UTF8')), 'base64'), '+/=', '-_')`;
  return await db.selectFrom("users").select(["id", "email"])
    .where(idHash, "in", (query) => query.selectFrom("deleted_accounts").select("id_hash")).execute();
}
