import { recordFailedLogin } from "../activity/events.ts";
import { AppError } from "../errors.ts";
import type { Login } from "../schemas/account.ts";
import type { Services } from "../services.ts";
import { hashPassword, isDamaged, isOutdated, verifyPassword } from "../crypto/password.ts";
import { inEqualTime } from "../accounts/equal_time.ts";
import type { SecondStep } from "../access/second_step.ts";
import type { SessionCredential } from "../access/session.ts";
import { openSession, type SessionClient } from "../access/session_start.ts";
import { listHashMethods } from "../users/hash_methods.ts";
import { findCredentials } from "../users/user.ts";
import { lockCredentials } from "../users/user_lock.ts";
import { type User, userOfRow } from "../users/user_row.ts";
import { replacePasswordHash } from "../users/user_changes.ts";
import { underAccountLimit } from "./account_limit.ts";
import { alertIfGuessed } from "./guess_alert.ts";
import { countSignIn } from "./sign_in_count.ts";

/** Returns the error for the right proof of an account whose address is not verified. */
export function emailNotVerified(): AppError {
  return new AppError("EMAIL_NOT_VERIFIED", { reason: "login" });
}

/**
 * Opens a session for a user with the right password, or asks for the second factor. A wrong password, an unknown
 * address and an account without a password take the same time and throw the same error. A hash with fewer iterations
 * than configured is replaced, and so is one of another system. The caller counts the attempt beforehand.
 *
 * @throws {AppError} INVALID_CREDENTIALS; EMAIL_NOT_VERIFIED and ACCOUNT_SUSPENDED, only with the right password; RATE_LIMITED
 * after too many wrong passwords for the address; UNAVAILABLE when too many password hashes are queued.
 */
export async function login(
  services: Services,
  { email, password }: Login,
  client: SessionClient,
): Promise<{ user: User; session: SessionCredential | SecondStep }> {
  return await countSignIn(services, "password", () => logIn(services, { email, password }, client));
}

async function logIn(services: Services, { email, password }: Login, client: SessionClient) {
  const { db, config } = services;
  const { id, storedHash } = await underAccountLimit(
    services,
    { email, client },
    () => requireCredentials(services, { email, password }, client),
  );
  const newHash = isOutdated(storedHash, config.pbkdf2Iterations)
    ? await hashPassword(password, { iterations: config.pbkdf2Iterations, owner: client.address })
    : null;

  return await db.transaction().execute(async (trx) => {
    // If the password has just been reset, the old one must not open a session.
    const locked = await lockCredentials(trx, id);
    if (locked?.password_hash !== storedHash) throw new AppError("INVALID_CREDENTIALS", { reason: "password" });
    if (newHash !== null) {
      await replacePasswordHash(trx, { id, passwordHash: newHash });
    }
    const session = await openSession(trx, services, { userId: id, method: "password", client });
    return { user: userOfRow(locked), session };
  });
}

async function requireCredentials(
  services: Services,
  { email, password }: Login,
  client: SessionClient,
): Promise<{ id: string; storedHash: string }> {
  const { db, config, log, now } = services;
  const { user: row, hasForeignHashes } = await findCredentials(db, email);
  const storedHash = row?.password_hash ?? null;
  const work = { iterations: config.pbkdf2Iterations, owner: client.address };
  const methods = hasForeignHashes ? await listHashMethods(db) : [];
  const isRight = await verifyPassword(password, { storedHash, methods, ...work });
  if (storedHash !== null && isDamaged(storedHash)) {
    log("error", "stored password hash is damaged", { userId: row?.id });
  }
  if (row === null || storedHash === null || !isRight) {
    // Recording takes longer for an address that has an account.
    await inEqualTime(services, email, async (trx) => {
      await recordFailedLogin(trx, { email, client, reason: "password" }, now());
      await alertIfGuessed(trx, services, email);
    });
    throw new AppError("INVALID_CREDENTIALS", { reason: "password" });
  }
  if (!row.email_verified) throw emailNotVerified();
  return { id: row.id, storedHash };
}
