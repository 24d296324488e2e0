import { endSessionsOfUser } from "../access/session.ts";
import type { Services } from "../services/services.ts";
import { type AdminAct, lockAccount } from "./locked_account.ts";

/**
 * Ends all sessions of an account, and sign-ins that wait for the second factor. API tokens stay.
 *
 * @returns the number of sessions.
 * @throws {AppError} NOT_FOUND.
 */
export async function endAllSessions(services: Services, act: AdminAct): Promise<number> {
  const { by, reason: words } = act;
  return await services.db.transaction().execute(async (trx) => {
    const { id: userId } = await lockAccount(trx, act);
    return await endSessionsOfUser(trx, { userId }, { reason: "admin", words, client: null, by, now: services.now() });
  });
}
