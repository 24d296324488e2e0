/** The purpose of a derived key. */
export interface KeyPurpose {
  /** Keys with different names are independent of each other. */
  name: string;
  algorithm: AesKeyGenParams | HmacImportParams;
  usages: KeyUsage[];
}

/** APP_SECRET, and the secrets before it, which only open what they have protected. */
export interface AppSecrets {
  appSecret: string;
  previousAppSecrets?: readonly string[];
}

/** Derives the keys for one purpose: the one in use, then those of previous secrets. */
export function deriveKeys(
  { appSecret, previousAppSecrets = [] }: AppSecrets,
  purpose: KeyPurpose,
): Promise<[CryptoKey, ...CryptoKey[]]> {
  return Promise.all([deriveKey(appSecret, purpose), ...previousAppSecrets.map((each) => deriveKey(each, purpose))]);
}

/** Whether one of the keys has made an HMAC signature. Compares in constant time. */
export async function isSignedBy(
  keys: CryptoKey[],
  { signature, bytes }: { signature: Uint8Array<ArrayBuffer>; bytes: Uint8Array<ArrayBuffer> },
): Promise<boolean> {
  for (const key of keys) {
    if (await crypto.subtle.verify("HMAC", key, signature, bytes)) return true;
  }
  return false;
}

/** Derives the key for one purpose from APP_SECRET by HKDF. Source: RFC 5869. */
export async function deriveKey(appSecret: string, { name, algorithm, usages }: KeyPurpose): Promise<CryptoKey> {
  const encoder = new TextEncoder();
  const secret = await crypto.subtle.importKey("raw", encoder.encode(appSecret), "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(name) };
  return await crypto.subtle.deriveKey(derivation, secret, algorithm, false, usages);
}

const FINGERPRINT: KeyPurpose = {
  name: "fingerprint",
  algorithm: { name: "HMAC", hash: "SHA-256", length: 256 },
  usages: ["sign"],
};

/** Returns what identifies the secrets, the one in use first, and reveals nothing about them. */
export async function fingerprintsOf(secrets: AppSecrets): Promise<string[]> {
  const keys = await deriveKeys(secrets, FINGERPRINT);
  const signatures = keys.map((key) => crypto.subtle.sign("HMAC", key, new TextEncoder().encode("APP_SECRET")));
  return (await Promise.all(signatures)).map((signature) =>
    new Uint8Array(signature).toBase64({ alphabet: "base64url", omitPadding: true })
  );
}
