import { createHash } from "node:crypto";
import { sql, type Transaction } from "kysely";
import { forgetWakes } from "../../db/after_commit.ts";
import type { Database } from "../../db/schema.ts";
import { concurrencyLimit } from "../turns/concurrency_limit.ts";
import { currentClient } from "../turns/current_client.ts";
import type { Services } from "../services/services.ts";

/** More than any person causes, and few enough to end soon while the database does not respond. */
const MAX_WAITING = 100;

/**
 * Requests for one address run one after another here, before they take a connection: waiting for the lock in the
 * database instead, a hundred of them would hold all connections. Addresses share lanes by their hash, whether or not
 * they have accounts. Clients take turns in a lane, so a stranger who tries tokens delays the owner by one request.
 */
const LANES = Array.from({ length: 1024 }, () => concurrencyLimit(1, { maxWaiting: MAX_WAITING }));

/** Longer than the work usually takes, yet too short for people to notice. */
export const EQUAL_TIME_STEP_MS = 100;

/**
 * Runs work in a transaction and settles only at a multiple of the step after the call, so that the response time does
 * not reveal which accounts exist. Concurrent calls for one address run one after another, whether or not it has an
 * account.
 *
 * An email that the work sends does not wake the mail worker, which would delay only responses for addresses that have
 * an account. The worker finds it at its next poll. Source: OWASP, Forgot Password Cheat Sheet.
 *
 * @throws {AppError} UNAVAILABLE when too many calls for one address are waiting.
 */
export async function inEqualTime<T>(
  { db, equalTimeStepMs }: Pick<Services, "db" | "equalTimeStepMs">,
  email: string,
  work: (trx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  let step = Promise.withResolvers<void>();
  // Start before the work: a timer for the remaining time would round it to milliseconds, and so reveal a little of it.
  const timer = setInterval(() => {
    step.resolve();
    step = Promise.withResolvers();
  }, equalTimeStepMs);
  try {
    const transaction = () =>
      db.transaction().execute(async (trx) => {
        await sql`select pg_advisory_xact_lock(hashtextextended(${email}, 0))`.execute(trx);
        const result = await work(trx);
        forgetWakes(trx);
        return result;
      });
    return await laneOf(email)(transaction, { owners: currentClient() });
  } finally {
    await step.promise;
    clearInterval(timer);
  }
}

function laneOf(email: string) {
  return LANES[createHash("sha256").update(email).digest().readUInt16BE() % LANES.length];
}
