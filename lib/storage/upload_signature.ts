import { type AppSecrets, deriveKeys, isSignedBy } from "../crypto/derived_key.ts";
import type { IncomingUpload, UploadGrant } from "../services/object_store.ts";

/** Signs the queries of presigned URLs. */
export interface UploadSigner {
  /** Returns the query that permits the upload until `expiresAt`. */
  sign(grant: UploadGrant, expiresAt: Date): Promise<URLSearchParams>;
  /**
   * Returns the exact size that the query permits, if one was declared. Returns null if the query was signed for
   * another upload or has expired.
   */
  verify(upload: SignedUpload, now: Date): Promise<Pick<UploadGrant, "sizeBytes"> | null>;
}

type SignedUpload = Pick<IncomingUpload, "key" | "contentType" | "query">;

const SIGNATURE = "signature";

/** Creates a signer whose keys are derived from APP_SECRET, so that all instances accept one another's URLs. */
export async function createUploadSigner(secrets: AppSecrets): Promise<UploadSigner> {
  const keys = await deriveKeys(secrets, {
    name: "presigned uploads",
    algorithm: { name: "HMAC", hash: "SHA-256", length: 256 },
    usages: ["sign", "verify"],
  });
  return {
    async sign({ sizeBytes, ...upload }, expiresAt) {
      const query = new URLSearchParams({ expires: String(expiresAt.getTime()) });
      if (sizeBytes !== undefined) query.set("size", String(sizeBytes));
      const signature = await crypto.subtle.sign("HMAC", keys[0], signedBytes({ ...upload, query }));
      query.set(SIGNATURE, new Uint8Array(signature).toHex());
      return query;
    },
    async verify(upload, now) {
      const { query } = upload;
      if (new Set(query.keys()).size < query.size) return null; // because the parameter `signature` itself is not signed
      const signature = query.get(SIGNATURE) ?? "";
      if (!/^[0-9a-f]{64}$/.test(signature)) return null;
      const bytes = signedBytes(upload);
      const isOurs = await isSignedBy(keys, { signature: Uint8Array.fromHex(signature), bytes });
      if (!isOurs || now.getTime() >= Number(query.get("expires"))) return null;
      return { sizeBytes: query.has("size") ? Number(query.get("size")) : undefined };
    },
  };
}

/** Any added or removed parameter invalidates the signature. */
function signedBytes({ key, contentType, query }: SignedUpload) {
  const parameters = [...query].filter(([name]) => name !== SIGNATURE);
  return new TextEncoder().encode(JSON.stringify(["PUT", key, contentType, parameters]));
}
