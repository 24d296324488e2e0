import type { Transaction } from "kysely";
import type { Database } from "../../../db/schema.ts";
import { consumeAddressToken, findTokenAddress } from "../../mail/links/address_token.ts";
import { sendAlert } from "../../mail/links/alert.ts";
import { invalidToken } from "../../mail/links/emailed_token.ts";
import { sendEmail } from "../../mail/links/send_email.ts";
import { lockUser } from "../../users/user_lock.ts";
import type { Client } from "../../activity/client.ts";
import { findSecondFactorDuty } from "../../access/second_factor_duty.ts";
import { recordEvent } from "../../activity/events.ts";
import { hashToken } from "../../crypto/token.ts";
import { DAY_SECONDS, secondsAfter } from "../../duration.ts";
import { AppError } from "../../errors/errors.ts";
import type { Services } from "../../services/services.ts";
import { purgePasskeys } from "../passkeys/passkey_purge.ts";
import { removeFactors, voidFactorResets } from "./factor_removal.ts";
import type { WaitingSignIn } from "./finish_sign_in.ts";
import { isTotpEnabled } from "./totp_secret.ts";

/**
 * A way back for people who have lost their app and their recovery codes, or a passkey that SECOND_FACTOR demands: a
 * wait. Meanwhile, emails give the owner time to stop it.
 */

const START_TOKENS = "factor_reset_tokens";
const STOP_TOKENS = "factor_reset_stop_tokens";
/** Accounts that one run of the due work handles. */
const BATCH = 10;

/**
 * Emails a link that starts the wait, to a person whose first proof was right. At most three an hour; earlier
 * links stay valid. The caller counts the email.
 *
 * @returns whether the account gets no more of these emails now.
 * @throws {AppError} NOT_FOUND when FACTOR_RESET_HOURS is 0.
 */
export async function requestFactorReset(services: Services, { userId }: WaitingSignIn): Promise<boolean> {
  requireResets(services);
  const isSent = await services.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, userId);
    return user !== null && await sendEmail(trx, services, { kind: "factor_reset", user });
  });
  return !isSent;
}

/** Finds the address that a link which starts the wait was emailed to, or null if it does not work. Nothing changes. */
export async function findFactorReset({ config, db, now }: Services, token: string): Promise<string | null> {
  if (config.factorResetSeconds === 0) return null;
  return await findTokenAddress(db, START_TOKENS, { token, now: now() });
}

/**
 * Starts the wait, and emails the owner about it. A wait that has already started goes on.
 *
 * @throws {AppError} INVALID_TOKEN, also for an account that has no second factor anymore; NOT_FOUND when
 * FACTOR_RESET_HOURS is 0.
 */
export async function startFactorReset(services: Services, token: string, client: Client): Promise<void> {
  const { config, db, now: currentTime } = services;
  requireResets(services);
  const now = currentTime();
  await db.transaction().execute(async (trx) => {
    const { user } = await consumeAddressToken(trx, START_TOKENS, { token, now });
    if (!await hasDemandedFactor(trx, services, user.id)) throw invalidToken();
    const dueAt = secondsAfter(now, config.factorResetSeconds);
    const started = await trx.insertInto("factor_resets").values({
      user_id: user.id,
      due_at: dueAt,
      next_act_at: now,
      client_address: client.address,
      user_agent: client.userAgent,
    }).onConflict((conflict) => conflict.doNothing()).returning("user_id").executeTakeFirst();
    if (started !== undefined) await remind(trx, services, { user, dueAt });
  });
}

/**
 * Finds when the factors will be removed, which a link can stop, or null if the link does not work. Nothing changes.
 */
export async function findWaitingReset({ db, now }: Services, token: string): Promise<Date | null> {
  if (await findTokenAddress(db, STOP_TOKENS, { token, now: now() }) === null) return null;
  const row = await db.selectFrom("factor_reset_stop_tokens as tokens")
    .innerJoin("factor_resets", "factor_resets.user_id", "tokens.user_id")
    .select("due_at").where("token_hash", "=", hashToken(token)).executeTakeFirst();
  return row?.due_at ?? null;
}

