import type { Transaction } from "kysely";
import type { Database } from "../../../db/schema.ts";
import type { Client } from "../../activity/client.ts";
import type { NewEvent } from "../../activity/events.ts";
import { AppError } from "../../errors.ts";
import { type ActiveSession, isOpen } from "./session.ts";
import { type CredentialsRow, lockCredentials, type User } from "../user.ts";

/** Who sends a request, and from where. */
export interface Principal {
  user: User;
  session: ActiveSession;
  client: Client;
}

/** The parts of an event that a user causes for their own account. */
export function eventBy({ user, session, client }: Principal): Pick<NewEvent, "userId" | "client" | "sessionId"> {
  return { userId: user.id, client, sessionId: session.id };
}

/**
 * Locks the principal's row like {@linkcode lockCredentials}. The owner may just have ended the session
 * to keep a thief out, so a session that has ended must not change how the account is protected.
 *
 * @throws {AppError} UNAUTHENTICATED when the session has ended or the account has been deleted.
 */
export async function lockPrincipal(
  trx: Transaction<Database>,
  { user, session }: Principal,
  now: Date,
): Promise<CredentialsRow> {
  const locked = await lockCredentials(trx, user.id);
  if (locked === null || !await isOpen(trx, session.id, now)) {
    throw new AppError("UNAUTHENTICATED", "This session has ended");
  }
  return locked;
}
