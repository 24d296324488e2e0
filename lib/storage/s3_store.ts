import { AwsV4Signer } from "aws4fetch";
import { SECOND_MS, YEAR_SECONDS } from "../duration.ts";
import { AppError } from "../errors.ts";
import type { ObjectStore, UploadGrant } from "../services.ts";
import { fetchWithRetries } from "./retry.ts";

export interface S3StoreOptions {
  /** Addressed path-style: {endpoint}/{bucket}/{key}. */
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Where anybody may read the objects: {publicUrl}/{key}. */
  publicUrl: string;
  now(): Date;
  /** Of each of three tries. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 5 * SECOND_MS;

/** A store in a bucket with an S3-compatible interface. It has a server of its own: nothing is read or sent by /files. */
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

  return {
    presignPut: (grant, expiresInSeconds) => presign(s3, grant, { now: now(), expiresInSeconds }),
    putPresigned: () => Promise.reject(new AppError("NOT_FOUND", "There is no such file")),
    async put(key, bytes, contentType) {
      const headers = {
        "Content-Type": contentType,
        "Cache-Control": `public, max-age=${YEAR_SECONDS}`,
        // With this the store takes these very bytes or none.
        "X-Amz-Content-Sha256": new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex(),
      };
      const { ok, status } = await request("PUT", key, { headers, body: bytes });
      if (!ok) throw new Error(`The object store has no bucket ${s3.bucket}: ${status}`);
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

type Bucket = Omit<S3StoreOptions, "now" | "timeoutMs">;

/** The parameters are those of Amazon's own presigner, so that whatever knows its URLs knows these. */
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
  // Without `allHeaders` it would sign neither of the two.
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
