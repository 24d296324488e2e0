import { recordEvent } from "../activity/events.ts";
import { DAY_SECONDS } from "../duration.ts";
import { type MailServices, sendEmail } from "../mail/links/send_email.ts";
import type { Services } from "../services/services.ts";
import { claimSecondFactorDates } from "../users/user_changes.ts";
import { findSecondFactorDuty } from "./second_factor_duty.ts";

/** How long before the date people are told that they must have a second factor by then. */
const NOTICE_SECONDS = 3 * DAY_SECONDS;
/** How many people one run tells. */
const BATCH_PEOPLE = 100;

/**
 * Emails the people who must have a second factor within three days and have none, once, and records that the date is
 * due. Where the date has passed, as without any time to set one up, there is only the event: the next login says it.
 * Unverified addresses get no email: they may belong to someone else. Any number of instances may do this at once.
 *
 * @returns the number of people whose date was due.
 */
export async function announceSecondFactorDates(
  services: Pick<Services, "db" | "databaseTime"> & MailServices,
): Promise<number> {
  const { db, databaseTime, config, now } = services;
  if (config.secondFactor === null) return 0;
  return await db.transaction().execute(async (trx) => {
    const claimed = await claimSecondFactorDates(trx, {
      until: databaseTime(NOTICE_SECONDS),
      now: now(),
      limit: BATCH_PEOPLE,
    });
    for (const { id, email, role, email_verified, suspended_at, deletion_due_at } of claimed) {
      const duty = await findSecondFactorDuty({ ...services, db: trx }, { id, role });
      if (duty === null || duty.hasFactor || suspended_at !== null || deletion_due_at !== null) continue;
      const dueAt = duty.dueAt!;
      const details = { dueAt: dueAt.toISOString() };
      await recordEvent(trx, { kind: "second_factor.due", userId: id, client: null, details }, now());
      if (!email_verified || dueAt <= now()) continue;
      const user = { id, email };
      await sendEmail(trx, services, { kind: "second_factor_due", user, facts: { dueAt }, expiresAt: dueAt });
    }
    return claimed.length;
  });
}
