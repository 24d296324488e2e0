const KEY: RsaHashedKeyGenParams = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
};

/** The key with which a provider signs ID tokens. */
export interface SigningKey {
  kid: string;
  keys: CryptoKeyPair;
}

export async function generateSigningKey(): Promise<SigningKey> {
  return { kid: crypto.randomUUID(), keys: await crypto.subtle.generateKey(KEY, true, ["sign", "verify"]) };
}

/** The public key, as the key set of a provider lists it. */
export async function publicJwk({ kid, keys }: SigningKey): Promise<JsonWebKey> {
  return { ...await crypto.subtle.exportKey("jwk", keys.publicKey), kid } as JsonWebKey;
}

/** Returns an ID token. Without a key, it is unsigned. `kid` replaces the id of the key. */
export async function idToken(
  claims: Record<string, unknown>,
  key: SigningKey | null,
  kid = key?.kid,
): Promise<string> {
  const text = `${encode({ alg: key === null ? "none" : "RS256", kid })}.${encode(claims)}`;
  if (key === null) return `${text}.`;
  const signature = await crypto.subtle.sign(KEY.name, key.keys.privateKey, new TextEncoder().encode(text));
  return `${text}.${base64url(signature)}`;
}

/** Checks that redirect URI and code verifier of a token request match the authorization request. */
export async function isRightRequest(form: URLSearchParams, asked?: URLSearchParams): Promise<boolean> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(form.get("code_verifier") ?? ""));
  return form.get("redirect_uri") === asked?.get("redirect_uri") && base64url(digest) === asked.get("code_challenge");
}

function encode(value: unknown): string {
  return base64url(new TextEncoder().encode(JSON.stringify(value)).buffer);
}

function base64url(buffer: ArrayBuffer): string {
  return new Uint8Array(buffer).toBase64({ alphabet: "base64url", omitPadding: true });
}
