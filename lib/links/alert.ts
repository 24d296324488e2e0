import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import type { Client } from "../activity/client.ts";
import { deviceName } from "../activity/device_name.ts";
import type { AlertKind } from "../mail/kinds.ts";
import { MAIL_LANGUAGE, type MailServices, sendEmail } from "./send_email.ts";

/** An action to report to the owner of the account, and the client that performed it. */
export interface Alert {
  kind: AlertKind;
  userId: string;
  client: Client;
  /** The time that the action itself records. “Not me” reverts what has happened since then, the action included. */
  now: Date;
}

/**
 * Sends an email that reports an action, with the link “not me”, which secures the account. Call it in the transaction of
 * the action, with the user's row locked, and before the address changes.
 *
 * An unverified address gets no alert: it may belong to someone else, who could take the account with the link.
 */
export async function sendAlert(
  trx: Transaction<Database>,
  services: MailServices,
  { kind, userId, client, now }: Alert,
): Promise<void> {
  const user = await trx.selectFrom("users").select(["id", "email", "email_verified"])
    .where("id", "=", userId).executeTakeFirstOrThrow();
  if (!user.email_verified) return;
  const facts = { happenedAt: now, device: deviceName(client.userAgent, MAIL_LANGUAGE) };
  await sendEmail(trx, services, { kind, user, facts, now });
}
