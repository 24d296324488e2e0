import { type Selectable, sql } from "kysely";
import type { MailStatus, OutboxTable } from "../../db/schema.ts";
import { DeliveryError } from "../delivery_error.ts";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../duration.ts";
import { errorFields } from "../log.ts";
import type { Mail, Services } from "../services.ts";
import { decryptMail } from "./payload_cipher.ts";

/** While a mail is being delivered nobody else takes it up; if the process dies, another does after this. */
const LEASE_SECONDS = 15;
const SIDE_BY_SIDE = 10;
const FIRST_RETRY_SECONDS = 2;
const LONGEST_RETRY_SECONDS = HOUR_SECONDS;
/** However long the delivery service wants to be left alone: a mail is tried again on the day it was written. */
const LONGEST_ASKED_SECONDS = 6 * HOUR_SECONDS;
/** Pauses are shorter by up to this share, so that many mails do not come back all at once. */
const JITTER = 0.2;
/** A mail this old is given up. */
const GIVE_UP_AFTER_SECONDS = DAY_SECONDS;

type OutboxRow = Selectable<OutboxTable>;

/** Delivers mails side by side, so that one that stalls holds up no other. */
export interface MailDispatcher {
  /**
   * Begins to deliver the mails that are due, in every instance at once if need be: each mail is leased to one of them.
   * The network is asked outside of any transaction.
   *
   * @returns how many were begun.
   */
  dispatch(): Promise<number>;
  /** Resolves when what has begun is over. */
  rest(): Promise<void>;
}

/** A dispatcher with nothing under way. */
export function createMailDispatcher(services: Services): MailDispatcher {
  const running = new Set<Promise<void>>();
  return {
    async dispatch() {
      if (running.size === SIDE_BY_SIDE) await Promise.race(running);
      const rows = await leaseDueMails(services, SIDE_BY_SIDE - running.size);
      for (const row of rows) {
        const delivery = deliverMail(services, row)
          .catch((error) => services.log("error", "mail could not be noted", { mailId: row.id, ...errorFields(error) }))
          .finally(() => running.delete(delivery));
        running.add(delivery);
      }
      return rows.length;
    },
    rest: async () => void await Promise.all(running),
  };
}

/** Delivers the mails that are due and waits for the outcome; tells how many there were. */
export async function deliverDueMails(services: Services): Promise<number> {
  const dispatcher = createMailDispatcher(services);
  const count = await dispatcher.dispatch();
  await dispatcher.rest();
  return count;
}

async function leaseDueMails({ db, now }: Services, limit: number): Promise<OutboxRow[]> {
  const due = db.selectFrom("outbox").select("id").where("status", "=", "pending").where("next_attempt_at", "<=", now())
    .orderBy("next_attempt_at").limit(limit).forUpdate().skipLocked();
  return await db.updateTable("outbox")
    .set({ next_attempt_at: secondsAfter(now(), LEASE_SECONDS), attempts: sql<number>`attempts + 1` })
    .where("id", "in", due).returningAll().execute();
}

async function deliverMail(services: Services, row: OutboxRow): Promise<void> {
  const { log, now } = services;
  const fields = { mailId: row.id, kind: row.kind, attempts: row.attempts };
  if (row.expires_at <= now()) {
    log("warn", "mail given up: its link has ended", fields);
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
    throw new DeliveryError("The mail cannot be decrypted: is APP_SECRET another one?", { cause });
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
  const asked = error instanceof DeliveryError ? Math.min(error.retryAfterSeconds, LONGEST_ASKED_SECONDS) : 0;
  await postpone(services, row, Math.max(asked, pauseSeconds(row.attempts)));
}

/** About two seconds after the first attempt, then twice as long each time. */
function pauseSeconds(attempts: number): number {
  const pause = Math.min(FIRST_RETRY_SECONDS * 2 ** (attempts - 1), LONGEST_RETRY_SECONDS);
  return pause * (1 - JITTER * Math.random());
}

/** What is over needs no payload any more: it held a link. */
async function finish({ db }: Services, id: string, status: MailStatus): Promise<void> {
  await db.updateTable("outbox").set({ status, payload: null }).where("id", "=", id).execute();
}

/** Only a mail that still waits: it may have been taken back meanwhile. */
async function postpone({ db, now }: Services, { id }: OutboxRow, seconds: number): Promise<void> {
  await db.updateTable("outbox").set({ next_attempt_at: secondsAfter(now(), seconds) })
    .where("id", "=", id).where("status", "=", "pending").execute();
}
