import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import type { SessionClient } from "../access/session_start.ts";
import { isKnownDevice } from "../activity/device.ts";
import { hashToken } from "../crypto/token.ts";
import { countInWindow, forgetRequests } from "../limits/request_window.ts";
import { findRateLimit, rateLimited } from "../limits/rate_limit.ts";
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
 * Refuses a browser that the account does not know, after too many wrong passwords from such browsers. This depends only
 * on the address that was entered: it does not reveal whether there is an account. Browsers that the account knows go on,
 * so that strangers cannot lock out its owner. Guesses that are being checked when the limit is reached still end.
 *
 * @throws {AppError} RATE_LIMITED.
 */
export async function requireGuessesLeft(services: Services, { email, client }: Attempt): Promise<void> {
  const limit = await findRateLimit(services, { policy: POLICY, clients: [clientOf(email)] });
  if (limit === null || limit.remaining > 0) return;
  const device = { email, tokens: client.deviceTokens, now: services.now() };
  if (!await isKnownDevice(services.db, device)) throw rateLimited(limit);
}

/**
 * Counts a wrong password for an address, and alerts the owner when there are too many. Call it in equal time, after the
 * user's row has been locked: a deletion locks it before the counts too.
 */
export async function countWrongPassword(
  trx: Transaction<Database>,
  services: Services,
  { email, client }: Attempt,
): Promise<void> {
  const limit = services.config.limits[POLICY];
  const now = services.now();
  if (limit === null || await isKnownDevice(trx, { email, tokens: client.deviceTokens, now })) return;
  const { quota, windowSeconds } = limit;
  const [{ requests }] = await countInWindow(trx, { policy: POLICY, clients: [clientOf(email)], windowSeconds, now });
  if (requests >= quota) await alertOwner(trx, services, email);
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
