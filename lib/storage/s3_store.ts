import { AwsV4Signer } from "aws4fetch";
import { SECOND_MS, YEAR_SECONDS } from "../duration.ts";
import { AppError } from "../errors.ts";
import { joinBytes, release } from "../bytes.ts";
import type { ObjectStore, UploadGrant } from "../services.ts";
import { fetchWithRetries } from "./retry.ts";

export interface S3StoreOptions {
  /** Objects are addressed path-style: {endpoint}/{bucket}/{key}. */
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** The URL at which everyone can read the objects: {publicUrl}/{key}. */
  publicUrl: string;
  now(): Date;
  /** The timeout of each of three tries. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 5 * SECOND_MS;

/** Creates a store in an S3-compatible bucket. The bucket receives uploads and serves objects itself, without /files. */
export function createS3Store({ now, timeoutMs = TIMEOUT_MS, ...s3 }: S3StoreOptions): ObjectStore {
  async function request(
    method: string,
    key: string,
    init: { headers?: HeadersInit; body?: Uint8Array<ArrayBuffer> } = {},
  ) {
    const sign = async () => {
      const signer = signerOf(s3, now(), { method, url: urlOf(s3.endpoint, [s3.bucket, key]).href, ...init });
      const { url, headers } = await signer.sign();
      return new Request(url, { method, headers, body: init.body, redirect: "error" });
    };
    const response = await fetchWithRetries(sign, timeoutMs);
    await response.body?.cancel();
    if (response.ok || response.status === 404) return response;
    throw new Error(`The object store refused ${method} ${key}: ${response.status}`);
  }

  async function put(key: string, body: Uint8Array<ArrayBuffer>, head: { contentType: string; sha256: string }) {
    const headers = {
      "Content-Type": head.contentType,
      "Cache-Control": `public, max-age=${YEAR_SECONDS}`,
      // Makes the store accept exactly these bytes.
      "X-Amz-Content-Sha256": head.sha256,
    };
    const { ok, status } = await request("PUT", key, { headers, body });
    if (!ok) throw new Error(`The object store has no bucket ${s3.bucket}: ${status}`);
  }

  return {
    presignPut: (grant, expiresInSeconds) => presign(s3, grant, { now: now(), expiresInSeconds }),
    putPresigned: () => Promise.reject(new AppError("NOT_FOUND", "File not found")),
    async put(key, bytes, contentType) {
      await put(key, bytes, { contentType, sha256: await hashOf(bytes) });
    },
    async stage(content) {
      // S3 requires the size before the first byte, so the content is held in memory. The caller limits its size.
      const bytes = await joinBytes(content);
      const sha256 = await hashOf(bytes);
      return {
        sizeBytes: bytes.length,
        sha256,
        store: (key, contentType) => put(key, bytes, { contentType, sha256 }),
        [Symbol.asyncDispose]: () => Promise.resolve(release(bytes)),
      };
    },
    async head(key) {
      const { ok, headers } = await request("HEAD", key);
      if (!ok) return null;
      return {
        contentType: headers.get("Content-Type") ?? "application/octet-stream",
        sizeBytes: Number(headers.get("Content-Length")),
      };
    },
    open: () => Promise.resolve(null),
    async delete(key) {
      await request("DELETE", key);
    },
    publicUrl: (key) => urlOf(s3.publicUrl, [key]).href,
  };
}

async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

type Bucket = Omit<S3StoreOptions, "now" | "timeoutMs">;

/** Uses the parameters of Amazon's own presigner, so that software that handles its URLs handles these too. */
async function presign(
  s3: Bucket,
  { key, contentType, sizeBytes }: UploadGrant,
  { now, expiresInSeconds }: { now: Date; expiresInSeconds: number },
): Promise<string> {
  const url = urlOf(s3.endpoint, [s3.bucket, key]);
  url.searchParams.set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD");
  url.searchParams.set("X-Amz-Expires", String(expiresInSeconds));
  url.searchParams.set("x-id", "PutObject");
  const headers = new Headers({ "Content-Type": contentType });
  if (sizeBytes !== undefined) headers.set("Content-Length", String(sizeBytes));
  // Without `allHeaders`, neither header would be signed.
  const signer = signerOf(s3, now, { method: "PUT", url: url.href, headers, signQuery: true, allHeaders: true });
  return (await signer.sign()).url.href;
}

function signerOf(
  { accessKeyId, secretAccessKey, region }: Bucket,
  now: Date,
  request: Omit<ConstructorParameters<typeof AwsV4Signer>[0], "accessKeyId" | "secretAccessKey">,
): AwsV4Signer {
  const datetime = now.toISOString().replace(/[:-]|\.\d{3}/g, "");
  return new AwsV4Signer({ accessKeyId, secretAccessKey, region, service: "s3", datetime, ...request });
}

function urlOf(base: string, path: string[]): URL {
  const segments = path.flatMap((part) => part.split("/")).map(encodeURIComponent);
  return new URL(`${base.replace(/\/+$/, "")}/${segments.join("/")}`);
}
