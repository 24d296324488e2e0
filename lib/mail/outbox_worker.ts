import { type Selectable, sql } from "kysely";
import type { MailStatus, OutboxTable } from "../../db/schema.ts";
import { unseal } from "../crypto/sealed.ts";
import { DAY_SECONDS, HOUR_SECONDS, SECOND_MS, secondsAfter } from "../duration.ts";
import { errorFields } from "../log.ts";
import type { Mail, Services } from "../services.ts";
import { DeliveryError } from "./delivery_error.ts";
import { payloadPlace } from "./outbox.ts";

/** How long an email is leased to the process that delivers it. If the process dies, another one takes over. */
export const LEASE_SECONDS = 15;
/** A long attempt keeps its lease, so that two instances do not send an email at the same time. */
const RENEWAL_MS = LEASE_SECONDS / 3 * SECOND_MS;
const MAX_CONCURRENT_DELIVERIES = 10;
const FIRST_RETRY_SECONDS = 2;
const LONGEST_RETRY_SECONDS = HOUR_SECONDS;
/** Upper bound for Retry-After, so that an email is retried before its delivery is abandoned. */
const LONGEST_RETRY_AFTER_SECONDS = 6 * HOUR_SECONDS;
/** Each pause is shortened by a random share, at most this one, so that emails are not all retried at once. */
const JITTER = 0.2;
/** The delivery of an email that still fails at this age is abandoned. */
const ABANDON_AFTER_SECONDS = DAY_SECONDS;

const MAIL_COLUMNS = ["id", "kind", "payload", "attempts", "expires_at", "created_at"] as const;

type OutboxRow = Pick<Selectable<OutboxTable>, typeof MAIL_COLUMNS[number]>;

/** Delivers emails concurrently, so that a stalled delivery does not delay the others. */
export interface MailDispatcher {
  /**
   * Starts to deliver the emails that are due. Any number of instances may do this concurrently, because each email is
   * leased to one of them. No transaction is open while the delivery service is called.
   *
   * @returns the number of deliveries started.
   */
  dispatch(): Promise<number>;
  /** Resolves once all started deliveries have ended. */
  waitUntilIdle(): Promise<void>;
}

/** Creates the dispatcher of this process. */
export function createMailDispatcher(services: Services, { renewalMs = RENEWAL_MS } = {}): MailDispatcher {
  const running = new Set<Promise<void>>();
  return {
    async dispatch() {
      if (running.size === MAX_CONCURRENT_DELIVERIES) await Promise.race(running);
      const rows = await leaseDueMails(services, MAX_CONCURRENT_DELIVERIES - running.size);
      for (const row of rows) {
        const delivery = deliverMail(services, row, renewalMs)
          .catch((error) =>
            services.log("error", "email outcome could not be stored", { mailId: row.id, ...errorFields(error) })
          )
          .finally(() => running.delete(delivery));
        running.add(delivery);
      }
      return rows.length;
    },
    waitUntilIdle: async () => void await Promise.all(running),
  };
}

/** Takes the emails that someone waits for first. Recipients take turns, so that a flood to one delays no other. */
async function leaseDueMails({ db, databaseTime }: Services, limit: number): Promise<OutboxRow[]> {
  const due = db.selectFrom("outbox").select("id").where("status", "=", "pending")
    .where("next_attempt_at", "<=", databaseTime())
    .orderBy("is_awaited", "desc").orderBy("turn_at").limit(limit).forUpdate().skipLocked();
  return await db.updateTable("outbox")
    .set({ next_attempt_at: databaseTime(LEASE_SECONDS), attempts: sql<number>`attempts + 1` })
    .where("id", "in", due).returning(MAIL_COLUMNS).execute();
}

async function deliverMail(services: Services, row: OutboxRow, renewalMs: number): Promise<void> {
  const { log, now } = services;
  const fields = { mailId: row.id, kind: row.kind, attempts: row.attempts };
  if (row.expires_at <= now()) {
    log("error", "email delivery abandoned: its link has expired", fields);
    return await finish(services, row.id, "failed");
  }
  try {
    const mail = await openMail(services, row);
    await using _lease = keepLease(services, row, renewalMs);
    await services.mail.send(mail, row.id);
  } catch (error) {
    return await handleFailure(services, row, error);
  }
  await finish(services, row.id, "sent");
  log("info", "email sent", fields);
}

/** Renews the lease until it is disposed of. A renewal that fails costs at most a second delivery. */
function keepLease(services: Services, row: OutboxRow, renewalMs: number): AsyncDisposable {
  let renewal: Promise<void> | undefined;
  const timer = setInterval(
    () => renewal = postpone(services, row, { seconds: LEASE_SECONDS }).catch(() => {}),
    renewalMs,
  );
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await renewal; // it must not follow what the attempt stores
    },
  };
}

async function openMail({ config }: Services, { id, payload }: OutboxRow): Promise<Mail> {
  try {
    return await unseal<Mail>(payload!, payloadPlace(id, config));
  } catch (cause) {
    throw new DeliveryError("Could not decrypt the email. Has APP_SECRET changed?", { cause });
  }
}

async function handleFailure(services: Services, row: OutboxRow, error: unknown): Promise<void> {
  const { log, now } = services;
  const { isFinal = false, answer } = error instanceof DeliveryError ? error : {};
  const fields = { mailId: row.id, kind: row.kind, attempts: row.attempts, answer, ...errorFields(error) };
  if (isFinal || now() >= secondsAfter(row.created_at, ABANDON_AFTER_SECONDS)) {
    log("error", "email delivery abandoned", fields);
    return await finish(services, row.id, "failed", answer);
  }
  log("warn", "email not sent, will retry", fields);
  const retryAfter = error instanceof DeliveryError
    ? Math.min(error.retryAfterSeconds, LONGEST_RETRY_AFTER_SECONDS)
    : 0;
  await postpone(services, row, { seconds: Math.max(retryAfter, pauseSeconds(row.attempts)), answer });
}

/** The pause is about two seconds after the first attempt and doubles with every further one, up to an hour. */
function pauseSeconds(attempts: number): number {
  const pause = Math.min(FIRST_RETRY_SECONDS * 2 ** (attempts - 1), LONGEST_RETRY_SECONDS);
  return pause * (1 - JITTER * Math.random());
}

/** Stores the final status and wipes the payload, which holds a link. */
async function finish({ db }: Services, id: string, status: MailStatus, answer?: string): Promise<void> {
  await db.updateTable("outbox").set({ status, payload: null, answer }).where("id", "=", id).execute();
}

/** Does nothing if the email has been canceled during the attempt. */
async function postpone(
  { db, databaseTime }: Services,
  { id }: OutboxRow,
  { seconds, answer }: { seconds: number; answer?: string },
): Promise<void> {
  await db.updateTable("outbox").set({ next_attempt_at: databaseTime(seconds), answer })
    .where("id", "=", id).where("status", "=", "pending").execute();
}
