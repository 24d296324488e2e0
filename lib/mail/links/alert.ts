import type { Transaction } from "kysely";
import type { Database } from "../../../db/schema.ts";
import type { Client } from "../../activity/client.ts";
import { deviceName } from "../../activity/device_name.ts";
import { type AlertDetails, type AlertFacts, type AlertKind } from "../kinds.ts";
import { mailLanguage, type MailServices, sendEmail } from "./send_email.ts";

/** An action to report to the owner of the account, and the client that performed it. */
export type Alert<Kind extends AlertKind> = {
  kind: Kind;
  userId: string;
  client: Client;
  /** The time that the action itself records. “Not me” reverts what has happened since then, the action included. */
  now: Date;
} & (Kind extends keyof AlertDetails ? { details: AlertDetails[Kind] } : { details?: undefined });

/**
 * Sends an email that reports an action, with the link “not me”, which secures the account. Call it in the transaction
 * of the action, with the user's row locked, and before the address changes.
 *
 * An unverified address gets no alert: it may belong to someone else, who could take the account with the link. An
 * address that has had five alerts of one kind within a day gets one more, which says so. Its link also undoes what
 * follows.
 */
export async function sendAlert<Kind extends AlertKind>(
  trx: Transaction<Database>,
  services: MailServices,
  { kind, userId, client, now, details }: Alert<Kind>,
): Promise<void> {
  const user = await trx.selectFrom("users").select(["id", "email", "email_verified"])
    .where("id", "=", userId).executeTakeFirstOrThrow();
  if (!user.email_verified) return;
  const language = await mailLanguage(trx, services, user.id);
  const facts: AlertFacts = { happenedAt: now, device: deviceName(client.userAgent, language), ...details };
  await sendEmail<AlertKind>(trx, services, { kind, user, facts, language, now });
}
