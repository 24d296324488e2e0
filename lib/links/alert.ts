import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import type { Client } from "../activity/client.ts";
import { deviceName } from "../activity/device_name.ts";
import { hashToken } from "../crypto/token.ts";
import { DAY_SECONDS } from "../duration.ts";
import { countInWindow, forgetRequests } from "../limits/request_window.ts";
import { type AlertDetails, type AlertFacts, type AlertKind, mailsWith } from "../mail/kinds.ts";
import { mailLanguage, type MailServices, sendEmail } from "./send_email.ts";

/** How many alerts of one kind an address gets within a day. One more says that the rest of the day brings no others. */
const ALERTS_A_DAY = 5;

/** An action to report to the owner of the account, and the client that performed it. */
export type Alert<Kind extends AlertKind> = {
  kind: Kind;
  userId: string;
  client: Client;
  /** The time that the action itself records. “Not me” reverts what has happened since then, the action included. */
  now: Date;
} & (Kind extends keyof AlertDetails ? { details: AlertDetails[Kind] } : { details?: undefined });

/**
 * Sends an email that reports an action, with the link “not me”, which secures the account. Call it in the transaction of
 * the action, with the user's row locked, and before the address changes.
 *
 * An unverified address gets no alert: it may belong to someone else, who could take the account with the link. An address
 * that has had five alerts of one kind within a day gets one more, which says so. Its link also undoes what follows.
 */
export async function sendAlert<Kind extends AlertKind>(
  trx: Transaction<Database>,
  services: MailServices,
  { kind, userId, client, now, details }: Alert<Kind>,
): Promise<void> {
  const user = await trx.selectFrom("users").select(["id", "email", "email_verified"])
    .where("id", "=", userId).executeTakeFirstOrThrow();
  if (!user.email_verified) return;
  const { requests, window_ends_at } = await countAlert(trx, { kind, email: user.email, now });
  if (requests > ALERTS_A_DAY + 1) return;
  const silentUntil = requests > ALERTS_A_DAY ? window_ends_at : undefined;
  const facts: AlertFacts = {
    happenedAt: now,
    device: deviceName(client.userAgent, await mailLanguage(trx, services, user.id)),
    silentUntil,
    ...details,
  };
  await sendEmail<AlertKind>(trx, services, { kind, user, facts, now });
}

/** Counts by address, not by user: otherwise alerts to a thief's address would silence those to the owner's. */
async function countAlert(
  trx: Transaction<Database>,
  { kind, email, now }: { kind: AlertKind; email: string; now: Date },
) {
  const clients = [countedAs(email)];
  const [window] = await countInWindow(trx, { policy: kind, clients, windowSeconds: DAY_SECONDS, now });
  return window;
}

/** Lets an address get as many alerts as on a new day. Call it when its owner has secured the account. */
export async function forgetAlerts(trx: Transaction<Database>, email: string): Promise<void> {
  await forgetRequests(trx, [countedAs(email)], mailsWith({ tokens: "not_me_tokens" }));
}

function countedAs(email: string): string {
  return `email:${hashToken(email)}`;
}
