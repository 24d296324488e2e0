import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { voidLinks } from "../links/emailed_token.ts";
import type { SessionEnd } from "./session.ts";
import { endSessionsOfUser } from "./session.ts";
import { endTokens } from "./api_token.ts";
import type { EndReason, TokenEndReason } from "../schemas/event_kinds.ts";

/** A reason that ends both sessions and tokens. */
export type AccessEndReason = EndReason & TokenEndReason;

/**
 * Ends everything that acts for a user: all sessions, except the one with the public id `exceptId`, and all API tokens.
 * Voids the links that change the address, so that an intruder cannot take the account back with one.
 */
export async function endAccess(
  trx: Transaction<Database>,
  { userId, exceptId }: { userId: string; exceptId?: string },
  end: SessionEnd & { reason: AccessEndReason },
): Promise<void> {
  await endSessionsOfUser(trx, { userId, exceptId }, end);
  await endTokens(trx, { userId }, end);
  await voidLinks(trx, userId, "email_change_tokens");
}
