import { getAccount } from "../../accounts/own_account.ts";
import { sendAlert } from "../../mail/links/alert.ts";
import { eventBy, lockPrincipal, type Principal } from "../../access/principal.ts";
import { requireSecondFactor } from "../../access/second_factor_duty.ts";
import { endSessionsWithoutFactor } from "../../access/session.ts";
import { recordEvent } from "../../activity/events.ts";
import { HOUR_SECONDS, secondsAfter } from "../../duration.ts";
import { AppError } from "../../errors/errors.ts";
import type { TotpSetupView } from "./schema.ts";
import type { Services } from "../../services/services.ts";
import { checkProof, proofWrong, requireRecentProof, wrongProof } from "../proof.ts";
import { removeFactors } from "./factor_removal.ts";
import { createRecoveryCodes, noTotp, storeRecoveryCodes } from "./recovery_codes.ts";
import { createSecret, findStep, totpUri } from "./totp.ts";
import { sealSecret, unsealSecret } from "./totp_secret.ts";

/** How long a new secret waits for its first code. */
const PENDING_SECONDS = HOUR_SECONDS;

/**
 * Returns whether the account has an authenticator app, which a new one replaces.
 *
 * @throws {AppError} EMAIL_NOT_VERIFIED, as {@linkcode startTotp} does.
 */
export async function findReplacedTotp(services: Services, principal: Principal): Promise<{ hasTotp: boolean }> {
  const { email_verified: isVerified, hasTotp } = await getAccount(services, principal);
  requireVerified(isVerified);
  return { hasTotp };
}

function requireVerified(isVerified: boolean): void {
  if (!isVerified) throw new AppError("EMAIL_NOT_VERIFIED", { reason: "action" });
}

/**
 * Creates a secret for an authenticator app. It has no effect until a code confirms it, and then replaces an earlier
 * one. The address must be confirmed: otherwise someone could register another person's address, and lock that person
 * out.
 *
 * @throws {AppError} REAUTHENTICATION_REQUIRED; EMAIL_NOT_VERIFIED; UNAUTHENTICATED when the session has ended in the
 * meantime.
 */
export async function startTotp(services: Services, principal: Principal): Promise<TotpSetupView> {
  await requireRecentProof(services, principal, "access");
  const { config, db, now: currentTime } = services;
  const userId = principal.user.id;
  const secret = createSecret();
  const pending = await sealSecret(secret, { userId, config });
  const email = await db.transaction().execute(async (trx) => {
    const now = currentTime();
    const { email, email_verified: isVerified } = await lockPrincipal(trx, principal, now);
    requireVerified(isVerified);
    const fields = { pending_secret: pending, pending_until: secondsAfter(now, PENDING_SECONDS) };
    await trx.insertInto("totp_secrets").values({ user_id: userId, ...fields })
      .onConflict((conflict) => conflict.column("user_id").doUpdateSet(fields)).execute();
    return email;
  });
  return await setupOf(secret, services.config.brand.name, email);
}

/**
 * Returns what the app needs for the secret that waits for its first code, or null.
 *
 * @throws {AppError} REAUTHENTICATION_REQUIRED.
 */
export async function findPendingTotp(services: Services, principal: Principal): Promise<TotpSetupView | null> {
  await requireRecentProof(services, principal, "access");
  const pending = await findPending(services, principal);
  return pending === null ? null : await setupOf(pending.secret, services.config.brand.name, principal.user.email);
}

/**
 * Turns on the second factor, with the first code of the app. That code is spent.
 *
 * @returns the recovery codes, which are shown only now.
 * @throws {AppError} PROOF_WRONG, also when no secret waits or it has been replaced; RATE_LIMITED; UNAUTHENTICATED when
 * the session has ended in the meantime.
 */
export async function confirmTotp(services: Services, principal: Principal, code: string): Promise<string[]> {
  const { db, now: currentTime } = services;
  const { user: { id: userId }, client } = principal;
  const pending = await findPending(services, principal);
  let step: number | null = null;
  const isRight = async () => {
    if (pending !== null) step = await findStep(code, { secret: pending.secret, time: currentTime(), after: 0 });
    return step !== null;
  };
  await checkProof(services, { proof: "code", field: "code", isRight, wrong: wrongProof(principal, "totp_setup") });
  const { codes, hashes } = await createRecoveryCodes(services, userId);
  await db.transaction().execute(async (trx) => {
    const now = currentTime();
    await lockPrincipal(trx, principal, now);
    await endSessionsWithoutFactor(trx, services, principal);
    const { numUpdatedRows } = await trx.updateTable("totp_secrets")
      .set({
        secret: pending!.sealed,
        last_step: step!,
        enabled_at: now,
        pending_secret: null,
        pending_until: null,
      })
      .where("user_id", "=", userId).where("pending_secret", "=", pending!.sealed).executeTakeFirst();
    if (numUpdatedRows === 0n) throw proofWrong({ proof: "code", field: "code" });
    await recordEvent(trx, { ...eventBy(principal), kind: "totp.enabled" }, now);
    await storeRecoveryCodes(trx, { principal, hashes, now });
    await sendAlert(trx, services, { kind: "totp_enabled", userId, client, now });
  });
  return codes;
}

/**
 * Turns off the second factor.
 *
 * @throws {AppError} REAUTHENTICATION_REQUIRED; NOT_FOUND without an authenticator app; LAST_SECOND_FACTOR;
 * UNAUTHENTICATED when the session has ended in the meantime.
 */
export async function disableTotp(services: Services, principal: Principal): Promise<void> {
  await requireRecentProof(services, principal);
  const { user: { id: userId }, client } = principal;
  await services.db.transaction().execute(async (trx) => {
    const now = services.now();
    await lockPrincipal(trx, principal, now);
    if (!await removeFactors(trx, userId)) throw noTotp();
    await requireSecondFactor(trx, services, principal.user);
    await recordEvent(trx, { ...eventBy(principal), kind: "totp.disabled" }, now);
    await sendAlert(trx, services, { kind: "totp_disabled", userId, client, now });
  });
}

async function findPending(
  { db, config, now }: Services,
  { user: { id: userId } }: Principal,
): Promise<{ sealed: string; secret: string } | null> {
  const row = await db.selectFrom("totp_secrets").select("pending_secret")
    .where("user_id", "=", userId).where("pending_until", ">", now()).executeTakeFirst();
  if (!row?.pending_secret) return null;
  return { sealed: row.pending_secret, secret: await unsealSecret(row.pending_secret, { userId, config }) };
}

async function setupOf(secret: string, issuer: string, account: string): Promise<TotpSetupView> {
  const uri = totpUri({ secret, issuer, account });
  return { secret, uri, qr: await qrCode(uri) };
}

/** Draws a text as a QR code, in SVG. Loads the package at the first call: most processes never need it. */
async function qrCode(text: string): Promise<string> {
  const { renderSVG } = await import("uqr");
  return renderSVG(text, { border: 4 });
}
