import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import type { SessionClient } from "../access/session_start.ts";
import { isKnownDevice } from "../activity/device.ts";
import { clientsOfUser, emailClient } from "../limits/counted_clients.ts";
import { forgetRequests } from "../limits/request_window.ts";
import { countAttempt, type CountedAttempt, type LimitedUse } from "../limits/rate_limit.ts";
import type { Policy } from "../config/limits.ts";
import type { Services } from "../services/services.ts";
import { WRONG_CODES } from "./second_factor/code_limit.ts";

/**
 * Counts a guess at the password of an address, which may have no account, unless the account knows the browser: so
 * strangers cannot lock out its owner. The limit depends only on the address that was entered: it does not reveal
 * whether there is an account.
 *
 * @throws {AppError} RATE_LIMITED after too many wrong passwords from browsers that the account does not know.
 */
export async function countGuess(
  services: Services,
  { email, client }: { email: string; client: Pick<SessionClient, "deviceTokens"> },
): Promise<CountedAttempt> {
  const device = { email, tokens: client.deviceTokens, now: services.now() };
  const use = guessesFor(email);
  return await countAttempt(services, await isKnownDevice(services.db, device) ? { ...use, clients: [] } : use);
}

/** The policies that count guesses at an account's password and second factor. */
const GUESSES: (Policy | typeof WRONG_CODES)[] = ["account", "proof", "code", WRONG_CODES];

/**
 * Clears the counts of wrong passwords and codes of an account that has a new password, which nobody else knows.
 */
export async function forgetGuesses(trx: Transaction<Database>, user: { id: string; email: string }): Promise<void> {
  await forgetRequests(trx, clientsOfUser(user), GUESSES);
}

/** What counts for an address: wrong passwords from browsers that its account does not know. */
export function guessesFor(email: string): LimitedUse {
  return { policy: "account", clients: [emailClient(email)] };
}
