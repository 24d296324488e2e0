/** The algorithms of signatures. Source: RFC 7518, 3.1. */
export type SigningAlgorithm = "ES256" | "RS256";

/** The public part of a key. Source: RFC 7518, 6.2.1 and 6.3.1. */
type PublicKey =
  | { kty: "EC"; crv: "P-256"; x: string; y: string }
  | { kty: "RSA"; n: string; e: string };

/** A key pair, as JSON Web Keys. */
export interface JwtKeyPair {
  publicKey: PublicKey;
  privateKey: JsonWebKey;
}

/** A private key and its id. */
export interface JwtKey {
  id: string;
  algorithm: SigningAlgorithm;
  privateKey: JsonWebKey;
}

/** The names of an algorithm in Web Crypto. */
interface Parameters {
  key: EcKeyImportParams | RsaHashedImportParams;
  generation: EcKeyGenParams | RsaHashedKeyGenParams;
  signature: EcdsaParams | AlgorithmIdentifier;
  publicPart(key: JsonWebKey): PublicKey;
}

const EC = { name: "ECDSA", namedCurve: "P-256" };
const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const RSA_BITS = 2048;
const RSA_EXPONENT = new Uint8Array([1, 0, 1]);

/** Source: RFC 7518, 3.3 and 3.4. */
const PARAMETERS: Record<SigningAlgorithm, Parameters> = {
  ES256: {
    key: EC,
    generation: EC,
    signature: { name: "ECDSA", hash: "SHA-256" },
    publicPart: ({ x, y }) => ({ kty: "EC", crv: "P-256", x: x!, y: y! }),
  },
  RS256: {
    key: RSA,
    generation: { ...RSA, modulusLength: RSA_BITS, publicExponent: RSA_EXPONENT },
    signature: RSA,
    publicPart: ({ n, e }) => ({ kty: "RSA", n: n!, e: e! }),
  },
};

/** Creates a key pair. For RS256, this takes half a second or longer of one core. */
export async function createJwtKeys(algorithm: SigningAlgorithm): Promise<JwtKeyPair> {
  const { generation, publicPart } = PARAMETERS[algorithm];
  const { privateKey } = await crypto.subtle.generateKey(generation, true, ["sign", "verify"]) as CryptoKeyPair;
  const key = await crypto.subtle.exportKey("jwk", privateKey);
  return { publicKey: publicPart(key), privateKey: key };
}

/** Returns the algorithm that a key is for. */
export function algorithmOf({ kty }: PublicKey): SigningAlgorithm {
  return kty === "RSA" ? "RS256" : "ES256";
}

/**
 * Signs the claims as a JSON Web Token. Source: RFC 7519; RFC 7515, 5.1.
 *
 * @param typ what the token is for.
 */
export async function signJwt(
  claims: Record<string, unknown>,
  { id, algorithm, privateKey }: JwtKey,
  typ = "JWT",
): Promise<string> {
  const { signature: scheme } = PARAMETERS[algorithm];
  const key = await importOnce(privateKey, algorithm);
  const encoder = new TextEncoder();
  const encode = (part: unknown) => base64url(encoder.encode(JSON.stringify(part)));
  const content = `${encode({ alg: algorithm, typ, kid: id })}.${encode(claims)}`;
  const signature = await crypto.subtle.sign(scheme, key, encoder.encode(content));
  return `${content}.${base64url(new Uint8Array(signature))}`;
}

const imported = new WeakMap<JsonWebKey, Promise<CryptoKey>>();

/** Imports a key at its first use: that takes longer than a signature with ES256. */
function importOnce(privateKey: JsonWebKey, algorithm: SigningAlgorithm): Promise<CryptoKey> {
  const known = imported.get(privateKey);
  if (known !== undefined) return known;
  const key = crypto.subtle.importKey("jwk", privateKey, PARAMETERS[algorithm].key, false, ["sign"]);
  imported.set(privateKey, key);
  return key;
}

function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
