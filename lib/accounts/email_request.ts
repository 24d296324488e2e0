import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { hashToken } from "../crypto/token.ts";
import { countInWindow } from "../limits/request_window.ts";
import type { LinkTarget } from "../links/emailed_token.ts";
import { sendEmail } from "../links/send_email.ts";
import { mailDeclaration } from "../mail/kinds.ts";
import { mayQueueMail } from "../mail/outbox.ts";
import type { Services } from "../services.ts";
import { lockUserByEmail } from "../users/user_lock.ts";
import type { AddressRow } from "../users/user_row.ts";
import { inEqualTime } from "./equal_time.ts";

/** An email that anyone can ask for, to any address. */
export interface EmailRequest extends LinkTarget {
  kind: "verification" | "reset" | "sign_in_code";
  email: string;
}

/**
 * Sends an email if the address has an account that may get it and has not reached the limit. Neither the response nor its
 * time reveals whether it did.
 *
 * @returns whether the address has used up its emails. Requests for unknown addresses count too.
 */
export async function requestEmail(
  services: Services,
  { kind, email, next }: EmailRequest,
  mayGet: (user: AddressRow) => boolean = () => true,
): Promise<boolean> {
  return await inEqualTime(services, email, async (trx) => {
    const now = services.now();
    const isExhausted = await countRequest(trx, { kind, email, now });
    const user = await lockUserByEmail(trx, email);
    if (user !== null && mayGet(user)) await sendEmail(trx, services, { kind, user, now, next });
    else await mayQueueMail(trx, { kind, userId: "", now }); // the query that sending begins with
    return isExhausted;
  });
}

/** Counts a request, whether or not the address has an account. Registration has already sent the first confirmation. */
async function countRequest(
  trx: Transaction<Database>,
  { kind, email, now }: EmailRequest & { now: Date },
): Promise<boolean> {
  const { quota, windowSeconds } = mailDeclaration(kind).limit!;
  const clients = [`email:${hashToken(email)}`];
  const [{ requests }] = await countInWindow(trx, { policy: kind, clients, windowSeconds, now });
  return requests + (kind === "verification" ? 1 : 0) > quota;
}
