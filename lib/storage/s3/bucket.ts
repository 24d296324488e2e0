import { firstBytes } from "../../bytes/bytes.ts";
import { AppError } from "../../errors/errors.ts";
import { OutageError } from "../../log/log.ts";
import type { ObjectStore, StoredObject } from "../../services/object_store.ts";
import { parseListing } from "./listing.ts";
import { fetchWithRetries } from "./retry.ts";
import { addressIn, type BucketAccess, presignGet, presignPut, signerOf } from "./signing.ts";

export interface BucketOptions extends BucketAccess {
  now(): Date;
  /** The timeout of each of three tries. */
  timeoutMs: number;
}

/** What is stored, besides its bytes. */
export interface PutHead {
  contentType: string;
  cacheControl: string;
  sha256: string;
}

/** A bucket as a part of a store. Its methods have the rules of {@linkcode ObjectStore}. */
export interface Bucket extends Pick<ObjectStore, "check" | "presignPut" | "head" | "readStart" | "delete" | "list"> {
  presignGet: NonNullable<ObjectStore["presignGet"]>;
  put(key: string, bytes: Uint8Array<ArrayBuffer>, head: PutHead): Promise<string>;
}

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

/** Opens a bucket. */
export function openBucket({ now, timeoutMs, ...access }: BucketOptions): Bucket {
  /** Sends a request for an object or, with an empty key, for the bucket. The caller reads or cancels the body. */
  async function fetchFrom(method: string, key: string, { query, accepted = [], ...init }: RequestOptions = {}) {
    const url = addressIn(access, key);
    url.search = new URLSearchParams(query).toString();
    const sign = async () => {
      const { url: signed, headers } = await signerOf(access, now(), { method, url: url.href, ...init }).sign();
      return new Request(signed, { method, headers, body: init.body, redirect: "error" });
    };
    const response = await fetchWithRetries(sign, timeoutMs);
    if (response.status === 404) await requireBucket(key).catch((error) => cancelAndThrow(response, error));
    if (response.ok || response.status === 404 || accepted.includes(response.status)) return response;
    await response.body?.cancel();
    throw refused(method, key, response);
  }

  function refused(method: string, key: string, { status }: Response): OutageError {
    return new OutageError(`${addressIn(access, "").href} refused ${method} ${key}: ${status}`);
  }

  /**
   * Makes sure that a missing object is missing in the bucket. If the bucket itself is missing, such as after a mistake
   * in the configuration, all objects would look deleted, and the sweeps would forget them.
   */
  async function requireBucket(key: string): Promise<void> {
    if (key === "") throw new OutageError(`${new URL(access.endpoint).origin} has no bucket ${access.bucket}`);
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

  return {
    // Not a write: in a bucket that keeps all versions, each one would stay.
    check: async () => void await request("GET", "", { query: { "list-type": "2", "max-keys": "1" } }),
    presignPut: (grant, expiresInSeconds) => presignPut(access, grant, { now: now(), expiresInSeconds }),
    presignGet: (key, grant) => presignGet(access, key, { now: now(), ...grant }),
    async put(key, body, { contentType, cacheControl, sha256 }) {
      const headers = {
        "Content-Type": contentType,
        "Cache-Control": cacheControl,
        // Makes the store accept exactly these bytes.
        "X-Amz-Content-Sha256": sha256,
      };
      const response = await request("PUT", key, { headers, body });
      if (!response.ok) throw refused("PUT", key, response);
      return entityTagIn(response);
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
