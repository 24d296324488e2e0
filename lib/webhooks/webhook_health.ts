import { sql, type Transaction } from "kysely";
import type { Database, Db } from "../../db/schema.ts";
import type { DisableReason } from "./tables.ts";
import { recordEvent } from "../activity/events.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../duration.ts";
import { sendEmail } from "../mail/links/send_email.ts";
import type { Services } from "../services/services.ts";
import { WebhookError } from "./webhook_error.ts";

/** A webhook that has failed for this long without a success is disabled. */
const DISABLED_AFTER_SECONDS = 5 * DAY_SECONDS;
/** The longest rest of a webhook that fails. */
const LONGEST_REST_SECONDS = MINUTE_SECONDS;
/** The longest rest that a receiver may ask for. */
const LONGEST_ASKED_SECONDS = HOUR_SECONDS;

/** Records that a webhook works. */
export async function recordSuccess({ db }: Services, webhookId: string): Promise<void> {
  await db.updateTable("webhooks").set({ failures: 0, failing_since: null, rests_until: null })
    .where("id", "=", webhookId).where("failures", ">", 0).execute();
}

/**
 * Records that an attempt failed. The webhook rests, so that what waits is not sent in vain: for one second at first,
 * and twice as long after each further failure, up to a minute. A receiver that is gone, or has failed for days, gets
 * nothing more.
 */
export async function recordFailure(services: Services, webhookId: string, error: unknown): Promise<void> {
  const { db, databaseTime } = services;
  const { retryAfterSeconds = 0, isGone = false } = error instanceof WebhookError ? error : {};
  const asked = Math.min(retryAfterSeconds, LONGEST_ASKED_SECONDS);
  await db.transaction().execute(async (trx) => {
    const rest = sql`make_interval(secs => greatest(${asked}, least(${LONGEST_REST_SECONDS}, power(2, failures))))`;
    // Attempts that ran at the same time count once.
    await trx.updateTable("webhooks").set({
      failures: sql<number>`failures + 1`,
      failing_since: sql<Date>`coalesce(failing_since, ${databaseTime()})`,
      rests_until: sql<Date>`${databaseTime()} + ${rest}`,
    }).where("id", "=", webhookId)
      .where((eb) => eb.or([eb("rests_until", "is", null), eb("rests_until", "<=", databaseTime())])).execute();
    if (isGone) await disable(trx, services, { webhookId, reason: "gone" });
    else await disable(trx, services, { webhookId, reason: "failing" });
  });
}

/** Lets a webhook that rests after a failure be sent to at once. */
export async function endRest(db: Db, webhookId: string): Promise<void> {
  await db.updateTable("webhooks").set({ rests_until: null }).where("id", "=", webhookId).execute();
}

async function disable(
  trx: Transaction<Database>,
  services: Services,
  { webhookId, reason }: { webhookId: string; reason: DisableReason },
): Promise<void> {
  const { databaseTime, now } = services;
  const disabled = await trx.updateTable("webhooks").set({ disabled_at: databaseTime(), disabled_because: reason })
    .where("id", "=", webhookId).where("disabled_at", "is", null).where("deleted_at", "is", null)
    .$if(reason === "failing", (query) => query.where("failing_since", "<=", databaseTime(-DISABLED_AFTER_SECONDS)))
    .returning(["created_by", "url"]).executeTakeFirst();
  if (disabled === undefined) return;
  const details = { webhook: webhookId, change: "disabled", reason };
  await recordEvent(trx, { kind: "webhook.changed", userId: null, actorId: null, client: null, details }, now());
  if (reason === "gone" || disabled.created_by === null) return;
  const user = await trx.selectFrom("users").select(["id", "email"]).where("id", "=", disabled.created_by)
    .where("role", "=", "admin").where("email_verified", "=", true).forNoKeyUpdate().executeTakeFirst();
  if (user === undefined) return;
  const { host } = new URL(disabled.url);
  await sendEmail(trx, services, { kind: "webhook_disabled", user, facts: { host } });
}
