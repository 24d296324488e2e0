import { deepStrictEqual, match, ok, partialDeepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { GetObjectCommand, HeadObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { readSettings } from "../../lib/config/config.ts";
import { MINUTE_SECONDS, SECOND_MS } from "../../lib/duration.ts";
import type { ReadGrant } from "../../lib/services/object_store.ts";
import { createS3Store, type S3StoreOptions } from "../../lib/storage/s3/s3_store.ts";
import { statusOf } from "../support/processes/process_uploads.ts";
import { PRIVATE_BUCKET, startS3Server } from "../support/uploads/s3_server.ts";
import { STORE_CASES } from "../support/uploads/store_cases.ts";

const server = await startS3Server();
Deno.test.afterAll(() => server.stop());
const BASE_URL = "https://foyer.test";
const now = () => new Date();
const settingsOf = (env: Record<string, string>) => ({ ...readSettings(env).s3!, baseUrl: BASE_URL, now });
const ONE_BUCKET = settingsOf(server.env);
const TWO_BUCKETS = settingsOf({ ...server.env, S3_PRIVATE_BUCKET: PRIVATE_BUCKET });
const TEXT = new TextEncoder().encode("a passport");
const KEY = "private/u/1-a.txt";
const GRANT: ReadGrant = { method: "GET", contentType: "text/plain", disposition: "inline", expiresInSeconds: 60 };

Deno.test("a presigned URL for reading equals that of Amazon's own presigner", async () => {
  const signingDate = new Date("2026-03-01T12:00:00.500Z");
  const cases: Partial<S3StoreOptions & ReadGrant & { key: string }>[] = [
    {},
    { method: "HEAD" },
    { contentType: "application/pdf", disposition: "attachment" },
    { disposition: `attachment; filename="a + b (1)*'!.txt"; filename*=UTF-8''%C3%84%20%2B%26%3D.txt` },
    { contentType: "text/plain; charset=utf-8", expiresInSeconds: 1 },
    { endpoint: "https://s3.example.com/base/", region: "eu-central-1", secretAccessKey: "a/b+c=" },
    { privateBucket: PRIVATE_BUCKET, key: "private/u/1-.._.._a-b_c..d.tar.gz" },
    { privateBucket: PRIVATE_BUCKET, key: "uploads/u/1-a b+c.gz" },
  ];
  for (const changes of cases) {
    const { key, method, contentType, disposition, expiresInSeconds, ...options } = {
      ...ONE_BUCKET,
      ...GRANT,
      key: KEY,
      ...changes,
    };
    const grant = { method, contentType, disposition, expiresInSeconds };
    const ours = await createS3Store({ ...options, now: () => signingDate }).presignGet!(key, grant);
    const client = new S3Client({
      endpoint: options.endpoint,
      region: options.region,
      credentials: options,
      forcePathStyle: true,
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
    });
    const isInOther = options.privateBucket !== undefined && key.startsWith("private/");
    const input = {
      Bucket: isInOther ? options.privateBucket : options.bucket,
      Key: key,
      ResponseContentType: contentType,
      ResponseContentDisposition: disposition,
      ResponseCacheControl: "private, no-store",
    };
    const command = method === "GET" ? new GetObjectCommand(input) : new HeadObjectCommand(input);
    const theirs = await getSignedUrl(client, command as GetObjectCommand, {
      expiresIn: expiresInSeconds,
      signingDate,
    });
    deepStrictEqual(partsOf(ours), partsOf(theirs), JSON.stringify(changes));
    ok(!new URL(ours).search.includes("+"), ours);
  }
});

/** Returns the parts of a URL, without the order of its parameters. */
function partsOf(url: string) {
  const { origin, pathname, searchParams } = new URL(url);
  return { origin, pathname, query: Object.fromEntries(searchParams) };
}

for (const [where, options] of Object.entries({ "one bucket": ONE_BUCKET, "two buckets": TWO_BUCKETS })) {
  Deno.test(`in ${where}, only its presigned URL reads a private object, with these headers and for this long`, async () => {
    const store = createS3Store(options);
    const etag = await store.put(KEY, TEXT, "text/html");
    partialDeepStrictEqual(await store.head(KEY), { etag, sizeBytes: TEXT.length });
    deepStrictEqual((await store.readStart(KEY, 3))?.bytes, TEXT.slice(0, 3));
    const disposition = `attachment; filename="a + b.txt"; filename*=UTF-8''%C3%84%20b.txt`;
    const url = await store.presignGet!(KEY, { ...GRANT, disposition });
    const read = await fetch(url);
    strictEqual(await read.text(), "a passport");
    deepStrictEqual(
      ["Content-Type", "Content-Disposition", "Cache-Control"].map((name) => read.headers.get(name)?.split(";")[0]),
      ["text/plain", "attachment", "private, no-store"],
    );
    strictEqual(read.headers.get("Content-Disposition"), disposition);
    const range = await fetch(url, { headers: { Range: "bytes=2-4" } });
    deepStrictEqual([range.status, await range.text()], [206, "pas"]);
    const head = await fetch(await store.presignGet!(KEY, { ...GRANT, method: "HEAD" }), { method: "HEAD" });
    deepStrictEqual([head.status, head.headers.get("Content-Length")], [200, String(TEXT.length)]);

    const earlier = (seconds: number) =>
      createS3Store({ ...options, now: () => new Date(Date.now() - seconds * SECOND_MS) }).presignGet!(KEY, GRANT);
    const bucket = options.privateBucket ?? options.bucket;
    const account = options.publicUrl.slice(0, options.publicUrl.lastIndexOf("/"));
    strictEqual(await statusOf(fetch(await earlier(MINUTE_SECONDS / 2))), 200);
    const refused: [what: string, url: string, method?: string][] = [
      ["61 seconds later", await earlier(MINUTE_SECONDS + 1)],
      ["another type", url.replace("text%2Fplain", "text%2Fhtml")],
      ["another disposition", url.replace("attachment", "inline")],
      ["another object", url.replace("1-a.txt", "2-b.txt")],
      ["another method", url, "DELETE"],
      ["no signature", `${options.endpoint}/${bucket}/${KEY}`],
      ["the public address", `${options.publicUrl}/${KEY}`],
      ["the public address of the bucket", `${account}/${bucket}/${KEY}`],
    ];
    for (const [what, address, method] of refused) {
      const status = await statusOf(fetch(address, { method }));
      ok(status >= 400 && status < 500, `${what}: ${status}`);
    }
    strictEqual(store.publicUrl(KEY), `${BASE_URL}/files/${KEY}`);
    strictEqual(store.publicUrl("uploads/u/1"), `${options.publicUrl}/uploads/u/1`);
    await store.delete(KEY, { etag });
    strictEqual(await store.head(KEY), null);
  });

  Deno.test(`in ${where}, a private object can be uploaded once a probe was refused, and not before`, async () => {
    const store = createS3Store(options);
    const grant = { key: "private/u/2-b.txt", contentType: "text/plain", sizeBytes: TEXT.length };
    await rejects(store.presignPut(grant, 300), {
      code: "UNAVAILABLE",
      data: { reason: "private", retryAfterSeconds: 60 },
    });
    await store.presignPut({ ...grant, key: "uploads/u/2-b.txt" }, 300);
    deepStrictEqual(await store.probePrivate!(), { result: "closed" });
    deepStrictEqual(await Array.fromAsync(store.list({ prefix: "private/probe-" })), [], "the probe is deleted");
    const url = await store.presignPut(grant, 300);
    ok(url.startsWith(`${options.endpoint}/${options.privateBucket ?? options.bucket}/private/u/`), url);
    const headers = { "Content-Type": "text/plain" };
    strictEqual(await statusOf(fetch(url, { method: "PUT", body: TEXT, headers })), 200);
    partialDeepStrictEqual(await store.head(grant.key), { contentType: "text/plain", sizeBytes: TEXT.length });
    await store.delete(grant.key);
  });
}

Deno.test("a probe finds a bucket in which everyone can read private objects", async () => {
  const options = settingsOf(server.openEnv);
  const store = createS3Store(options);
  deepStrictEqual(await store.probePrivate!(), { result: "readable", address: options.publicUrl });
  await rejects(store.presignPut({ key: KEY, contentType: "text/plain" }, 300), { code: "UNAVAILABLE" });
  deepStrictEqual(await Array.fromAsync(store.list()), []);
  const fixed = createS3Store({ ...options, privateBucket: PRIVATE_BUCKET });
  strictEqual((await fixed.probePrivate!()).result, "closed");
});

Deno.test("two buckets are listed as one, each only with the keys that belong in it", async () => {
  const store = createS3Store(TWO_BUCKETS);
  const [first, second] = [ONE_BUCKET, { ...ONE_BUCKET, bucket: PRIVATE_BUCKET }].map((each) => createS3Store(each));
  const keys = ["images/a", "private/a", "private/b", "private0", "private-a", "uploads/a"].sort();
  for (const key of keys) await store.put(key, TEXT, "text/plain");
  await first.put("private/stray", TEXT, "text/plain");
  await second.put("uploads/stray", TEXT, "text/plain");
  const listed = async (options?: { prefix?: string; after?: string }) =>
    (await Array.fromAsync(store.list(options), ({ key }) => key)).filter((key) =>
      keys.includes(key) || /stray/.test(key)
    );
  deepStrictEqual(await listed(), keys);
  for (const prefix of ["p", "private", "private/", "private/a", "private0", "uploads/", "q"]) {
    deepStrictEqual(await listed({ prefix }), keys.filter((key) => key.startsWith(prefix)), prefix);
  }
  for (const after of [...keys, "images/b", "private/", "z"]) {
    deepStrictEqual(await listed({ after }), keys.filter((key) => key > after), after);
    deepStrictEqual(await listed({ prefix: "p", after }), keys.filter((key) => key > after && key[0] === "p"), after);
  }
  match(await store.identify(), /^bucket uploads and private$/);
  strictEqual(await createS3Store(ONE_BUCKET).identify(), "bucket uploads");
  for (const key of keys) await store.delete(key);
});

Deno.test("a missing private bucket is an error, and never a missing object", async () => {
  const store = createS3Store({ ...TWO_BUCKETS, privateBucket: "none" });
  await rejects(store.check(), /no bucket none/);
  await rejects(store.head(KEY), /no bucket none/);
  await rejects(Array.fromAsync(store.list()), /no bucket none/);
  strictEqual(await store.head("uploads/none"), null);
  strictEqual((await store.probePrivate!()).result, "unknown");
});

for (const [rule, test] of Object.entries(STORE_CASES)) {
  Deno.test(`with two buckets, ${rule}`, () => test(createS3Store(TWO_BUCKETS)));
}
