import type { Config } from "../../config/config.ts";
import type { Credential, NewCredential } from "./schema.ts";

/**
 * The only file that uses the WebAuthn library. It is loaded at the first ceremony: it takes memory and time that most
 * processes need at no other moment.
 */
const loadLibrary = () => import("@simplewebauthn/server");
const loadHelpers = () => import("@simplewebauthn/server/helpers");

/**
 * The algorithms of the keys that we ask for and accept: Ed25519, ES256 and RS256. The library would prefer ML-DSA-44
 * where the runtime has it, and an older runtime could not verify these keys. Source: IANA, COSE Algorithms.
 */
export const ALGORITHMS = [-8, -7, -257];

/** A passkey as its authenticator has created it. */
export interface CreatedPasskey {
  credentialId: string;
  /** A COSE key, base64url. */
  publicKey: string;
  counter: number;
  isBackedUp: boolean;
}

/** What a passkey has proved. */
export interface VerifiedUse {
  counter: number;
  isBackedUp: boolean;
}

/** Returns the challenge that a credential answers, or null if there is none or another site embedded the page. */
export function challengeOf({ response: { clientDataJSON } }: NewCredential | Credential): string | null {
  try {
    const text = new TextDecoder().decode(Uint8Array.fromBase64(clientDataJSON, { alphabet: "base64url" }));
    const { challenge, crossOrigin } = JSON.parse(text);
    return typeof challenge === "string" && crossOrigin !== true ? challenge : null;
  } catch {
    return null;
  }
}

/** Verifies a new passkey that answers `challenge`. Returns null if anything about it is wrong. */
export async function verifyNewCredential(
  { passkeys: { rpId, origins } }: Config,
  { credential, challenge }: { credential: NewCredential; challenge: string },
): Promise<CreatedPasskey | null> {
  const { verifyRegistrationResponse } = await loadLibrary();
  const { isoBase64URL } = await loadHelpers();
  try {
    if (!await isSelfContained(credential)) return null;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...credential, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origins,
      expectedRPID: rpId,
      supportedAlgorithmIDs: ALGORITHMS,
      requireUserVerification: true,
    });
    if (!verified || registrationInfo.credential.id !== credential.id) return null;
    const { credential: { id, publicKey, counter }, credentialBackedUp } = registrationInfo;
    return {
      credentialId: id,
      publicKey: isoBase64URL.fromBuffer(publicKey),
      counter,
      isBackedUp: credentialBackedUp,
    };
  } catch {
    // The library reports everything that is wrong with a credential by an exception.
    return null;
  }
}

/**
 * Whether a new credential can be verified without certificates. We ask for none, so browsers remove them. For some of
 * them, the library would make requests to the maker of the device.
 */
async function isSelfContained({ response }: NewCredential): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await loadHelpers();
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const format = attestation.get("fmt");
  return format === "none" || (format === "packed" && attestation.get("attStmt").get("x5c") === undefined);
}

/**
 * Verifies the use of a passkey for `challenge`. Returns null if anything about it is wrong. The caller compares the
 * counter, in the statement that stores it.
 */
export async function verifyCredential(
  { passkeys: { rpId, origins } }: Config,
  { credential, challenge, publicKey }: { credential: Credential; challenge: string; publicKey: string },
): Promise<VerifiedUse | null> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  const { isoBase64URL } = await loadHelpers();
  const { userHandle, ...response } = credential.response;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...credential,
        response: { ...response, userHandle: userHandle ?? undefined },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origins,
      expectedRPID: rpId,
      // With a stored counter of 0, the library accepts any.
      credential: { id: credential.id, publicKey: isoBase64URL.toBuffer(publicKey), counter: 0 },
      requireUserVerification: true,
    });
    // A forged signature is no exception. Its counter must not be used.
    if (!verified) return null;
    return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp };
  } catch {
    return null;
  }
}

/** The shortest signature that the library reads, with any algorithm. It is wrong for every key. Source: X.690, 8.9. */
const NO_SIGNATURE = new Uint8Array([0x30, 6, 2, 1, 1, 2, 1, 1]);

/** Whether signatures of a stored public key can be verified. */
export async function isReadableKey(publicKey: string): Promise<boolean> {
  const { isoBase64URL, verifySignature } = await loadHelpers();
  try {
    const credentialPublicKey = isoBase64URL.toBuffer(publicKey);
    await verifySignature({ signature: NO_SIGNATURE, data: new Uint8Array(), credentialPublicKey });
    return true;
  } catch {
    return false; // the library reports a key that it cannot read by an exception, and a wrong signature by its result
  }
}
