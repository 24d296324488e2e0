import { joinBytes, release } from "../../bytes.ts";
import { YEAR_SECONDS } from "../../duration.ts";
import { AppError } from "../../errors.ts";
import type { ObjectStore } from "../../object_store.ts";
import { type BucketOptions, openBucket } from "./bucket.ts";
import { urlOf } from "./signing.ts";

export interface S3StoreOptions extends BucketOptions {
  /** The URL at which everyone can read the objects: {publicUrl}/{key}. */
  publicUrl: string;
}

/** Creates a store in an S3-compatible bucket. The bucket receives uploads and serves objects itself, without /files. */
export function createS3Store({ publicUrl, ...options }: S3StoreOptions): ObjectStore {
  const bucket = openBucket(options);
  const put = (key: string, bytes: Uint8Array<ArrayBuffer>, head: { contentType: string; sha256: string }) =>
    bucket.put(key, bytes, { ...head, cacheControl: `public, max-age=${YEAR_SECONDS}` });

  return {
    // Not the endpoint: instances may reach one bucket by different addresses.
    identify: () => Promise.resolve(`bucket ${options.bucket}`),
    check: () => bucket.check(),
    presignPut: (grant, expiresInSeconds) => bucket.presignPut(grant, expiresInSeconds),
    putPresigned: () => Promise.reject(new AppError("NOT_FOUND", { reason: "file" })),
    put: async (key, bytes, contentType) => await put(key, bytes, { contentType, sha256: await hashOf(bytes) }),
    async stage(content) {
      // S3 requires the size before the first byte, so the content is held in memory. The caller limits its size.
      const bytes = await joinBytes(content);
      const sha256 = await hashOf(bytes);
      return {
        sizeBytes: bytes.length,
        sha256,
        store: async (key, contentType) => void await put(key, bytes, { contentType, sha256 }),
        [Symbol.asyncDispose]: () => Promise.resolve(release(bytes)),
      };
    },
    head: (key) => bucket.head(key),
    readStart: (key, maxBytes) => bucket.readStart(key, maxBytes),
    open: () => Promise.resolve(null),
    delete: (key, condition) => bucket.delete(key, condition),
    list: (listing) => bucket.list(listing),
    tidy: () => Promise.resolve({ convertedObjects: 0, failedKeys: [], next: null }),
    publicUrl: (key) => urlOf(publicUrl, [key]).href,
  };
}

async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
