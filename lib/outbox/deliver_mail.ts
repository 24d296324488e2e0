import { type Selectable, sql } from "kysely";
import type { MailStatus, OutboxTable } from "../../db/schema.ts";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../duration.ts";
import { errorFields } from "../log.ts";
import type { Services } from "../services.ts";
import { decryptMail } from "./payload_cipher.ts";

/** While a mail is being delivered nobody else takes it up; if the process dies, another does after this. */
const LEASE_SECONDS = 15;
const BATCH = 10;
const FIRST_RETRY_SECONDS = 2;
const LONGEST_RETRY_SECONDS = HOUR_SECONDS;
/** A mail this old is given up as failed. */
const GIVE_UP_AFTER_SECONDS = DAY_SECONDS;

type OutboxRow = Selectable<OutboxTable>;

/**
 * Delivers the mails that are due, in every instance at once if need be: each mail is leased to one of them.
 *
 * @returns how many were tried.
 */
export async function deliverDueMails(services: Services): Promise<number> {
  const rows = await leaseDueMails(services);
  await Promise.all(rows.map((row) => deliverMail(services, row)));
  return rows.length;
}

async function leaseDueMails({ db, now }: Services): Promise<OutboxRow[]> {
  const due = db.selectFrom("outbox").select("id").where("status", "=", "pending").where("next_attempt_at", "<=", now())
    .orderBy("next_attempt_at").limit(BATCH).forUpdate().skipLocked();
  return await db.updateTable("outbox")
    .set({ next_attempt_at: secondsAfter(now(), LEASE_SECONDS), attempts: sql<number>`attempts + 1` })
    .where("id", "in", due).returningAll().execute();
}

async function deliverMail(services: Services, row: OutboxRow): Promise<void> {
  const { log, mail, config, now } = services;
  const { id, kind, attempts } = row;
  try {
    await mail.send(await decryptMail(row.payload!, { id, appSecret: config.appSecret }), id);
    await finish(services, id, "sent");
    log("info", "mail sent", { mailId: id, kind, attempts });
  } catch (error) {
    const isGivenUp = now() >= secondsAfter(row.created_at, GIVE_UP_AFTER_SECONDS);
    log(isGivenUp ? "error" : "warn", isGivenUp ? "mail given up" : "mail not sent, will be tried again", {
      mailId: id,
      kind,
      attempts,
      ...errorFields(error),
    });
    await (isGivenUp ? finish(services, id, "failed") : postpone(services, row));
  }
}

/** What is over needs no payload any more: it held a link. */
async function finish({ db }: Services, id: string, status: MailStatus): Promise<void> {
  await db.updateTable("outbox").set({ status, payload: null }).where("id", "=", id).execute();
}

async function postpone({ db, now }: Services, { id, attempts }: OutboxRow): Promise<void> {
  const pause = Math.min(FIRST_RETRY_SECONDS * 2 ** (attempts - 1), LONGEST_RETRY_SECONDS);
  await db.updateTable("outbox").set({ next_attempt_at: secondsAfter(now(), pause) }).where("id", "=", id).execute();
}
