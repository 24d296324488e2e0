import type { Principal } from "../../access/principal.ts";
import { SECOND_MS } from "../../duration.ts";
import type { Services } from "../../services/services.ts";
import { requireRecentProof } from "../proof.ts";
import { CHALLENGE_SECONDS, createChallenge } from "./challenge.ts";
import { ALGORITHMS } from "./webauthn.ts";

const TYPE = "public-key";
const TIMEOUT_MS = CHALLENGE_SECONDS * SECOND_MS;

/**
 * Returns the options with which a browser creates a passkey for the principal's account. Nothing is stored.
 *
 * @throws {AppError} REAUTHENTICATION_REQUIRED.
 */
export async function creationOptions(services: Services, principal: Principal) {
  await requireRecentProof(services, principal, "access");
  const { config, db } = services;
  const { id, email, name } = principal.user;
  const existing = await db.selectFrom("passkeys").select(["credential_id", "transports"]).where("user_id", "=", id)
    .execute();
  return {
    rp: { id: config.passkeys.rpId, name: config.brand.name },
    user: { id: userHandleOf(id), name: email, displayName: name },
    challenge: await createChallenge(services, { addTo: id }),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: TYPE, alg })),
    timeout: TIMEOUT_MS,
    // An authenticator that already has a passkey of this account creates no second one.
    excludeCredentials: existing.map(({ credential_id, transports }) => ({
      type: TYPE,
      id: credential_id,
      transports,
    })),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  };
}

/**
 * Returns the options with which a browser uses any passkey of this site. They name no account, and nothing is stored.
 */
export async function requestOptions(services: Services) {
  return {
    rpId: services.config.passkeys.rpId,
    challenge: await createChallenge(services, "prove"),
    timeout: TIMEOUT_MS,
    userVerification: "required",
  };
}

/** Returns the id by which authenticators know a user. */
export function userHandleOf(userId: string): string {
  return new TextEncoder().encode(userId).toBase64({ alphabet: "base64url", omitPadding: true });
}