/**
 * Stops the wait. The factors stay.
 *
 * @throws {AppError} INVALID_TOKEN.
 */
export async function stopFactorReset({ db, now }: Services, token: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { user } = await consumeAddressToken(trx, STOP_TOKENS, { token, now: now() });
    await voidFactorResets(trx, user.id);
  });
}

/**
 * Removes the factors after the wait, and sends the daily emails that are due. Any number of instances may do this at
 * once: the lock on the user decides.
 *
 * @returns the number of accounts handled.
 */
export async function runDueFactorResets(services: Services): Promise<number> {
  const { config, db, databaseTime } = services;
  if (config.factorResetSeconds === 0) return 0;
  const rows = await db.selectFrom("factor_resets").select("user_id").where("next_act_at", "<=", databaseTime())
    .orderBy("next_act_at").limit(BATCH).execute();
  let handled = 0;
  for (const { user_id: userId } of rows) {
    handled += await db.transaction().execute((trx) => runDueReset(trx, services, userId));
  }
  return handled;
}

async function runDueReset(trx: Transaction<Database>, services: Services, userId: string): Promise<number> {
  const user = await lockUser(trx, userId);
  const reset = await trx.selectFrom("factor_resets").select(["next_act_at", "due_at", "client_address", "user_agent"])
    .where("user_id", "=", userId).where("next_act_at", "<=", services.databaseTime()).executeTakeFirst();
  if (user === null || reset === undefined) return 0;
  const { next_act_at: nextActAt, due_at: dueAt, client_address: address, user_agent: userAgent } = reset;
  if (nextActAt < dueAt) await remind(trx, services, { user, dueAt });
  else await finishReset(trx, services, { userId, client: { address, userAgent } });
  return 1;
}

/** Emails a link that stops the wait. Earlier ones keep working. */
async function remind(
  trx: Transaction<Database>,
  services: Services,
  { user, dueAt }: { user: { id: string; email: string }; dueAt: Date },
): Promise<void> {
  const now = services.now();
  await sendEmail(trx, services, { kind: "factor_reset_waiting", user, facts: { dueAt }, expiresAt: dueAt, now });
  const tomorrow = secondsAfter(now, DAY_SECONDS);
  await trx.updateTable("factor_resets").set({ next_act_at: tomorrow < dueAt ? tomorrow : dueAt })
    .where("user_id", "=", user.id).execute();
}

async function finishReset(
  trx: Transaction<Database>,
  services: Services,
  { userId, client }: { userId: string; client: Client },
): Promise<void> {
  const now = services.now();
  const reason = "factor_reset";
  if (await isPasskeyDemanded(trx, services, userId)) {
    await purgePasskeys(trx, { userId, reason, client, now });
    await sendAlert(trx, services, { kind: "passkey_removed", userId, client, now });
  }
  if (!await removeFactors(trx, userId)) return;
  await recordEvent(trx, { kind: "totp.disabled", userId, client, details: { reason } }, now);
  await sendAlert(trx, services, { kind: "totp_disabled", userId, client, now });
}

/** Whether the second step asks for an authenticator app or a passkey. */
async function hasDemandedFactor(trx: Transaction<Database>, services: Services, userId: string): Promise<boolean> {
  return await isTotpEnabled(trx, userId) || await isPasskeyDemanded(trx, services, userId);
}

async function isPasskeyDemanded(trx: Transaction<Database>, services: Services, userId: string): Promise<boolean> {
  return (await findSecondFactorDuty({ ...services, db: trx }, { id: userId }))?.hasPasskey ?? false;
}

function requireResets({ config }: Pick<Services, "config">): void {
  if (config.factorResetSeconds === 0) throw new AppError("NOT_FOUND", { reason: "factorReset" });
}
