import type { SecondProof, SessionProof } from "../access/tables.ts";
import type { Client } from "../activity/client.ts";
import { sendEmail } from "../mail/links/send_email.ts";
import type { Principal } from "../access/principal.ts";
import { type RenewedSession, renewToken } from "../access/session.ts";
import { findPasswordHash } from "../users/user.ts";
import { lockCredentials, lockUser } from "../users/user_lock.ts";
import { verifyPassword } from "../crypto/password.ts";
import { requirePasswordUse } from "../config/passwords_setting.ts";
import { AppError, type ProofKind, type ProofMethod } from "../errors/errors.ts";
import type { Proof } from "./schema.ts";
import type { Services } from "../services/services.ts";
import { tryCode } from "../mail/links/emailed_code.ts";
import { tryPasskey } from "./passkeys/passkey_login.ts";
import { type EnteredCode, spendTotp, UnreadableSecret } from "./second_factor/totp_secret.ts";
import { checkProof, listAllSessionProofs, proofRequired, proofWrong, wrongProof } from "./proof.ts";

/** The reasons that the events of wrong proofs state. */
const REASONS: Record<ProofKind, string> = { password: "password", code: "code", credential: "passkey" };

/**
 * Checks a proof of who the person is. The session gets a new token and counts as proved from now on.
 *
 * @param fieldPrefix what precedes the names of the fields in a form that has another purpose.
 * @throws {AppError} PROOF_WRONG, RATE_LIMITED; UNAUTHENTICATED when the session has ended in the meantime;
 * REAUTHENTICATION_REQUIRED, with its methods, for a proof that opens nothing in a session that waits; PASSWORDS_OFF.
 */
export async function reauthenticate(
  services: Services,
  principal: Principal,
  { proof, fieldPrefix = "" }: { proof: Proof; fieldPrefix?: string },
): Promise<RenewedSession> {
  const { user: { id: userId }, session, client } = principal;
  const [kind] = Object.keys(proof) as ProofKind[];
  if (kind === "password") requirePasswordUse(services.config, "open");
  const entered = { proof: kind, field: fieldPrefix + kind };
  const storedHash = await findPasswordHash(services.db, userId);
  const { pbkdf2Iterations: iterations } = services.config;
  const methods = kind === "code" || session.isWaiting ? await listAllSessionProofs(services, session) : [];
  const proved = provedBy(kind, methods);
  if (session.isWaiting && proved !== methods[0]) throw proofRequired(methods);
  let secondFactor: SecondProof | undefined;
  const isRight = async () => {
    if ("password" in proof) {
      return await verifyPassword(proof.password, { storedHash, iterations, owner: userId });
    }
    if ("code" in proof) {
      if (proved === "totp") secondFactor = "totp";
      return await isRightCode(services, { userId, code: proof.code, client }, methods);
    }
    if (session.method !== "passkey") secondFactor = "passkey";
    return await tryPasskey(services, userId, { credential: proof.credential, client });
  };
  await checkProof(services, { ...entered, isRight, wrong: wrongProof(principal, REASONS[kind]) });
  return await services.db.transaction().execute(async (trx) => {
    // A password that has just been replaced proves nothing. An emailed code is for accounts without one.
    if ((await lockCredentials(trx, userId))?.password_hash !== storedHash) throw proofWrong(entered);
    return await renewToken(trx, session, { now: services.now(), proof: proved, secondFactor });
  });
}

/** A code is that of the app, if there is one. */
function provedBy(kind: ProofKind, methods: ProofMethod[]): SessionProof & ProofMethod {
  if (kind === "code") return methods.includes("totp") ? "totp" : "code";
  return kind === "credential" ? "passkey" : kind;
}

/** Checks a code of an authenticator app or, for accounts without any other proof, an emailed one. */
async function isRightCode(
  services: Services,
  entered: EnteredCode & { client: Client },
  methods: ProofMethod[],
): Promise<boolean> {
  const { userId, code, client } = entered;
  if (methods.includes("totp")) {
    return await spendTotp(services, entered).catch((error) => {
      if (error instanceof UnreadableSecret) return false;
      throw error;
    });
  }
  return methods.includes("code") &&
    await tryCode(services, { userId, purpose: "reauthentication" }, { code, address: client.address });
}

/**
 * Emails a code to a person who has no other proof. It replaces an earlier code. The caller counts the email.
 *
 * @throws {AppError} REAUTHENTICATION_REQUIRED, with its methods, for any other account; UNAUTHENTICATED when the
 * account has been deleted.
 */
export async function sendReauthenticationCode(services: Services, principal: Principal): Promise<void> {
  const { user: { id }, session } = principal;
  await services.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, id);
    if (user === null) throw new AppError("UNAUTHENTICATED", { reason: "account" });
    const methods = await listAllSessionProofs({ ...services, db: trx }, session);
    if (!methods.includes("code")) throw proofRequired(methods);
    await sendEmail(trx, services, { kind: "code", user });
  });
}
