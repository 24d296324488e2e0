/** The purpose of a derived key. */
export interface KeyPurpose {
  /** Keys with different names are independent of each other. */
  name: string;
  algorithm: AesKeyGenParams | HmacImportParams;
  usages: KeyUsage[];
}

/** Derives the key for one purpose from APP_SECRET by HKDF. Source: RFC 5869. */
export async function deriveKey(appSecret: string, { name, algorithm, usages }: KeyPurpose): Promise<CryptoKey> {
  const encoder = new TextEncoder();
  const secret = await crypto.subtle.importKey("raw", encoder.encode(appSecret), "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(name) };
  return await crypto.subtle.deriveKey(derivation, secret, algorithm, false, usages);
}
