import { type AppSecrets, deriveKeys, isSignedBy } from "../../crypto/derived_key.ts";

/** Signs the text of a manifest, and so the hashes of all tables in it. Returns hexadecimal digits. */
export async function signManifest(text: Uint8Array<ArrayBuffer>, secrets: AppSecrets): Promise<string> {
  const [key] = await keysFor(secrets);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, text)).toHex();
}

/** Whether APP_SECRET, or a secret before it, has signed the text of a manifest. */
export async function isManifestSigned(
  text: Uint8Array<ArrayBuffer>,
  { signature, secrets }: { signature: string; secrets: AppSecrets },
): Promise<boolean> {
  return await isSignedBy(await keysFor(secrets), { signature: Uint8Array.fromHex(signature), bytes: text });
}

function keysFor(secrets: AppSecrets): ReturnType<typeof deriveKeys> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return deriveKeys(secrets, { name: "backup_manifests", algorithm, usages: ["sign", "verify"] });
}
