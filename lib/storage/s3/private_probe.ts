import { firstBytes } from "../../bytes.ts";
import { HOUR_SECONDS, secondsAfter } from "../../duration.ts";
import { PRIVATE_PREFIX, type PrivateProbe } from "../../object_store.ts";
import type { Bucket } from "./bucket.ts";
import { fetchWithRetries } from "./retry.ts";
import { NOT_STORED, urlOf } from "./signing.ts";

/** The sweeps ignore keys of this form, and people cannot choose them. */
const PROBE_PREFIX = `${PRIVATE_PREFIX}probe-`;
/** A probe that is older has been abandoned. */
const ABANDONED_SECONDS = HOUR_SECONDS;

export interface ProbeOptions {
  /** The addresses at which the bucket might serve an object: {address}/{key}. */
  addresses: string[];
  timeoutMs: number;
  now(): Date;
}

/** Writes a private object and tries to read it as anyone could. See {@linkcode ObjectStore.probePrivate}. */
export async function probeBucket(bucket: Bucket, options: ProbeOptions): Promise<PrivateProbe> {
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
