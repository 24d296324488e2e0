/** What a derived key is for. */
export interface KeyPurpose {
  /** Keys of different names tell nothing of one another. */
  name: string;
  algorithm: AesKeyGenParams | HmacImportParams;
  usages: KeyUsage[];
}

/** A key of its own for each purpose, derived from APP_SECRET by HKDF. */
export async function deriveKey(appSecret: string, { name, algorithm, usages }: KeyPurpose): Promise<CryptoKey> {
  const encoder = new TextEncoder();
  const secret = await crypto.subtle.importKey("raw", encoder.encode(appSecret), "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(name) };
  return await crypto.subtle.deriveKey(derivation, secret, algorithm, false, usages);
}
