import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { readSettings } from "../../lib/config.ts";
import type { UploadGrant } from "../../lib/services.ts";
import { createS3Store, type S3StoreOptions } from "../../lib/storage/s3_store.ts";
import { startS3Server } from "../support/s3_server.ts";

const server = await startS3Server();
Deno.test.afterAll(() => server.stop());
const bucket = readSettings(server.env).s3!;
const now = () => new Date();
const store = createS3Store({ ...bucket, now });
const BYTES = new Uint8Array(300_000).map((_, i) => i * 31);
const GRANT: UploadGrant = { key: "uploads/u/1-a.png", contentType: "image/png", sizeBytes: 5 };

async function put(url: string, { body = "hello", contentType = "image/png", method = "PUT" } = {}): Promise<number> {
  const response = await fetch(url, { method, body, headers: { "Content-Type": contentType } });
  await response.body?.cancel();
  return response.status;
}

Deno.test("put stores an object with its content type and Cache-Control; delete removes it", async () => {
  const key = "images/avatar/a.webp";
  strictEqual(await store.head(key), null);
  await store.put(key, BYTES, "image/webp");
  await store.put(key, BYTES, "image/webp");
  deepStrictEqual(await store.head(key), { contentType: "image/webp", sizeBytes: BYTES.length });
  const read = await fetch(store.publicUrl(key));
  deepStrictEqual(await read.bytes(), BYTES);
  strictEqual(read.headers.get("Content-Type"), "image/webp");
  strictEqual(read.headers.get("Cache-Control"), "public, max-age=31536000");
  await store.delete(key);
  await store.delete(key);
  strictEqual(await store.head(key), null);
});

Deno.test("a staged object is in the bucket only once it is stored", async () => {
  const key = "uploads/u/staged.bin";
  async function* content() {
    yield await Promise.resolve(BYTES.slice(0, 7));
    yield BYTES.slice(7);
  }
  await using staged = await store.stage(content());
  strictEqual(staged.sizeBytes, BYTES.length);
  strictEqual(staged.sha256, new Uint8Array(await crypto.subtle.digest("SHA-256", BYTES)).toHex());
  strictEqual(await store.head(key), null);
  await staged.store(key, "application/pdf");
  deepStrictEqual(await store.head(key), { contentType: "application/pdf", sizeBytes: BYTES.length });
  deepStrictEqual(await (await fetch(store.publicUrl(key))).bytes(), BYTES);
});

Deno.test("a presigned URL equals that of Amazon's own presigner", async () => {
  const signingDate = new Date("2026-03-01T12:00:00.500Z");
  const cases: Partial<S3StoreOptions & UploadGrant>[] = [
    {},
    { sizeBytes: undefined },
    { endpoint: "https://s3.example.com", region: "eu-central-1" },
    { endpoint: "https://s3.example.com/", secretAccessKey: "a/b+c=", accessKeyId: "AKIA0" },
    { key: "uploads/u/1-.._.._a-b_c..d.tar.gz", contentType: "application/vnd.a.b-c+json" },
  ];
  for (const changes of cases) {
    const { key, contentType, sizeBytes, ...options } = { ...bucket, ...GRANT, ...changes };
    const ours = await createS3Store({ ...options, now: () => signingDate })
      .presignPut({ key, contentType, sizeBytes }, 300);
    const client = new S3Client({
      endpoint: options.endpoint,
      region: options.region,
      credentials: options,
      forcePathStyle: true,
      requestChecksumCalculation: "WHEN_REQUIRED",
    });
    const command = new PutObjectCommand({
      Bucket: options.bucket,
      Key: key,
      ContentType: contentType,
      ContentLength: sizeBytes,
    });
    const signableHeaders = new Set(["host", "content-type", "content-length"]);
    const theirs = await getSignedUrl(client, command, { expiresIn: 300, signingDate, signableHeaders });
    deepStrictEqual(partsOf(ours), partsOf(theirs), JSON.stringify(changes));
  }
});

/** Returns the parts of a URL, without the order of its parameters. */
function partsOf(url: string) {
  const { origin, pathname, searchParams } = new URL(url);
  return { origin, pathname, query: Object.fromEntries(searchParams) };
}

