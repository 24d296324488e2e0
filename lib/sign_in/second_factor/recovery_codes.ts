import type { Transaction } from "kysely";
import type { Database } from "../../../db/schema.ts";
import { sendAlert } from "../../mail/links/alert.ts";
import { eventBy, lockPrincipal, type Principal } from "../../access/principal.ts";
import { lockUser } from "../../users/user_lock.ts";
import type { Client } from "../../activity/client.ts";
import { endTrust } from "../../activity/trusted_device.ts";
import { recordEvent } from "../../activity/events.ts";
import { sharedPlaces, tooBusy } from "../../turns/concurrency_limit.ts";
import { hashAlike, hashPassword, type HashWork } from "../../crypto/password.ts";
import { AppError } from "../../errors/errors.ts";
import type { Services } from "../../services/services.ts";
import { requireRecentProof } from "../proof.ts";
import { type EnteredCode, isTotpEnabled } from "./totp_secret.ts";

const CODES = 10;
const CODE_CHARACTERS = 16;
const GROUP = /.{4}(?=.)/g;
/** Source: https://www.crockford.com/base32.html */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A new set of recovery codes. */
export interface RecoveryCodes {
  /** As people see them, once. */
  codes: string[];
  /** What is stored of them. */
  hashes: string[];
}

/**
 * Creates recovery codes. Do it before a transaction: the hashes are slow. All isolates of this process create one set
 * for a user at a time. To queue others would help nobody, because each replaces the one before.
 *
 * @throws {AppError} UNAVAILABLE while another set is being created for the user.
 */
export async function createRecoveryCodes(
  { config }: Pick<Services, "config">,
  userId: string,
): Promise<RecoveryCodes> {
  const work = { iterations: config.pbkdf2Iterations, owner: userId };
  const created = await sharedPlaces(`recovery codes of ${userId}`, 1).runNow(() => createAndHash(work));
  if (created === null) throw tooBusy();
  return created;
}

async function createAndHash({ iterations, owner }: HashWork): Promise<RecoveryCodes> {
  const codes = Array.from({ length: CODES }, createCode);
  const hashes = [await hashPassword(codes[0], { iterations, owner })];
  // One after the other, so that they never fill the queue for slow hashes. They share one salt.
  for (const code of codes.slice(1)) hashes.push(await hashAlike(code, { storedHash: hashes[0], owner }));
  return { codes: codes.map((code) => code.replaceAll(GROUP, "$&-")), hashes };
}

/** Replaces the recovery codes of a user. They come with a new authenticator app, too, so the trust in devices ends. */
export async function storeRecoveryCodes(
  trx: Transaction<Database>,
  { principal, hashes, now }: { principal: Principal; hashes: string[]; now: Date },
): Promise<void> {
  const userId = principal.user.id;
  await trx.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  await endTrust(trx, userId);
  await trx.insertInto("recovery_codes")
    .values(hashes.map((hash) => ({ user_id: userId, code_hash: hash, created_at: now }))).execute();
  await recordEvent(trx, { ...eventBy(principal), kind: "recovery_codes.made" }, now);
}

/**
 * Gives a user new recovery codes, and alerts the user. The earlier ones stop working.
 *
 * @throws {AppError} REAUTHENTICATION_REQUIRED; NOT_FOUND without an authenticator app; UNAVAILABLE while another
 * request of the user creates codes; UNAUTHENTICATED when the session has ended in the meantime.
 */
export async function renewRecoveryCodes(services: Services, principal: Principal): Promise<string[]> {
  await requireRecentProof(services, principal);
  await requireTotp(services, principal);
  const { user: { id: userId }, client } = principal;
  const { codes, hashes } = await createRecoveryCodes(services, userId);
  await services.db.transaction().execute(async (trx) => {
    const now = services.now();
    await lockPrincipal(trx, principal, now);
    if (!await isTotpEnabled(trx, userId)) throw noTotp();
    await storeRecoveryCodes(trx, { principal, hashes, now });
    await sendAlert(trx, services, { kind: "recovery_codes_created", userId, client, now });
  });
  return codes;
}

/**
 * Requires that the principal's account has an authenticator app.
 *
 * @throws {AppError} NOT_FOUND.
 */
export async function requireTotp({ db }: Pick<Services, "db">, { user }: Principal): Promise<void> {
  if (!await isTotpEnabled(db, user.id)) throw noTotp();
}

/** Returns the error for an account without an authenticator app. */
export function noTotp(): AppError {
  return new AppError("NOT_FOUND", { reason: "authenticator" });
}

/**
 * Checks a recovery code and spends it, with one slow hash. Of several concurrent calls with one code, exactly one
 * succeeds: the deletion decides. Alerts the user.
 */
export async function spendRecoveryCode(
  services: Services,
  { userId, code, client }: EnteredCode & { client: Client },
): Promise<boolean> {
  const { db, now: currentTime } = services;
  const some = await db.selectFrom("recovery_codes").select("code_hash").where("user_id", "=", userId).limit(1)
    .executeTakeFirst();
  const typed = readable(code);
  if (some === undefined || typed.length !== CODE_CHARACTERS) return false;
  const hash = await hashAlike(typed, { storedHash: some.code_hash, owner: userId });
  return await db.transaction().execute(async (trx) => {
    if (await lockUser(trx, userId) === null) return false;
    const { numDeletedRows } = await trx.deleteFrom("recovery_codes")
      .where("user_id", "=", userId).where("code_hash", "=", hash).executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    const now = currentTime();
    await recordEvent(trx, { kind: "recovery_code.used", userId, client }, now);
    await sendAlert(trx, services, { kind: "recovery_code_used", userId, client, now });
    return true;
  });
}

/** All codes are equally likely, because 32 divides the values of a byte. */
function createCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(CODE_CHARACTERS));
  return [...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** Replaces letters that people confuse with digits. The alphabet does not contain them. */
function readable(code: string): string {
  return code.toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1");
}
