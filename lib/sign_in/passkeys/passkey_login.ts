import { inEqualTime } from "../../accounts/equal_time.ts";
import type { SessionCredential } from "../../access/session.ts";
import { openSession, type SessionClient } from "../../access/session_start.ts";
import { lockUser } from "../../users/user_lock.ts";
import { type User, userOfRow } from "../../users/user_row.ts";
import type { Client } from "../../activity/client.ts";
import { recordFailedLogin } from "../../activity/events.ts";
import { AppError } from "../../errors/errors.ts";
import type { Credential } from "./schema.ts";
import type { Services } from "../../services/services.ts";
import { emailNotVerified } from "../login.ts";
import { countSignIn } from "../sign_in_count.ts";
import { voidFactorResets } from "../second_factor/factor_removal.ts";
import { type CheckedPasskey, checkPasskey, type PasskeyOutcome, recordPasskeyUse } from "./passkey_use.ts";

/** The result of a login with the right passkey: a session, or why the account may not log in. */
type PasskeyLogin = { user: User; session: SessionCredential } | AppError;

/**
 * Opens a session for the owner of a passkey. A passkey is two factors, so no second step follows. It does not prove
 * who owns the email address, which must be confirmed already. Every refused passkey or challenge throws the same
 * error, and the time does not reveal whether the passkey exists. The caller counts the attempt beforehand.
 *
 * @throws {AppError} INVALID_CREDENTIALS; EMAIL_NOT_VERIFIED, PROVIDER_REQUIRED and ACCOUNT_SUSPENDED, only with the
 * right passkey.
 */
export async function logInWithPasskey(
  services: Services,
  credential: Credential,
  client: SessionClient,
): Promise<{ user: User; session: SessionCredential }> {
  return await countSignIn(services, "passkey", tryLogIn(services, credential, client));
}

async function tryLogIn(
  services: Services,
  credential: Credential,
  client: SessionClient,
): Promise<{ user: User; session: SessionCredential }> {
  const checked = await checkPasskey(services, credential);
  const result = checked === null ? "gone" : await usePasskey(services, checked, client);
  if (typeof result === "string") {
    const reason = reasonOf(result);
    // Recording takes longer if the passkey belongs to an account. Hide that.
    await inEqualTime(
      services,
      credential.id,
      (trx) => recordFailedLogin(trx, { credentialId: credential.id, client, reason }, services.now()),
    );
    throw new AppError("INVALID_CREDENTIALS", { reason: "passkey" });
  }
  if (result instanceof AppError) throw result;
  return result;
}

/** Returns errors instead of throwing them: a rollback would forget the spent challenge and the new counter. */
async function usePasskey(
  services: Services,
  checked: CheckedPasskey,
  client: SessionClient,
): Promise<PasskeyLogin | Exclude<PasskeyOutcome, "used">> {
  return await services.db.transaction().execute(async (trx) => {
    const locked = await lockUser(trx, checked.userId);
    const outcome = await recordPasskeyUse(trx, checked, services.now());
    if (outcome !== "used") return outcome;
    if (locked === null) return "gone";
    if (!locked.email_verified) return emailNotVerified();
    // The owner can log in, so a removal of their factors that waits is not theirs or not needed.
    await voidFactorResets(trx, locked.id);
    const session = await openSession(trx, services, { userId: locked.id, method: "passkey", client })
      .catch((error) => error instanceof AppError ? error : Promise.reject(error));
    return session instanceof AppError ? session : { user: userOfRow(locked, services), session };
  });
}

/**
 * Whether a credential proves that the person is this user. If it is valid, spends its challenge. Records a cloned one.
 */
export async function tryPasskey(
  services: Services,
  userId: string,
  { credential, client }: { credential: Credential; client: Client },
): Promise<boolean> {
  const checked = await checkPasskey(services, credential);
  if (checked?.userId !== userId) return false;
  return await services.db.transaction().execute(async (trx) => {
    await lockUser(trx, userId);
    const outcome = await recordPasskeyUse(trx, checked, services.now());
    if (outcome === "cloned") {
      const failed = { credentialId: credential.id, client, reason: reasonOf(outcome) };
      await recordFailedLogin(trx, failed, services.now());
    }
    return outcome === "used";
  });
}

function reasonOf(outcome: PasskeyOutcome): string {
  return outcome === "cloned" ? "passkey_counter" : "passkey";
}
