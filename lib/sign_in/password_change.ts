import { voidLinks } from "../mail/links/emailed_token.ts";
import { sendAlert } from "../mail/links/alert.ts";
import { eventBy, lockPrincipal, type Principal } from "../access/principal.ts";
import { endSecondSteps } from "../access/second_step.ts";
import { endSessionsOfUser } from "../access/session.ts";
import { findPasswordHash } from "../users/user.ts";
import { updateUser } from "../users/user_changes.ts";
import { endTrust } from "../activity/trusted_device.ts";
import { recordEvent } from "../activity/events.ts";
import { requirePasswordUse } from "../config/passwords_setting.ts";
import { hashPassword, verifyPassword } from "../crypto/password.ts";
import { validationFailed } from "../errors/errors.ts";
import { requireStrongPassword } from "../passwords/new_password.ts";
import type { PasswordChange } from "./schema.ts";
import type { Services } from "../services/services.ts";
import { voidFactorResets } from "./second_factor/factor_removal.ts";
import { checkProof, proofWrong, requireRecentProof, wrongProof } from "./proof.ts";

const PROOF = { proof: "password", field: "currentPassword" } as const;

/**
 * Changes the password of the person who is logged in, or sets the first one. Voids the links that set a password or
 * change the address, ends the trust in devices and, unless `keepOthers` is true, the other sessions, and alerts the
 * user. The user's lock settles races with logins, resets and other changes: the password must still be the one that
 * was checked.
 *
 * @param newPasswordField the name of the new password's field in the input.
 * @throws {AppError} PROOF_WRONG, with `currentPassword` in the details; RATE_LIMITED after too many wrong proofs;
 * VALIDATION_FAILED when an account with a password omits it or the new one is easy to guess;
 * REAUTHENTICATION_REQUIRED, for accounts without one; PASSWORDS_OFF; UNAUTHENTICATED when the session has ended in the
 * meantime.
 */
export async function changePassword(
  services: Services,
  principal: Principal,
  { currentPassword, newPassword, keepOthers, newPasswordField = "newPassword" }: PasswordChange & {
    newPasswordField?: string;
  },
): Promise<void> {
  const { db, config } = services;
  const { user: { id: userId, ...person }, session, client } = principal;
  requirePasswordUse(config, "open");
  const storedHash = await findPasswordHash(db, userId);
  if (storedHash === null) requirePasswordUse(config, "first");
  const work = { iterations: config.pbkdf2Iterations, owner: userId };
  if (currentPassword !== undefined) {
    const isRight = () => verifyPassword(currentPassword, { storedHash, ...work });
    await checkProof(services, { ...PROOF, isRight, wrong: wrongProof(principal, "password") });
  } else if (storedHash !== null) throw validationFailed({ [PROOF.field]: [{ rule: "required" }] });
  else await requireRecentProof(services, principal, "access");

  await requireStrongPassword(services, { password: newPassword, person, field: newPasswordField });
  const passwordHash = await hashPassword(newPassword, work);
  await db.transaction().execute(async (trx) => {
    const now = services.now();
    const locked = await lockPrincipal(trx, principal, now);
    if (locked.password_hash !== storedHash) throw proofWrong(PROOF);
    await updateUser(trx, { id: userId, now }, { password_hash: passwordHash });
    await voidLinks(trx, userId, "password_reset_tokens", "login_link_tokens", "email_change_tokens");
    await voidFactorResets(trx, userId);
    await endSecondSteps(trx, userId);
    await endTrust(trx, userId);
    await sendAlert(trx, services, { kind: "password_changed", userId, client, now });
    await recordEvent(trx, { ...eventBy(principal), kind: "password.changed" }, now);
    if (!keepOthers) {
      await endSessionsOfUser(trx, { userId, exceptId: session.id }, { reason: "password_changed", client, now });
    }
  });
}
