import { type Selectable, sql } from "kysely";
import type { MailStatus, OutboxTable } from "../../db/schema.ts";
import { DeliveryError } from "./delivery_error.ts";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../duration.ts";
import { errorFields } from "../log.ts";
import type { Mail, Services } from "../services.ts";
import { decryptMail } from "./payload_cipher.ts";

/** How long a mail belongs to the process that is delivering it. If that process dies, another one takes over. */
const LEASE_SECONDS = 15;
const MAX_CONCURRENT_DELIVERIES = 10;
const FIRST_RETRY_SECONDS = 2;
const LONGEST_RETRY_SECONDS = HOUR_SECONDS;
/** Upper bound for Retry-After, so that a mail is tried again on the day it was written. */
const LONGEST_RETRY_AFTER_SECONDS = 6 * HOUR_SECONDS;
/** Pauses are shortened by a random share up to this one, so that many mails are not retried all at once. */
const JITTER = 0.2;
/** A mail that still fails at this age is given up. */
const GIVE_UP_AFTER_SECONDS = DAY_SECONDS;

type OutboxRow = Selectable<OutboxTable>;

/** Delivers mails concurrently, so that a stalled delivery does not hold up the others. */
export interface MailDispatcher {
  /**
   * Starts to deliver the mails that are due. Any number of instances may do so at once, because each mail is leased to
   * one of them. No transaction is open while the delivery service is called.
   *
   * @returns the number of deliveries started.
   */
  dispatch(): Promise<number>;
  /** Resolves when all started deliveries are over. */
  rest(): Promise<void>;
}

/** Creates a dispatcher. */
export function createMailDispatcher(services: Services): MailDispatcher {
  const running = new Set<Promise<void>>();
  return {
    async dispatch() {
      if (running.size === MAX_CONCURRENT_DELIVERIES) await Promise.race(running);
      const rows = await leaseDueMails(services, MAX_CONCURRENT_DELIVERIES - running.size);
      for (const row of rows) {
        const delivery = deliverMail(services, row)
          .catch((error) =>
            services.log("error", "mail outcome could not be stored", { mailId: row.id, ...errorFields(error) })
          )
          .finally(() => running.delete(delivery));
        running.add(delivery);
      }
      return rows.length;
    },
    rest: async () => void await Promise.all(running),
  };
}

/** Delivers the mails that are due, waits for the outcome and returns how many there were. */
export async function deliverDueMails(services: Services): Promise<number> {
  const dispatcher = createMailDispatcher(services);
  const count = await dispatcher.dispatch();
  await dispatcher.rest();
  return count;
}

async function leaseDueMails({ db, databaseTime }: Services, limit: number): Promise<OutboxRow[]> {
  const due = db.selectFrom("outbox").select("id").where("status", "=", "pending")
    .where("next_attempt_at", "<=", databaseTime())
    .orderBy("next_attempt_at").limit(limit).forUpdate().skipLocked();
  return await db.updateTable("outbox")
    .set({ next_attempt_at: databaseTime(LEASE_SECONDS), attempts: sql<number>`attempts + 1` })
    .where("id", "in", due).returningAll().execute();
}

async function deliverMail(services: Services, row: OutboxRow): Promise<void> {
  const { log, now } = services;
  const fields = { mailId: row.id, kind: row.kind, attempts: row.attempts };
  if (row.expires_at <= now()) {
    log("warn", "mail given up: its link has expired", fields);
    return await finish(services, row.id, "failed");
  }
  try {
    const mail = await openMail(services, row);
    await services.mail.send(mail, row.id);
  } catch (error) {
    return await handleFailure(services, row, error);
  }
  await finish(services, row.id, "sent");
  log("info", "mail sent", fields);
}

async function openMail({ config }: Services, { id, payload }: OutboxRow): Promise<Mail> {
  try {
    return await decryptMail(payload!, { id, appSecret: config.appSecret });
  } catch (cause) {
    throw new DeliveryError("The mail cannot be decrypted. Has APP_SECRET changed?", { cause });
  }
}

async function handleFailure(services: Services, row: OutboxRow, error: unknown): Promise<void> {
  const { log, now } = services;
  const fields = { mailId: row.id, kind: row.kind, attempts: row.attempts, ...errorFields(error) };
  if (now() >= secondsAfter(row.created_at, GIVE_UP_AFTER_SECONDS)) {
    log("error", "mail given up", fields);
    return await finish(services, row.id, "failed");
  }
  log("warn", "mail not sent, will be tried again", fields);
  const retryAfter = error instanceof DeliveryError
    ? Math.min(error.retryAfterSeconds, LONGEST_RETRY_AFTER_SECONDS)
    : 0;
  await postpone(services, row, Math.max(retryAfter, pauseSeconds(row.attempts)));
}

/** About two seconds after the first attempt, then twice as long after each further one. */
function pauseSeconds(attempts: number): number {
  const pause = Math.min(FIRST_RETRY_SECONDS * 2 ** (attempts - 1), LONGEST_RETRY_SECONDS);
  return pause * (1 - JITTER * Math.random());
}

/** Stores the final status and wipes the payload, which holds a link. */
async function finish({ db }: Services, id: string, status: MailStatus): Promise<void> {
  await db.updateTable("outbox").set({ status, payload: null }).where("id", "=", id).execute();
}

/** Skips a mail that was cancelled in the meantime. */
async function postpone({ db, databaseTime }: Services, { id }: OutboxRow, seconds: number): Promise<void> {
  await db.updateTable("outbox").set({ next_attempt_at: databaseTime(seconds) })
    .where("id", "=", id).where("status", "=", "pending").execute();
}
