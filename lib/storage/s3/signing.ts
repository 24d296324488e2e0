import { AwsV4Signer } from "aws4fetch";
import type { ReadGrant, UploadGrant } from "../../services/object_store.ts";

/** The Cache-Control of private objects. */
export const NOT_STORED = "private, no-store";

/** A bucket, and who is allowed to use it. Objects are addressed path-style: {endpoint}/{bucket}/{key}. */
export interface BucketAccess {
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** When a presigned URL begins to work, and for how long it does. */
export interface Validity {
  now: Date;
  expiresInSeconds: number;
}

/** Returns the address of an object in the bucket or, with an empty key, that of the bucket. */
export function addressIn({ endpoint, bucket }: BucketAccess, key: string): URL {
  return urlOf(endpoint, key === "" ? [bucket] : [bucket, key]);
}

/** Appends a path to an address. */
export function urlOf(base: string, path: string[]): URL {
  const segments = path.flatMap((part) => part.split("/")).map(encodeURIComponent);
  return new URL(`${base.replace(/\/+$/, "")}/${segments.join("/")}`);
}

/** Signs a request with AWS Signature Version 4. */
export function signerOf(
  { accessKeyId, secretAccessKey, region }: BucketAccess,
  now: Date,
  request: Omit<ConstructorParameters<typeof AwsV4Signer>[0], "accessKeyId" | "secretAccessKey">,
): AwsV4Signer {
  const datetime = now.toISOString().replace(/[:-]|\.\d{3}/g, "");
  return new AwsV4Signer({ accessKeyId, secretAccessKey, region, service: "s3", datetime, ...request });
}

/** Returns a URL that permits this upload. */
export async function presignPut(
  access: BucketAccess,
  { key, contentType, sizeBytes }: UploadGrant,
  validity: Validity,
): Promise<string> {
  const headers = new Headers({ "Content-Type": contentType });
  if (sizeBytes !== undefined) headers.set("Content-Length", String(sizeBytes));
  const query = { "x-id": "PutObject" };
  return await presign(addressIn(access, key), access, { method: "PUT", headers, query, ...validity });
}

/** Returns a URL that permits to read an object, with fixed headers. No cache may keep what is private. */
export async function presignGet(
  access: BucketAccess,
  key: string,
  { method, contentType, disposition, ...validity }: ReadGrant & Validity,
): Promise<string> {
  const query = {
    "response-cache-control": NOT_STORED,
    "response-content-disposition": disposition,
    "response-content-type": contentType,
    ...(method === "GET" && { "x-id": "GetObject" }),
  };
  return await presign(addressIn(access, key), access, { method, query, ...validity });
}

/** Uses the parameters of Amazon's own presigner, so that software that handles its URLs handles these too. */
async function presign(
  url: URL,
  access: BucketAccess,
  { method, headers, query, now, expiresInSeconds }: Validity & {
    method: string;
    headers?: Headers;
    query: Record<string, string>;
  },
): Promise<string> {
  url.searchParams.set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD");
  url.searchParams.set("X-Amz-Expires", String(expiresInSeconds));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  // Without `allHeaders`, the headers would not be signed.
  const signer = signerOf(access, now, { method, url: url.href, headers, signQuery: true, allHeaders: true });
  const signed = (await signer.sign()).url;
  // Servers differ in what a plus means. In the signature it is a space.
  signed.search = signed.search.replaceAll("+", "%20");
  return signed.href;
}
