import { firstBytes, joinBytes, release } from "../../bytes/bytes.ts";
import { HOUR_SECONDS, MINUTE_SECONDS, SECOND_MS, secondsAfter, YEAR_SECONDS } from "../../duration.ts";
import { AppError } from "../../errors/errors.ts";
import { type NewObject, type ObjectStore, PRIVATE_PREFIX, type PrivateProbe } from "../../services/object_store.ts";
import { type Bucket, type BucketOptions, openBucket } from "./bucket.ts";
import { addressIn, NOT_STORED, urlOf } from "./signing.ts";
import { fetchWithRetries } from "./retry.ts";

export interface S3StoreOptions extends Omit<BucketOptions, "timeoutMs"> {
  /** The bucket of private objects. By default, they are in the same bucket as the public ones. */
  privateBucket?: string;
  /** The URL at which everyone can read the public objects: {publicUrl}/{key}. */
  publicUrl: string;
  /** The origin that serves /files, which leads to private objects. */
  baseUrl: string;
  /** The timeout of each of three tries. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 5 * SECOND_MS;
const PUBLIC_CACHE = `public, max-age=${YEAR_SECONDS}`;
/**
 * How soon a refused upload of a private object may succeed: the next probe after one without a result is not later.
 */
const RETRY_AFTER_SECONDS = MINUTE_SECONDS;

/**
 * Creates a store in one or two S3-compatible buckets. The buckets receive uploads and serve objects themselves. For a
 * private object, /files decides who may read it.
 */
export function createS3Store(
  { publicUrl, privateBucket: privateName, baseUrl, timeoutMs = TIMEOUT_MS, ...access }: S3StoreOptions,
): ObjectStore {
  const bucket = openBucket({ ...access, timeoutMs });
  const privateAccess = { ...access, bucket: privateName ?? access.bucket };
  const privateBucket = privateName === undefined ? bucket : openBucket({ ...privateAccess, timeoutMs });
  const bucketOf = (key: string) => isPrivate(key) ? privateBucket : bucket;
  const privateAddresses = [addressIn(privateAccess, "").href, ...privateName === undefined ? [publicUrl] : []];
  let lastProbe: PrivateProbe["result"] = "unknown";

  async function put(key: string, bytes: Uint8Array<ArrayBuffer>, head: { contentType: string; sha256: string }) {
    return await bucketOf(key).put(key, bytes, { ...head, cacheControl: isPrivate(key) ? NOT_STORED : PUBLIC_CACHE });
  }

  async function putNew({ key, bytes, contentType }: NewObject): Promise<string> {
    return await put(key, bytes, { contentType, sha256: await hashOf(bytes) });
  }

  return {
    // Not the endpoint: instances may reach one bucket by different addresses.
    identify: () => Promise.resolve(`bucket ${[access.bucket, privateName].filter(Boolean).join(" and ")}`),
    check: async () => void await Promise.all([...new Set([bucket, privateBucket])].map((each) => each.check())),
    presignPut(grant, expiresInSeconds) {
      if (isPrivate(grant.key) && lastProbe !== "closed") return Promise.reject(notPrivate());
      return bucketOf(grant.key).presignPut(grant, expiresInSeconds);
    },
    putPresigned: () => Promise.reject(new AppError("NOT_FOUND", { reason: "file" })),
    put: (key, bytes, contentType) => putNew({ key, bytes, contentType }),
    putAll: (objects) => Array.fromAsync(objects, putNew),
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
    head: (key) => bucketOf(key).head(key),
    readStart: (key, maxBytes) => bucketOf(key).readStart(key, maxBytes),
    presignGet: (key, grant) => bucketOf(key).presignGet(key, grant),
    async probePrivate() {
      const probe = await probeBucket(privateBucket, { addresses: privateAddresses, timeoutMs, now: access.now });
      // A store that does not answer has not changed who may read.
      if (probe.result !== "unknown") lastProbe = probe.result;
      return probe;
    },
    open: () => Promise.resolve(null),
    delete: (key, condition) => bucketOf(key).delete(key, condition),
    list: (options) =>
      bucket === privateBucket ? bucket.list(options) : listBoth({ bucket, privateBucket }, options ?? {}),
    tidy: () => Promise.resolve({ convertedObjects: 0, failedKeys: [], next: null }),
    publicUrl: (key) => isPrivate(key) ? urlOf(`${baseUrl}/files`, [key]).href : urlOf(publicUrl, [key]).href,
  };
}

function isPrivate(key: string): boolean {
  return key.startsWith(PRIVATE_PREFIX);
}

/** Without a cause, which would be logged for each request. The job that probes says why. */
function notPrivate(): AppError {
  return new AppError("UNAVAILABLE", { reason: "private", retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/**
 * Lists the objects of two buckets in the order of their keys. Each bucket counts only for the keys that belong in it.
 */
async function* listBoth(
  { bucket, privateBucket }: { bucket: Bucket; privateBucket: Bucket },
  { prefix = "", after = "" }: NonNullable<Parameters<ObjectStore["list"]>[0]>,
) {
  if (isPrivate(prefix)) return yield* privateBucket.list({ prefix, after });
  const mayBePrivate = PRIVATE_PREFIX.startsWith(prefix);
  let isPrivateListed = !mayBePrivate;
  for await (const object of bucket.list({ prefix, after })) {
    if (isPrivate(object.key)) continue;
    if (!isPrivateListed && object.key > PRIVATE_PREFIX) {
      isPrivateListed = true;
      yield* privateBucket.list({ prefix: PRIVATE_PREFIX, after });
    }
    yield object;
  }
  if (!isPrivateListed) yield* privateBucket.list({ prefix: PRIVATE_PREFIX, after });
}

async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** The sweeps ignore keys of this form, and people cannot choose them. */
const PROBE_PREFIX = `${PRIVATE_PREFIX}probe-`;
/** A probe that is older has been abandoned. */
const ABANDONED_SECONDS = HOUR_SECONDS;

interface ProbeOptions {
  /** The addresses at which the bucket might serve an object: {address}/{key}. */
  addresses: string[];
  timeoutMs: number;
  now(): Date;
}

/** Writes a private object and tries to read it as anyone could. See {@linkcode ObjectStore.probePrivate}. */
async function probeBucket(bucket: Bucket, options: ProbeOptions): Promise<PrivateProbe> {
  const key = `${PROBE_PREFIX}${crypto.randomUUID()}`;
  // A text, because a proxy or CDN might change other content.
  const content = new TextEncoder().encode(crypto.randomUUID());
  const found = await readAsAnyone(bucket, { key, content, ...options }).catch((cause): PrivateProbe => ({
    result: "unknown",
    cause,
  }));
  const leftBehind = await deleteProbes(bucket, key, options.now()).then(() => undefined, (error) => error);
  return { ...found, ...(leftBehind !== undefined && { leftBehind }) };
}

async function readAsAnyone(
  bucket: Bucket,
  { key, content, addresses, timeoutMs }: ProbeOptions & { key: string; content: Uint8Array<ArrayBuffer> },
): Promise<PrivateProbe> {
  const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", content)).toHex();
  await bucket.put(key, content, { contentType: "text/plain", cacheControl: NOT_STORED, sha256 });
  const reads = await Promise.allSettled(addresses.map(async (address) => {
    // Follows redirects, as anyone would.
    const response = await fetchWithRetries(() => Promise.resolve(new Request(urlOf(address, [key]))), timeoutMs);
    const start = await firstBytes(response.body, content.length);
    if (start.toHex() === content.toHex()) return address;
    if (response.status >= 500) throw new Error(`${address} responded with ${response.status}`);
    return null;
  }));
  const readable = reads.find((read) => read.status === "fulfilled" && read.value !== null);
  if (readable?.status === "fulfilled") return { result: "readable", address: readable.value! };
  const failed = reads.find((read) => read.status === "rejected");
  return failed === undefined ? { result: "closed" } : { result: "unknown", cause: failed.reason };
}

/** Deletes this probe, and those of processes that were killed. */
async function deleteProbes(bucket: Bucket, key: string, now: Date): Promise<void> {
  await bucket.delete(key);
  const abandonedAt = secondsAfter(now, -ABANDONED_SECONDS);
  for await (const { key, modifiedAt } of bucket.list({ prefix: PROBE_PREFIX })) {
    if (modifiedAt < abandonedAt) await bucket.delete(key);
  }
}
