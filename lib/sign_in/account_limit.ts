import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import type { SessionClient } from "../access/session_start.ts";
import { isKnownDevice } from "../activity/device.ts";
import { hashToken } from "../crypto/token.ts";
import { AppError } from "../errors.ts";
import { forgetRequests } from "../limits/request_window.ts";
import { countFailures, findRateLimit } from "../limits/rate_limit.ts";
import { sendEmail } from "../links/send_email.ts";
import { mayQueueMail } from "../mail/outbox.ts";
import type { Services } from "../services.ts";

const POLICY = "account";
const ALERT = "many_wrong_passwords";

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
  return await countFailures(services, { policy: POLICY, clients: [clientOf(email)] }, {
    act,
    isFailure: (error) => error instanceof AppError && error.is("INVALID_CREDENTIALS"),
  });
}

/**
 * Alerts the owner of an address when wrong passwords have used up its limit. Call it in equal time, after the user's row has
 * been locked, so that concurrent calls send one alert.
 */
export async function alertIfGuessed(trx: Transaction<Database>, services: Services, email: string): Promise<void> {
  const limit = await findRateLimit({ ...services, db: trx }, { policy: POLICY, clients: [clientOf(email)] });
  if (limit?.remaining === 0) await alertOwner(trx, services, email);
}

/** Lifts the limit of an address, whose owner has proved it. */
export async function forgetWrongPasswords(trx: Transaction<Database>, email: string): Promise<void> {
  await forgetRequests(trx, [clientOf(email)], [POLICY]);
}

async function alertOwner(trx: Transaction<Database>, services: Services, email: string): Promise<void> {
  const user = await trx.selectFrom("users").select(["id", "email"])
    .where("email", "=", email).where("email_verified", "=", true).executeTakeFirst();
  if (user !== undefined) await sendEmail(trx, services, { kind: ALERT, user });
  else await mayQueueMail(trx, { kind: ALERT, userId: "", now: services.now() }); // the query that sending begins with
}

function clientOf(email: string): string {
  return `email:${hashToken(email)}`;
}
