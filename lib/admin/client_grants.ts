import type { Actor } from "../activity/events.ts";
import { recordEvent } from "../activity/events.ts";
import { findClient } from "../clients/registrations.ts";
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
 * Ends every grant of an app, and tells the app. What people have allowed it stays, so they need not agree again. An
 * app with many people takes several transactions.
 *
 * @returns the number of grants.
 * @throws {AppError} NOT_FOUND.
 */
export async function endGrantsOfClient(services: Services, act: ClientAct): Promise<number> {
  const { clientId, by, reason } = act;
  if (await findClient(services, clientId) === null) throw new AppError("NOT_FOUND", { reason: "app" });
  // In a transaction of its own: the others lock the people in the order of their ids.
  await services.db.transaction().execute(async (trx) => {
    if (by.actorId) await lockForAct(trx, { userId: by.actorId, by });
    await recordEvent(
      trx,
      { kind: "client.grants_ended", userId: null, ...by, details: { app: clientId, reason } },
      services.now(),
    );
  });
  return await endGrantsInBatches(services, act);
}

/**
 * Ends every grant of an app, of a few people at a time.
 *
 * @param act.forgets whether what people have allowed the app is forgotten too.
 * @returns the number of grants.
 */
export async function endGrantsInBatches(
  { db, now: currentTime }: Pick<Services, "db" | "now">,
  { clientId, by, reason, forgets }: ClientAct & { forgets?: boolean },
): Promise<number> {
  const end = { reason: "admin", words: reason, client: null, by, now: currentTime() } as const;
  let ended = 0;
  let after: string | null = "";
  while (after !== null) {
    const from: string = after;
    after = await db.transaction().execute(async (trx) => {
      const batch = await endGrantsOfConsents(trx, { clientId, after: from, limit: BATCH_CONSENTS, forgets }, end);
      ended += batch.ended;
      return batch.last;
    });
  }
  return ended;
}
