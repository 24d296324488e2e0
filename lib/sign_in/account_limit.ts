import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import type { SessionClient } from "../access/session_start.ts";
import { isKnownDevice } from "../activity/device.ts";
import { hashToken } from "../crypto/token.ts";
import { AppError } from "../errors.ts";
import { forgetRequests } from "../limits/request_window.ts";
import { countFailures, type LimitedUse } from "../limits/rate_limit.ts";
import type { Services } from "../services.ts";

/** Someone who enters a password for an address, which may have no account. */
interface Attempt {
  email: string;
  client: Pick<SessionClient, "deviceTokens">;
}

/**
 * Checks a password under the limit of its address, unless the account knows the browser: so strangers cannot lock out its
 * owner. The limit depends only on the address that was entered: it does not reveal whether there is an account. An attempt
 * counts before it is judged, so that concurrent ones cannot exceed the limit, and a right password is taken back.
 *
 * @throws {AppError} RATE_LIMITED after too many wrong passwords from browsers that the account does not know, and what
 * the action throws.
 */
export async function underAccountLimit<Result>(
  services: Services,
  { email, client }: Attempt,
  act: () => Promise<Result>,
): Promise<Result> {
  const device = { email, tokens: client.deviceTokens, now: services.now() };
  if (await isKnownDevice(services.db, device)) return await act();
  return await countFailures(services, guessesFor(email), {
    act,
    isFailure: (error) => error instanceof AppError && error.is("INVALID_CREDENTIALS"),
  });
}

/** Lifts the limit of an address, whose owner has proved it. */
export async function forgetWrongPasswords(trx: Transaction<Database>, email: string): Promise<void> {
  const { clients, policy } = guessesFor(email);
  await forgetRequests(trx, clients, [policy]);
}

/** What counts for an address: wrong passwords from browsers that its account does not know. */
export function guessesFor(email: string): LimitedUse {
  return { policy: "account", clients: [`email:${hashToken(email)}`] };
}
