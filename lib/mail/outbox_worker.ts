import { type Selectable, sql } from "kysely";
import type { OutboxTable } from "./tables.ts";
import { selectedOnce } from "../../db/selected_once.ts";
import { unseal } from "../crypto/sealed.ts";
import { DAY_SECONDS } from "../duration.ts";
import { DeliveryError } from "../queue/delivery_error.ts";
import { createDispatcher, type DeliveryQueue, type Dispatcher, type LeasedItem } from "../queue/dispatcher.ts";
import { LEASE_SECONDS } from "../queue/lease.ts";
import type { Mail, Services } from "../services/services.ts";
import { payloadPlace } from "./outbox.ts";

const MAX_CONCURRENT_DELIVERIES = 10;
/** The delivery of an email that still fails at this age is abandoned. */
const ABANDON_AFTER_SECONDS = DAY_SECONDS;

const MAIL_COLUMNS = ["id", "kind", "payload", "attempts", "expires_at", "created_at as queuedAt"] as const;

type LeasedMail = LeasedItem & Pick<Selectable<OutboxTable>, "kind" | "payload" | "expires_at">;

/** Creates the dispatcher of emails in this process. */
export function createMailDispatcher(services: Services, options: { renewalMs?: number } = {}): Dispatcher {
  return createDispatcher(services, mailQueue(services), options);
}

function mailQueue(services: Services): DeliveryQueue<LeasedMail> {
  return {
    name: "email",
    maxRunning: MAX_CONCURRENT_DELIVERIES,
    abandonAfterSeconds: ABANDON_AFTER_SECONDS,
    fieldsOf: ({ id, kind, attempts }) => ({ mailId: id, kind, attempts }),
    lease: (running) => leaseDueMails(services, MAX_CONCURRENT_DELIVERIES - running.size),
    deliver: (mail) => deliverMail(services, mail),
    postpone: (mail, seconds, error) =>
      postpone(services, mail, { seconds, isSending: error === undefined, answer: answerOf(error) }),
    finish: (mail, error) => finish(services, mail, error),
  };
}

/** Takes the emails that someone waits for first. Recipients take turns, so that a flood to one delays no other. */
async function leaseDueMails({ db, databaseTime }: Services, limit: number): Promise<LeasedMail[]> {
  const due = db.selectFrom("outbox").select("id").where("status", "=", "pending")
    .where("next_attempt_at", "<=", databaseTime())
    .orderBy("is_awaited", "desc").orderBy("turn_at").limit(limit).forUpdate().skipLocked();
  return await db.updateTable("outbox")
    .set({ next_attempt_at: databaseTime(LEASE_SECONDS), is_sending: true, attempts: sql<number>`attempts + 1` })
    .where("id", "=", selectedOnce(due)).returning(MAIL_COLUMNS).execute();
}

async function deliverMail(services: Services, mail: LeasedMail): Promise<void> {
  if (mail.expires_at <= services.now()) {
    throw new DeliveryError("The link in the email has expired", { isFinal: true });
  }
  await services.mail.send(await openMail(services, mail), mail.id);
}

async function openMail({ config }: Services, { id, payload }: LeasedMail): Promise<Mail> {
  try {
    return await unseal<Mail>(payload!, payloadPlace(id, config));
  } catch (cause) {
    throw new DeliveryError("Could not decrypt the email. Has APP_SECRET changed?", { cause });
  }
}

function answerOf(error: unknown): string | undefined {
  return error instanceof DeliveryError ? error.answer : undefined;
}

/** Stores the final status and wipes the payload, which holds a link. */
async function finish({ db, now }: Services, { id }: LeasedMail, error?: unknown): Promise<void> {
  const outcome = error === undefined
    ? { status: "sent" as const, sent_at: now() }
    : { status: "failed" as const, answer: answerOf(error) };
  await db.updateTable("outbox").set({ ...outcome, is_sending: false, payload: null }).where("id", "=", id).execute();
}

/** Does nothing if the email has been canceled during the attempt. */
async function postpone(
  { db, databaseTime }: Services,
  { id }: LeasedMail,
  { seconds, isSending, answer }: { seconds: number; isSending: boolean; answer?: string },
): Promise<void> {
  await db.updateTable("outbox").set({ next_attempt_at: databaseTime(seconds), is_sending: isSending, answer })
    .where("id", "=", id).where("status", "=", "pending").execute();
}
