import { AwsV4Signer } from "aws4fetch";
import { SECOND_MS, YEAR_SECONDS } from "../../duration.ts";
import { AppError } from "../../errors.ts";
import { firstBytes, joinBytes, release } from "../../bytes.ts";
import type { ObjectStore, StoredObject, UploadGrant } from "../../object_store.ts";
import { fetchWithRetries } from "./retry.ts";
import { parseListing } from "./listing.ts";

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
const PRECONDITION_FAILED = 412;
const RANGE_NOT_SATISFIABLE = 416;
const NOT_IMPLEMENTED = 501;

interface RequestOptions {
  headers?: HeadersInit;
  body?: Uint8Array<ArrayBuffer>;
  query?: Record<string, string>;
  /** The error statuses that the caller handles, besides 404. */
  accepted?: number[];
}

/** Creates a store in an S3-compatible bucket. The bucket receives uploads and serves objects itself, without /files. */
export function createS3Store({ now, timeoutMs = TIMEOUT_MS, ...s3 }: S3StoreOptions): ObjectStore {
  /** Sends a request for an object or, with an empty key, for the bucket. The caller reads or cancels the body. */
  async function fetchFrom(method: string, key: string, { query, accepted = [], ...init }: RequestOptions = {}) {
    const url = urlOf(s3.endpoint, key === "" ? [s3.bucket] : [s3.bucket, key]);
    url.search = new URLSearchParams(query).toString();
    const sign = async () => {
      const { url: signed, headers } = await signerOf(s3, now(), { method, url: url.href, ...init }).sign();
      return new Request(signed, { method, headers, body: init.body, redirect: "error" });
    };
    const response = await fetchWithRetries(sign, timeoutMs);
    if (response.status === 404) await requireBucket(key).catch((error) => cancelAndThrow(response, error));
    if (response.ok || response.status === 404 || accepted.includes(response.status)) return response;
    await response.body?.cancel();
    throw new Error(`The object store refused ${method} ${key}: ${response.status}`);
  }

  /**
   * Makes sure that a missing object is missing in the bucket. If the bucket itself is missing, such as after a mistake in
   * the configuration, all objects would look deleted, and the sweeps would forget them.
   */
  async function requireBucket(key: string): Promise<void> {
    if (key === "") throw new Error(`The object store has no bucket ${s3.bucket}`);
    // Credentials may be forbidden to look at the bucket itself.
    await request("HEAD", "", { accepted: [403] });
  }

  async function request(...parameters: Parameters<typeof fetchFrom>) {
    const response = await fetchFrom(...parameters);
    await response.body?.cancel();
    return response;
  }

  async function head(key: string): Promise<StoredObject | null> {
    const response = await request("HEAD", key);
    return response.ok ? metadataIn(response) : null;
  }

  async function put(key: string, body: Uint8Array<ArrayBuffer>, head: { contentType: string; sha256: string }) {
    const headers = {
      "Content-Type": head.contentType,
      "Cache-Control": `public, max-age=${YEAR_SECONDS}`,
      // Makes the store accept exactly these bytes.
      "X-Amz-Content-Sha256": head.sha256,
    };
    const response = await request("PUT", key, { headers, body });
    if (!response.ok) throw new Error(`The object store refused PUT ${key}: ${response.status}`);
    return entityTagIn(response);
  }

  return {
    // Not the endpoint: instances may reach one bucket by different addresses.
    identify: () => Promise.resolve(`bucket ${s3.bucket}`),
    // Not a write: in a bucket that keeps all versions, each one would stay.
    check: async () => void await request("GET", "", { query: { "list-type": "2", "max-keys": "1" } }),
    presignPut: (grant, expiresInSeconds) => presign(s3, grant, { now: now(), expiresInSeconds }),
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
    head,
    async readStart(key, maxBytes) {
      const headers = { Range: `bytes=0-${maxBytes - 1}` };
      const response = await fetchFrom("GET", key, { headers, accepted: [RANGE_NOT_SATISFIABLE] });
      if (response.status === RANGE_NOT_SATISFIABLE) {
        await response.body?.cancel();
        return await startOfEmpty(await head(key));
      }
      if (!response.ok) {
        await response.body?.cancel();
        return null;
      }
      return { bytes: await firstBytes(response.body, maxBytes), object: metadataIn(response) };
    },
    open: () => Promise.resolve(null),
    async delete(key, condition) {
      if (condition === undefined) return void await request("DELETE", key);
      // Many servers ignore If-Match on DELETE, and some refuse it with 501, so the entity tag is also compared here.
      if ((await head(key))?.etag !== condition.etag) return;
      const headers = { "If-Match": condition.etag };
      const { status } = await request("DELETE", key, { headers, accepted: [PRECONDITION_FAILED, NOT_IMPLEMENTED] });
      if (status === NOT_IMPLEMENTED) await request("DELETE", key);
    },
    async *list({ prefix = "", after = "" } = {}) {
      let start: string | undefined = after;
      while (start !== undefined) {
        const query = { "list-type": "2", "encoding-type": "url", prefix, "start-after": start };
        const page = parseListing(await (await fetchFrom("GET", "", { query })).text());
        yield* page.objects;
        start = page.isTruncated ? page.objects.at(-1)?.key : undefined;
      }
    },
    tidy: () => Promise.resolve({ convertedObjects: 0, failedKeys: [], next: null }),
    publicUrl: (key) => urlOf(s3.publicUrl, [key]).href,
  };
}

async function cancelAndThrow({ body }: Response, error: unknown): Promise<never> {
  await body?.cancel();
  throw error;
}

function entityTagIn({ headers }: Response): string {
  const etag = headers.get("ETag");
  if (etag === null) throw new Error("The object store returned an object without an entity tag");
  return etag;
}

function metadataIn(response: Response): StoredObject {
  const { headers } = response;
  const etag = entityTagIn(response);
  // In a response with a part of the object, Content-Length is the size of the part: `bytes 0-9/1234`.
  const sizeBytes = Number(headers.get("Content-Range")?.split("/")[1] ?? headers.get("Content-Length") ?? NaN);
  // With a wrong size, the object would be refused and deleted.
  if (!Number.isSafeInteger(sizeBytes)) throw new Error("The object store returned an object without its size");
  return {
    contentType: headers.get("Content-Type") ?? "application/octet-stream",
    sizeBytes,
    etag,
    modifiedAt: new Date(headers.get("Last-Modified") ?? 0),
  };
}

/** An empty object has no range of bytes, so servers refuse to send one. */
function startOfEmpty(object: StoredObject | null) {
  if (object === null || object.sizeBytes === 0) return object && { bytes: new Uint8Array(), object };
  throw new AppError("UNAVAILABLE", { reason: "changed", retryAfterSeconds: 1 });
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
