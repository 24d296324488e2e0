/** The parameters of ES256. Source: RFC 7518, 3.4. */
const CURVE = { name: "ECDSA", namedCurve: "P-256" };
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" };

/** A key pair for ES256, as JSON Web Keys. */
export interface JwtKeyPair {
  publicKey: { kty: "EC"; crv: "P-256"; x: string; y: string };
  privateKey: JsonWebKey;
}

/** Creates a key pair for ES256. */
export async function createJwtKeys(): Promise<JwtKeyPair> {
  const { privateKey } = await crypto.subtle.generateKey(CURVE, true, ["sign", "verify"]) as CryptoKeyPair;
  const key = await crypto.subtle.exportKey("jwk", privateKey);
  return { publicKey: { kty: "EC", crv: "P-256", x: key.x!, y: key.y! }, privateKey: key };
}

/** Signs the claims as a JSON Web Token. Source: RFC 7519; RFC 7515, 5.1. */
export async function signJwt(
  claims: Record<string, unknown>,
  { id, privateKey }: { id: string; privateKey: JsonWebKey },
): Promise<string> {
  const key = await crypto.subtle.importKey("jwk", privateKey, CURVE, false, ["sign"]);
  const encoder = new TextEncoder();
  const encode = (part: unknown) => base64url(encoder.encode(JSON.stringify(part)));
  const content = `${encode({ alg: "ES256", typ: "JWT", kid: id })}.${encode(claims)}`;
  const signature = await crypto.subtle.sign(SIGNATURE, key, encoder.encode(content));
  return `${content}.${base64url(new Uint8Array(signature))}`;
}

function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
