import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { findRateLimit } from "../limits/rate_limit.ts";
import { sendEmail } from "../links/send_email.ts";
import { mayQueueMail } from "../mail/outbox.ts";
import type { Services } from "../services.ts";
import { guessesFor } from "./account_limit.ts";

const ALERT = "many_wrong_passwords";

/**
 * Alerts the owner of an address when wrong passwords have used up its limit. Call it in equal time, after the user's row has
 * been locked, so that concurrent calls send one alert.
 */
export async function alertIfGuessed(trx: Transaction<Database>, services: Services, email: string): Promise<void> {
  const limit = await findRateLimit({ ...services, db: trx }, guessesFor(email));
  if (limit?.remaining === 0) await alertOwner(trx, services, email);
}

async function alertOwner(trx: Transaction<Database>, services: Services, email: string): Promise<void> {
  const user = await trx.selectFrom("users").select(["id", "email"])
    .where("email", "=", email).where("email_verified", "=", true).executeTakeFirst();
  if (user !== undefined) await sendEmail(trx, services, { kind: ALERT, user });
  else await mayQueueMail(trx, { kind: ALERT, userId: "", now: services.now() }); // the query that sending begins with
}
