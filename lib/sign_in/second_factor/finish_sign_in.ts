import type { SessionCredential } from "../../access/session.ts";
import { countTry, endSecondStep, type SecondFactor } from "../../access/second_step.ts";
import { findOnlyProvider } from "../../accounts/identities.ts";
import { openSession, type SessionClient } from "../../access/session_start.ts";
import { findSignInRules } from "../../access/sign_in_rules.ts";
import { lockUser } from "../../users/user_lock.ts";
import { avatarAddress, type User, userOfRow } from "../../users/user_row.ts";
import type { Client } from "../../activity/client.ts";
import { hashToken } from "../../crypto/token.ts";
import type { SignInMethod } from "../../access/tables.ts";
import { AppError } from "../../errors/errors.ts";
import { requirePasswordUse } from "../../config/passwords_setting.ts";
import type { Services } from "../../services/services.ts";
import { tryPasskey } from "../passkeys/passkey_login.ts";
import type { SecondStepInput, SecondStepProof } from "../schema.ts";
import { countSignIn } from "../sign_in_count.ts";
import { checkCode } from "./code_limit.ts";
import { voidFactorResets } from "./factor_removal.ts";
import { spendRecoveryCode } from "./recovery_codes.ts";
import { type EnteredCode, spendTotp, UnreadableSecret } from "./totp_secret.ts";

/** A sign-in that waits for the second factor. */
export interface WaitingSignIn {
  /** Identifies it. Only its hash is stored. */
  token: string;
  userId: string;
  /** Who signs in, for the page. */
  user: Pick<User, "name" | "email" | "avatar">;
  method: SignInMethod;
  sessionIds: string[];
}

/** Finds the sign-in that a browser's token names, or null if it has ended. Nothing changes. */
export async function findWaitingSignIn(
  { config, db, now, objects }: Pick<Services, "config" | "db" | "now" | "objects">,
  token: string | null,
): Promise<WaitingSignIn | null> {
  if (token === null) return null;
  const row = await db.selectFrom("second_step_challenges as challenges")
    .innerJoin("users", "users.id", "challenges.user_id")
    .select(["user_id", "method", "session_ids", "name", "email", "avatar"])
    .where("challenges.id", "=", hashToken(token)).where("expires_at", ">", now()).executeTakeFirst();
  if (row === undefined) return null;
  const { user_id: userId, method, session_ids: sessionIds, name, email } = row;
  const user = { name, email, avatar: avatarAddress(row.avatar, { config, objects }) };
  return { token, userId, user, method, sessionIds };
}

/**
 * Finishes a sign-in with the code of an authenticator app, a recovery code or a passkey. Of several concurrent calls,
 * exactly one opens a session. A recovery code makes no device a trusted one: people use it away from their devices.
 *
 * @throws {AppError} PROOF_WRONG; RATE_LIMITED after too many wrong codes; UNAUTHENTICATED when the sign-in
 * has ended or has been tried five times; ACCOUNT_SUSPENDED; PROVIDER_REQUIRED and PASSWORDS_OFF after a first proof
 * that opens nothing anymore.
 */
export async function finishSignIn(
  services: Services,
  waiting: WaitingSignIn,
  entered: SecondStepInput & { client: SessionClient },
): Promise<{ user: User; session: SessionCredential }> {
  return await countSignIn(services, waiting.method, tryFinish(services, waiting, entered));
}

async function tryFinish(
  services: Services,
  waiting: WaitingSignIn,
  { proof, trustDevice, client }: SecondStepInput & { client: SessionClient },
): Promise<{ user: User; session: SessionCredential }> {
  const { db } = services;
  const { token, userId, method, sessionIds } = waiting;
  if (method === "password") requirePasswordUse(services.config, "open");
  const secondFactor = factorOf(proof);
  const isRight = async () => {
    if (!await countTry(db, { token, now: services.now() })) throw signInEnded();
    if ("code" in proof) return await spendCode(services, { userId, code: proof.code, client }, secondFactor);
    const { secondFactors } = await findSignInRules(services, userId);
    return secondFactors.includes("passkey") &&
      await tryPasskey(services, userId, { credential: proof.credential, client });
  };
  await checkCode(services, waiting, { client, proof: "credential" in proof ? "credential" : "code", isRight });
  return await db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, userId);
    if (user === null || !await endSecondStep(trx, token)) throw signInEnded();
    // The factor is not lost after all, or someone else has asked for its removal.
    await voidFactorResets(trx, userId);
    const presentedSessionIds = [...new Set([...client.presentedSessionIds, ...sessionIds])];
    const session = await openSession(trx, services, {
      userId,
      method,
      provider: method === "idp" ? await findOnlyProvider(trx, userId) : undefined,
      client: { ...client, presentedSessionIds },
      isSecondStepDone: true,
      secondFactor,
      trustsDevice: trustDevice && secondFactor !== "recovery_code",
    });
    return { user: userOfRow(user, services), session };
  });
}

/** Returns the error for a sign-in that has ended: the person must start again. */
export function signInEnded(): AppError {
  return new AppError("UNAUTHENTICATED", { reason: "secondStep" });
}

/** Codes of apps consist of six digits, recovery codes are longer. */
function factorOf(proof: SecondStepProof): SecondFactor {
  if ("credential" in proof) return "passkey";
  return /^[0-9]{6}$/.test(proof.code) ? "totp" : "recovery_code";
}

/**
 * Spends a code. Recovery codes work even if APP_SECRET has changed.
 *
 * @throws {AppError} PROOF_WRONG, with what works instead, if no code of an app can be checked.
 */
async function spendCode(
  services: Services,
  entered: EnteredCode & { client: Client },
  factor: SecondFactor,
): Promise<boolean> {
  if (factor === "recovery_code") return await spendRecoveryCode(services, entered);
  return await spendTotp(services, entered).catch((error) => {
    if (!(error instanceof UnreadableSecret)) throw error;
    throw new AppError("PROOF_WRONG", { proof: "code", field: "code", methods: ["recovery_code"] });
  });
}
