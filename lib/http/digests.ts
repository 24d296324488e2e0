import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Chunks } from "../bytes/chunks.ts";
import { AppError } from "../errors/errors.ts";

/** What a header says about the bytes of a body. */
interface Claim {
  algorithm: "md5" | "sha1" | "sha256" | "sha512" | "crc32";
  /** In base64. */
  digest: string;
}

/** Headers with one digest. Sources: RFC 1864; Amazon S3, PutObject. */
const SINGLE: [header: string, algorithm: Claim["algorithm"]][] = [
  ["content-md5", "md5"],
  ["x-amz-checksum-crc32", "crc32"],
  ["x-amz-checksum-sha1", "sha1"],
  ["x-amz-checksum-sha256", "sha256"],
];
/** Headers with a list of digests. Source: RFC 9530. */
const LISTS = ["content-digest", "repr-digest"];
const LIST_ALGORITHMS: Record<string, Claim["algorithm"]> = { "sha-256": "sha256", "sha-512": "sha512" };

/**
 * Passes a body on, and compares it with the digests in its headers. Algorithms that are not listed here are ignored.
 *
 * @throws {AppError} VALIDATION_FAILED at the end of a body that is another one.
 */
export async function* withDigestsChecked(headers: Headers, content: Chunks): Chunks {
  const claims = Map.groupBy(claimsIn(headers), ({ algorithm }) => algorithm);
  // One for each algorithm: a header may repeat a claim thousands of times.
  const hashes = [...claims].map(([algorithm, all]) => ({ hash: hashOf(algorithm), all }));
  for await (const chunk of content) {
    for (const { hash } of hashes) hash.update(chunk);
    yield chunk;
  }
  for (const { hash, all } of hashes) {
    const actual = hash.digest();
    if (all.some(({ digest }) => digest !== actual)) throw new AppError("VALIDATION_FAILED", { reason: "digest" });
  }
}

function claimsIn(headers: Headers): Claim[] {
  const single = SINGLE.map(([header, algorithm]) => ({ algorithm, digest: headers.get(header)?.trim() }))
    .filter((claim): claim is Claim => claim.digest !== undefined);
  const listed = LISTS.flatMap((header) =>
    [...(headers.get(header) ?? "").matchAll(/(sha-(?:256|512))=:([^:]*):/gi)]
      .map(([, name, digest]) => ({ algorithm: LIST_ALGORITHMS[name.toLowerCase()], digest }))
  );
  return [...single, ...listed];
}

function hashOf(algorithm: Claim["algorithm"]): { update(bytes: Uint8Array): void; digest(): string } {
  if (algorithm !== "crc32") {
    const hash = createHash(algorithm);
    return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest("base64") };
  }
  let value = 0;
  return {
    update: (bytes) => value = crc32(bytes, value),
    digest: () => new Uint8Array([24, 16, 8, 0].map((shift) => value >>> shift)).toBase64(),
  };
}
