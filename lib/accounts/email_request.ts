import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import type { LinkTarget } from "../mail/links/emailed_token.ts";
import { sendEmail } from "../mail/links/send_email.ts";
import { countMail, countMailRequest } from "../mail/mail_limits.ts";
import type { Services } from "../services/services.ts";
import { lockUserByEmail } from "../users/user_lock.ts";
import type { AddressRow } from "../users/user_row.ts";
import { inEqualTime } from "./equal_time.ts";

/** An email that anyone can ask for, to any address. */
export interface EmailRequest extends LinkTarget {
  kind: "verification" | "reset" | "sign_in_code";
  email: string;
  /** The secret of the browser that asks for a code. */
  requestToken?: string;
}

/**
 * Sends an email if the address has an account that may get it and has not reached the limit. Neither the response nor
 * its time reveals whether it did.
 *
 * @returns whether the address has used up its emails. Requests for unknown addresses count too.
 */
export async function requestEmail(
  services: Services,
  { kind, email, next, requestToken }: EmailRequest,
  mayGet: (user: AddressRow, trx: Transaction<Database>) => boolean | Promise<boolean>,
): Promise<boolean> {
  return await inEqualTime(services, email, async (trx) => {
    const now = services.now();
    const counted = { kind, to: email, now, config: services.config };
    const isExhausted = await countMailRequest(trx, counted);
    const user = await lockUserByEmail(trx, email);
    if (user !== null && await mayGet(user, trx)) {
      await sendEmail(trx, services, { kind, user, now, next, requestToken });
    } else await countMail(trx, counted); // the query that sending begins with
    return isExhausted;
  });
}
