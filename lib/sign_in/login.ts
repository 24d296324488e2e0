import { recordFailedLogin } from "../activity/events.ts";
import { requirePasswordUse } from "../config/passwords_setting.ts";
import { requireOpenDoor } from "../config/sign_in_domains.ts";
import { AppError } from "../errors/errors.ts";
import type { Login } from "./schema.ts";
import type { Services } from "../services/services.ts";
import { hashPassword, isDamaged, isOutdated, verifyPassword } from "../crypto/password.ts";
import { inEqualTime } from "../accounts/equal_time.ts";
import { openSession, type SessionClient } from "../access/session_start.ts";
import { listHashMethods } from "../users/hash_methods.ts";
import { findCredentials, findPasswordHash } from "../users/user.ts";
import { lockCredentials } from "../users/user_lock.ts";
import { userOfRow } from "../users/user_row.ts";
import { replacePasswordHash } from "../users/user_changes.ts";
import { countGuess, guessesFor } from "./account_limit.ts";
import { countSignIn, type SignedIn } from "./sign_in_count.ts";
import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { findRateLimit } from "../limits/rate_limit.ts";
import { sendEmail } from "../mail/links/send_email.ts";
import { countMail } from "../mail/mail_limits.ts";

/** Returns the error for the right proof of an account whose address is not verified. */
export function emailNotVerified(): AppError {
  return new AppError("EMAIL_NOT_VERIFIED", { reason: "login" });
}

/**
 * Opens a session for a user with the right password, or asks for the second factor. A wrong password, an unknown
 * address and an account without a password take the same time and throw the same error. A hash with fewer iterations
 * than configured is replaced, and so is one of another system. The caller counts the attempt beforehand.
 *
 * @throws {AppError} INVALID_CREDENTIALS; EMAIL_NOT_VERIFIED and ACCOUNT_SUSPENDED, only with the right password;
 * RATE_LIMITED after too many wrong passwords for the address; PROVIDER_REQUIRED; PASSWORDS_OFF; UNAVAILABLE when too
 * many password hashes are queued.
 */
export async function login(
  services: Services,
  input: Login,
  client: SessionClient,
): Promise<SignedIn> {
  return await countSignIn(services, "password", logIn(services, input, client));
}

async function logIn(services: Services, input: Login, client: SessionClient): Promise<SignedIn> {
  requireOpenDoor(services.config, input.email);
  requirePasswordUse(services.config, "open");
  const credentials = await requireCredentials(services, input, client);
  const signedIn = await openWith(services, credentials, { input, client }) ??
    // A concurrent login may have stored a new hash of the same password.
    await openWith(services, await requireSamePassword(services, credentials, { input, client }), { input, client });
  if (signedIn === null) throw wrongPassword();
  return signedIn;
}

/** An account and the hash that the password matched. */
interface Credentials {
  id: string;
  storedHash: string;
}

/** Opens a session, or returns null if the hash of the password has been replaced in the meantime. */
async function openWith(
  services: Services,
  { id, storedHash }: Credentials,
  { input, client }: { input: Login; client: SessionClient },
): Promise<SignedIn | null> {
  const { db, config: { pbkdf2Iterations: iterations } } = services;
  const newHash = isOutdated(storedHash, iterations)
    ? await hashPassword(input.password, { iterations, owner: client.address })
    : null;
  return await db.transaction().execute(async (trx) => {
    // If the password has just been reset, the old one must not open a session.
    const locked = await lockCredentials(trx, id);
    if (locked?.password_hash !== storedHash) return null;
    if (newHash !== null) await replacePasswordHash(trx, { id, passwordHash: newHash });
    const session = await openSession(trx, services, { userId: id, method: "password", client });
    return { user: userOfRow(locked, services), session };
  });
}

/** Checks the password against the hash that the account has now. It was right a moment ago, so it is no guess. */
async function requireSamePassword(
  { db, config }: Services,
  { id }: Credentials,
  { input: { password }, client }: { input: Login; client: SessionClient },
): Promise<Credentials> {
  const storedHash = await findPasswordHash(db, id);
  const work = { iterations: config.pbkdf2Iterations, owner: client.address };
  if (storedHash === null || !await verifyPassword(password, { storedHash, ...work })) throw wrongPassword();
  return { id, storedHash };
}

/** Finds the account that has this address and this password. A wrong password counts for the address. */
async function requireCredentials(
  services: Services,
  { email, password }: Login,
  client: SessionClient,
): Promise<Credentials> {
  const { db, config, log } = services;
  await using guess = await countGuess(services, { email, client });
  const { user: row, hasForeignHashes } = await findCredentials(db, email);
  const storedHash = row?.password_hash ?? null;
  const work = { iterations: config.pbkdf2Iterations, owner: client.address };
  const methods = hasForeignHashes ? await listHashMethods(db) : [];
  const isRight = await verifyPassword(password, { storedHash, methods, ...work });
  if (storedHash !== null && isDamaged(storedHash)) {
    log("error", "stored password hash is damaged", { userId: row?.id });
  }
  if (row === null || storedHash === null || !isRight) {
    guess.hasFailed = true;
    await recordWrongPassword(services, email, client);
    throw wrongPassword();
  }
  if (!row.email_verified) throw emailNotVerified();
  return { id: row.id, storedHash };
}

function wrongPassword(): AppError {
  return new AppError("INVALID_CREDENTIALS", { reason: "password" });
}

/** Recording takes longer for an address that has an account. Hide that. */
async function recordWrongPassword(services: Services, email: string, client: SessionClient): Promise<void> {
  await inEqualTime(services, email, async (trx) => {
    await recordFailedLogin(trx, { email, client, reason: "password" }, services.now());
    await alertIfGuessed(trx, services, email);
  });
}

const ALERT = "many_wrong_passwords";

/**
 * Alerts the owner of an address when wrong passwords have used up its limit. In equal time, calls for one address run
 * one after another, so that concurrent ones send one alert.
 */
async function alertIfGuessed(trx: Transaction<Database>, services: Services, email: string): Promise<void> {
  const limit = await findRateLimit({ ...services, db: trx }, guessesFor(email));
  if (limit?.remaining === 0) await alertOwner(trx, services, email);
}

async function alertOwner(trx: Transaction<Database>, services: Services, email: string): Promise<void> {
  const user = await trx.selectFrom("users").select(["id", "email"])
    .where("email", "=", email).where("email_verified", "=", true).executeTakeFirst();
  if (user !== undefined) await sendEmail(trx, services, { kind: ALERT, user });
  else {
    // the query that sending would run first
    await countMail(trx, { kind: ALERT, to: email, now: services.now(), config: services.config });
  }
}