Deno.test("the server accepts the upload that a presigned URL permits, and no other", async () => {
  const url = await store.presignPut(GRANT, 300);
  const other = await store.presignPut({ ...GRANT, key: "uploads/u/2-b.png" }, 300);
  const longAgo = createS3Store({ ...bucket, now: () => new Date(Date.now() - 301_000) });
  const cases: [what: string, status: Promise<number>][] = [
    ["another type", put(url, { contentType: "text/html" })],
    ["larger", put(url, { body: "hello!" })],
    ["smaller", put(url, { body: "hell" })],
    ["tampered", put(url.replace("X-Amz-Expires=300", "X-Amz-Expires=301"))],
    ["another key", put(new URL(url).origin + new URL(other).pathname + new URL(url).search)],
    ["another method", put(url, { method: "DELETE" })],
    ["expired", put(await longAgo.presignPut(GRANT, 300))],
  ];
  for (const [what, status] of cases) strictEqual(await status, 403, what);
  strictEqual(await store.head(GRANT.key), null);
  strictEqual(await put(url), 200);
  deepStrictEqual(await store.head(GRANT.key), { contentType: "image/png", sizeBytes: 5 });
  strictEqual(await put(url, { body: "other" }), 200);
  strictEqual(await (await fetch(store.publicUrl(GRANT.key))).text(), "other");

  const unsized = await store.presignPut({ ...GRANT, key: "uploads/u/3", sizeBytes: undefined }, 300);
  strictEqual(await put(unsized, { body: "of any size" }), 200);
});

Deno.test("a bucket is not accessed through /files", async () => {
  strictEqual(await store.open(GRANT.key), null);
  async function* content() {}
  const upload = { key: GRANT.key, contentType: "image/png", query: new URLSearchParams(), content: content() };
  await rejects(store.putPresigned(upload), { code: "NOT_FOUND" });
});

Deno.test("wrong credentials and a missing bucket are internal errors", async () => {
  const errors = { secretAccessKey: /refused PUT a: 403/, bucket: /no bucket none/ };
  for (const [name, message] of Object.entries(errors)) {
    const wrong = createS3Store({ ...bucket, [name]: "none", now });
    await rejects(wrong.put("a", BYTES, "image/webp"), message);
  }
});

Deno.test("a request that fails temporarily is repeated with the same bytes", async () => {
  const bodies: number[] = [];
  const hashes = new Set<string | null>();
  await using flaky = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (req) => {
    bodies.push((await req.bytes()).length);
    hashes.add(req.headers.get("X-Amz-Content-Sha256"));
    return new Response(null, { status: [500, 429, 200][bodies.length - 1] ?? 503 });
  });
  const unsteady = createS3Store({ ...bucket, endpoint: `http://127.0.0.1:${flaky.addr.port}`, now });
  await unsteady.put("a", BYTES, "image/webp");
  deepStrictEqual(bodies, [BYTES.length, BYTES.length, BYTES.length]);
  deepStrictEqual([...hashes], [new Uint8Array(await crypto.subtle.digest("SHA-256", BYTES)).toHex()]);
  await rejects(unsteady.put("a", BYTES, "image/webp"), { code: "UNAVAILABLE", retryAfterSeconds: 5 });
});

Deno.test("redirects are not followed", async () => {
  const paths: string[] = [];
  await using misleading = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (req) => {
    paths.push(new URL(req.url).pathname);
    return new Response(null, { status: 307, headers: { Location: "/elsewhere" } });
  });
  const misled = createS3Store({ ...bucket, endpoint: `http://127.0.0.1:${misleading.addr.port}`, now });
  await rejects(misled.put("a", BYTES, "image/webp"), { code: "UNAVAILABLE" });
  deepStrictEqual(new Set(paths), new Set(["/uploads/a"]));
});

Deno.test("an unresponsive or stopped server is UNAVAILABLE within the time of three tries", async () => {
  const timeoutMs = 300;
  const hasty = createS3Store({ ...bucket, now, timeoutMs });
  server.pause();
  const startedAt = performance.now();
  await rejects(hasty.put("a", BYTES, "image/webp"), { code: "UNAVAILABLE" });
  ok(performance.now() - startedAt < 10 * timeoutMs);
  server.resume();
  strictEqual(await store.head("never stored"), null);
  await server.stop();
  await rejects(hasty.head("a"), { code: "UNAVAILABLE" });
});
