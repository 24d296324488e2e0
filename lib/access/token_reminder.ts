import { DAY_SECONDS, secondsAfter } from "../duration.ts";
import { tokenExpiringMail } from "../mail/messages.ts";
import { queueMail } from "../mail/outbox.ts";
import type { Services } from "../services.ts";
import { MAIL_LANGUAGE } from "../links/link_email.ts";

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
 * Queues an email for each token that ends within seven days, once. Unverified addresses get none: they may belong to
 * someone else. Any number of instances may do this at once.
 *
 * @returns the number of tokens.
 */
export async function sendTokenReminders(
  services: Pick<Services, "db" | "config" | "now" | "databaseTime" | "outboxSignal">,
): Promise<number> {
  const { db, config, databaseTime, outboxSignal } = services;
  const now = services.now();
  const due = await db.transaction().execute(async (trx) => {
    const claimed = await trx.updateTable("api_tokens").set({ remind_at: null })
      .where(
        "id",
        "in",
        trx.selectFrom("api_tokens").select("id").where("remind_at", "<=", databaseTime())
          .orderBy("remind_at").limit(BATCH_TOKENS).forUpdate().skipLocked(),
      )
      .returning(["user_id", "name", "hint", "expires_at"]).execute();
    for (const { user_id: userId, name, hint, expires_at: expiresAt } of claimed) {
      const user = await trx.selectFrom("users").select("email").where("id", "=", userId)
        .where("email_verified", "=", true).executeTakeFirst();
      if (user === undefined) continue;
      const link = `${config.baseUrl}/settings/tokens`;
      const mail = tokenExpiringMail({ to: user.email, link, language: MAIL_LANGUAGE, name, hint, expiresAt });
      await queueMail(trx, { kind: "token_expiring", userId, mail, expiresAt, now, config });
    }
    return claimed.length;
  });
  if (due > 0) outboxSignal.wake();
  return due;
}
