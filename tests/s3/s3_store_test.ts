import { deepStrictEqual, ok, partialDeepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { readSettings } from "../../lib/config/config.ts";
import type { UploadGrant } from "../../lib/services/object_store.ts";
import { createS3Store, type S3StoreOptions } from "../../lib/storage/s3/s3_store.ts";
import { startS3Server } from "../support/uploads/s3_server.ts";
import { STORE_CASES } from "../support/uploads/store_cases.ts";

const server = await startS3Server();
Deno.test.afterAll(() => server.stop());
const bucket = { ...readSettings(server.env).s3!, baseUrl: "https://foyer.test" };
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
  partialDeepStrictEqual(await store.head(key), { contentType: "image/webp", sizeBytes: BYTES.length });
  const read = await fetch(store.publicUrl(key));
  deepStrictEqual(await read.bytes(), BYTES);
  strictEqual(read.headers.get("Content-Type"), "image/webp");
  strictEqual(read.headers.get("Cache-Control"), "public, max-age=31536000");
  await store.delete(key);
  await store.delete(key);
  strictEqual(await store.head(key), null);
});

for (const [rule, test] of Object.entries(STORE_CASES)) Deno.test(rule, () => test(store));

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
  partialDeepStrictEqual(await store.head(key), { contentType: "application/pdf", sizeBytes: BYTES.length });
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
  partialDeepStrictEqual(await store.head(GRANT.key), { contentType: "image/png", sizeBytes: 5 });
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
  const missing = createS3Store({ ...bucket, bucket: "none", now });
  await rejects(missing.head("a"), errors.bucket);
  await rejects(missing.readStart("a", 10), errors.bucket);
  await rejects(missing.delete("a"), errors.bucket);
  await rejects(Array.fromAsync(missing.list()), errors.bucket);
});

Deno.test("a request that fails temporarily is repeated with the same bytes", async () => {
  const bodies: number[] = [];
  const hashes = new Set<string | null>();
  await using flaky = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (req) => {
    bodies.push((await req.bytes()).length);
    hashes.add(req.headers.get("X-Amz-Content-Sha256"));
    return new Response(null, { status: [500, 429, 200][bodies.length - 1] ?? 503, headers: { ETag: '"a"' } });
  });
  const unsteady = createS3Store({ ...bucket, endpoint: `http://127.0.0.1:${flaky.addr.port}`, now });
  await unsteady.put("a", BYTES, "image/webp");
  deepStrictEqual(bodies, [BYTES.length, BYTES.length, BYTES.length]);
  deepStrictEqual([...hashes], [new Uint8Array(await crypto.subtle.digest("SHA-256", BYTES)).toHex()]);
  await rejects(unsteady.put("a", BYTES, "image/webp"), { code: "UNAVAILABLE", retryAfterSeconds: 5 });
  strictEqual(bodies.length, 6, "three tries each");
});

Deno.test("delete with an entity tag leaves the decision to servers that can make it", async () => {
  const cases = { supported: 204, changed: 412, unsupported: 501 };
  const expected = { supported: ['"a"'], changed: ['"a"'], unsupported: ['"a"', null] };
  for (const [what, status] of Object.entries(cases)) {
    const conditions: (string | null)[] = [];
    await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ method, headers }) => {
      if (method === "HEAD") return new Response(null, { headers: { ETag: '"a"' } });
      conditions.push(headers.get("If-Match"));
      return new Response(null, { status: headers.has("If-Match") ? status : 204 });
    });
    const conditional = createS3Store({ ...bucket, endpoint: `http://127.0.0.1:${server.addr.port}`, now });
    await conditional.delete("a", { etag: '"b"' });
    deepStrictEqual(conditions, [], what);
    await conditional.delete("a", { etag: '"a"' });
    deepStrictEqual(conditions, expected[what as keyof typeof expected], what);
  }
});

Deno.test("list requests one page after another, and fails rather than list too little", async () => {
  const pages: Record<string, string> = {
    "": listing(["a", "b"], true),
    "b": listing(["c", "d"], true),
    "d": listing(["e"], false),
    "x": listing(["y"], true),
  };
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (req) => {
    const page = pages[new URL(req.url).searchParams.get("start-after")!];
    return page === undefined ? new Response("<Error/>", { status: 404 }) : new Response(page);
  });
  const paged = createS3Store({ ...bucket, endpoint: `http://127.0.0.1:${server.addr.port}`, now });
  const keys = (after?: string) => Array.fromAsync(paged.list({ after }), ({ key }) => key);
  deepStrictEqual(await keys(), ["a", "b", "c", "d", "e"]);
  deepStrictEqual(await keys("d"), ["e"]);
  await rejects(keys("x"), /no bucket uploads/);
});

function listing(keys: string[], isTruncated: boolean): string {
  const entries = keys.map((key) =>
    `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2026-03-01T12:00:00Z</LastModified></Contents>`
  );
  return `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${entries.join("")}</ListBucketResult>`;
}

Deno.test("the start of a large object is read without the rest, even if the server ignores the range", async () => {
  let sentBytes = 0;
  const endless = new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(65_536));
      sentBytes += 65_536;
    },
  });
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(endless, { headers: { ETag: '"a"', "Content-Length": "5368709120" } }),
  );
  const simple = createS3Store({ ...bucket, endpoint: `http://127.0.0.1:${server.addr.port}`, now });
  const read = await simple.readStart("a", 100_000);
  deepStrictEqual([read?.bytes.length, read?.object.sizeBytes], [100_000, 5_368_709_120]);
  ok(sentBytes < 50_000_000, `${sentBytes} bytes were sent`);
});

Deno.test("a response without the size of the object is an error, not an object of another size", async () => {
  let headers: HeadersInit = {};
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
    const body = new ReadableStream({ start: (controller) => controller.close() }); // has no length
    return new Response(body, { status: 206, headers: { ETag: '"a"', ...headers } });
  });
  const sizeless = createS3Store({ ...bucket, endpoint: `http://127.0.0.1:${server.addr.port}`, now });
  await rejects(sizeless.readStart("a", 10), /without its size/);
  headers = { "Content-Range": "bytes 0-9/*" };
  await rejects(sizeless.readStart("a", 10), /without its size/);
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
