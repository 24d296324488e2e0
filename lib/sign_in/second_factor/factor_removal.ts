import type { Transaction } from "kysely";
import type { Database } from "../../../db/schema.ts";
import { voidLinks } from "../../mail/links/emailed_token.ts";
import { endSecondSteps } from "../../access/second_step.ts";
import { endTrust } from "../../activity/trusted_device.ts";

/** Removes all second factors of a user, and everything that waits for them. Returns whether there was one. */
export async function removeFactors(trx: Transaction<Database>, userId: string): Promise<boolean> {
  const removed = await trx.deleteFrom("totp_secrets").where("user_id", "=", userId).returning("enabled_at")
    .executeTakeFirst();
  await trx.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  await voidFactorResets(trx, userId);
  await endSecondSteps(trx, userId);
  await endTrust(trx, userId);
  return removed !== undefined && removed.enabled_at !== null;
}

/**
 * Stops a removal of the user's factors that waits, voids the links about it and cancels the emails that carry them.
 * Call it whenever the account gets another address or password: whoever started the wait may have had only the old
 * one.
 */
export async function voidFactorResets(trx: Transaction<Database>, userId: string): Promise<void> {
  await trx.deleteFrom("factor_resets").where("user_id", "=", userId).execute();
  await voidLinks(trx, userId, "factor_reset_tokens", "factor_reset_stop_tokens");
}
