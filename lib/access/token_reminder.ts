import { selectedOnce } from "../../db/selected_once.ts";
import { DAY_SECONDS, secondsAfter } from "../duration.ts";
import type { Services } from "../services/services.ts";
import { type MailServices, sendEmail } from "../mail/links/send_email.ts";

/** How long before its end a token is announced to end. */
const REMINDER_SECONDS = 7 * DAY_SECONDS;
/** Tokens that one run announces. */
const BATCH_TOKENS = 100;

/** Returns when to announce the end of a token. Null for tokens that do not last longer than the announcement. */
export function remindAt(createdAt: Date, expiresAt: Date): Date | null {
  const date = secondsAfter(expiresAt, -REMINDER_SECONDS);
  return date > createdAt ? date : null;
}

/**
 * Sends an email for each token that ends within seven days, once. Unverified addresses get none: they may belong to
 * someone else. Any number of instances may do this at once.
 *
 * @returns the number of tokens.
 */
export async function sendTokenReminders(
  services: Pick<Services, "db" | "databaseTime"> & MailServices,
): Promise<number> {
  const { db, databaseTime } = services;
  return await db.transaction().execute(async (trx) => {
    const due = trx.selectFrom("api_tokens").select("id").where("remind_at", "<=", databaseTime())
      .orderBy("remind_at").limit(BATCH_TOKENS).forUpdate().skipLocked();
    const claimed = await trx.updateTable("api_tokens").set({ remind_at: null }).where("id", "=", selectedOnce(due))
      .returning(["user_id", "name", "hint", "expires_at"]).execute();
    for (const { user_id, name, hint, expires_at: expiresAt } of claimed) {
      const user = await trx.selectFrom("users").select(["id", "email"]).where("id", "=", user_id)
        .where("email_verified", "=", true).executeTakeFirst();
      if (user === undefined) continue;
      await sendEmail(trx, services, { kind: "token_expiring", user, facts: { name, hint, expiresAt }, expiresAt });
    }
    return claimed.length;
  });
}
