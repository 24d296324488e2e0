import type { Actor } from "../activity/events.ts";
import { recordEvent } from "../activity/events.ts";
import { AppError } from "../errors/errors.ts";
import { endGrantsOfConsents } from "../grants/grant_end.ts";
import type { Services } from "../services/services.ts";
import { lockForAct } from "../users/user_lock.ts";

/** How many people one transaction disconnects. */
const BATCH_CONSENTS = 500;

/** What ends the grants of an app, and why. */
export interface ClientAct {
  clientId: string;
  by: Actor;
  /** For other operators. It becomes part of the events. */
  reason: string;
}

/**
 * Ends every grant of an app of CLIENTS_FILE, and tells the app. What people have allowed it stays, so they need not
 * agree again. An app with many people takes several transactions.
 *
 * @returns the number of grants.
 * @throws {AppError} NOT_FOUND.
 */
export async function endGrantsOfClient(services: Services, { clientId, by, reason }: ClientAct): Promise<number> {
  const { db, config } = services;
  if (!config.registrations?.clients.has(clientId)) throw new AppError("NOT_FOUND", { reason: "app" });
  const now = services.now();
  const end = { reason: "admin", words: reason, client: null, by, now } as const;
  // In a transaction of its own: the others lock the people in the order of their ids.
  await db.transaction().execute(async (trx) => {
    if (by.actorId) await lockForAct(trx, { userId: by.actorId, by });
    await recordEvent(
      trx,
      { kind: "client.grants_ended", userId: null, ...by, details: { app: clientId, reason } },
      now,
    );
  });
  let ended = 0;
  let after: string | null = "";
  while (after !== null) {
    const from: string = after;
    after = await db.transaction().execute(async (trx) => {
      const batch = await endGrantsOfConsents(trx, { clientId, after: from, limit: BATCH_CONSENTS }, end);
      ended += batch.ended;
      return batch.last;
    });
  }
  return ended;
}
