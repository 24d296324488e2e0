import type { Transaction } from "kysely";
import type { AlertKind, Database } from "../../db/schema.ts";
import type { Client } from "../activity/client.ts";
import { deviceName } from "../activity/device_name.ts";
import { DAY_SECONDS, secondsAfter } from "../duration.ts";
import { alertMail } from "../mail/messages.ts";
import { mayQueueMail, queueMail } from "../mail/outbox.ts";
import type { Services } from "../services.ts";
import { issueAddressToken } from "./address_token.ts";
import { MAIL_LANGUAGE } from "./link_email.ts";

/** How long the link in an alert works. */
const ALERT_SECONDS = 7 * DAY_SECONDS;

/** An action to report to the owner of the account, and the client that performed it. */
export interface Alert {
  kind: AlertKind;
  userId: string;
  client: Client;
  /** The time that the action itself records. “Not me” reverts what has happened since then, the action included. */
  now: Date;
}

/**
 * Queues an email that reports an action, with the link “not me”, which secures the account. Call it in the transaction
 * of the action, with the user's row locked, and before the address changes.
 *
 * An unverified address gets no alert: it may belong to someone else, who could take the account with the link. New
 * devices are reported at most five times a day.
 */
export async function sendAlert(
  trx: Transaction<Database>,
  { config }: Pick<Services, "config">,
  { kind, userId, client, now }: Alert,
): Promise<void> {
  const { email, email_verified } = await trx.selectFrom("users").select(["email", "email_verified"])
    .where("id", "=", userId).executeTakeFirstOrThrow();
  if (!email_verified) return;
  if (kind === "new_device" && !await mayQueueMail(trx, { kind, userId, now })) return;
  const expiresAt = secondsAfter(now, ALERT_SECONDS);
  const token = await issueAddressToken(trx, "not_me_tokens", { userId, email, now, expiresAt });
  const mail = alertMail(kind, {
    to: email,
    link: `${config.baseUrl}/not-me?${new URLSearchParams({ token })}`,
    lifetimeSeconds: ALERT_SECONDS,
    language: MAIL_LANGUAGE,
    happenedAt: now,
    device: deviceName(client.userAgent, MAIL_LANGUAGE),
  });
  await queueMail(trx, { kind, userId, mail, expiresAt, now, config });
}
