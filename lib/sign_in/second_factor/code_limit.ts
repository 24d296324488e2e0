import type { Transaction } from "kysely";
import type { Database } from "../../../db/schema.ts";
import type { SignInMethod } from "../../access/tables.ts";
import type { SessionClient } from "../../access/session_start.ts";
import { isKnownDevice } from "../../activity/device.ts";
import { DAY_SECONDS } from "../../duration.ts";
import { unknownBrowsersOf } from "../../limits/counted_clients.ts";
import { countAttempt } from "../../limits/rate_limit.ts";
import { countInWindow } from "../../limits/request_window.ts";
import { sendAlert } from "../../mail/links/alert.ts";
import type { Services } from "../../services/services.ts";
import { checkProof, isWrongProof, type ProofCheck } from "../proof.ts";

/** Every so many wrong codes within a day send an alert. */
const CODES_PER_ALERT = 5;

/** The policy under which all wrong codes of an account count, for the alert. */
export const WRONG_CODES = "wrong_codes";

/** A sign-in that waits for a code. */
interface Waiting {
  userId: string;
  user: { email: string };
  method: SignInMethod;
}

/** Returns the client for which codes from this browser count at the second step. */
export async function clientOfCodes(
  { db, now }: Pick<Services, "db" | "now">,
  { userId, user: { email } }: Omit<Waiting, "method">,
  { deviceTokens: tokens }: Pick<SessionClient, "deviceTokens">,
): Promise<string> {
  return await isKnownDevice(db, { email, tokens, now: now() }) ? `user:${userId}` : unknownBrowsersOf(userId);
}

/**
 * Checks a code or a passkey at the second step. Wrong ones from browsers that the account does not know count
 * separately, under an additional limit: someone who knows the password has few guesses and cannot lock out the owner.
 * Wrong ones from any browser alert the owner, because the first proof was right.
 *
 * @throws {AppError} RATE_LIMITED, PROOF_WRONG.
 */
export async function checkCode(
  services: Services,
  waiting: Waiting,
  { client, proof, isRight }: Pick<ProofCheck, "proof" | "isRight"> & { client: SessionClient },
): Promise<void> {
  const { userId } = waiting;
  const counted = await clientOfCodes(services, waiting, client);
  const clients = counted === unknownBrowsersOf(userId) ? [counted] : [];
  await using attempt = await countAttempt(services, { policy: "code", clients });
  try {
    await checkProof(services, {
      proof,
      field: proof,
      isRight,
      wrong: { kind: "login.failed", userId, actorId: null, client, details: { reason: "second_factor" } },
      countedFor: counted,
      onWrong: (trx) => alertOfGuesses(trx, services, { waiting, client }),
    });
  } catch (error) {
    attempt.hasFailed = isWrongProof(error);
    throw error;
  }
}

/** The caller has locked the user's row, so that of concurrent wrong codes exactly one is the fifth. */
async function alertOfGuesses(
  trx: Transaction<Database>,
  services: Services,
  { waiting: { userId, method }, client }: { waiting: Waiting; client: SessionClient },
): Promise<void> {
  const now = services.now();
  const counted = { policy: WRONG_CODES, clients: [`user:${userId}`], windowSeconds: DAY_SECONDS, now };
  const [{ requests }] = await countInWindow(trx, counted);
  if (requests % CODES_PER_ALERT !== 0) return;
  await sendAlert(trx, services, { kind: "many_wrong_codes", userId, client, now, details: { method } });
}
