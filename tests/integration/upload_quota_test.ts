import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { HOUR_SECONDS, SECOND_MS } from "../../lib/duration.ts";
import { usedBytes } from "../../lib/uploads/quota.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { isStored, openUploader, type Uploader } from "../support/uploads/upload_world.ts";

const MEBIBYTE = 1024 * 1024;
const QUOTA = 3 * MEBIBYTE;
const app = await openSharedTestApp({
  UPLOAD_QUOTA_BYTES: String(QUOTA),
  UPLOAD_MAX_BYTES: String(2 * MEBIBYTE),
});
app.advance((Date.now() - app.services.now().getTime()) / SECOND_MS);
const { services } = app;

async function tryPresign({ client }: Uploader, size?: number): Promise<string> {
  const response = await client.send("POST", "/api/upload/presign", {
    filename: "a.txt",
    contentType: "text/plain",
    size,
  });
  return response.status === 200 ? "granted" : `${response.status} ${(await response.json()).code}`;
}

Deno.test("50 requests at once get no more than what is left of the quota", async () => {
  const user = await openUploader(app);
  const other = await openUploader(app);
  strictEqual(await tryPresign(user, 2 * MEBIBYTE), "granted");
  const results = await Promise.all(Array.from({ length: 50 }, () => tryPresign(user, 100_000)));
  const granted = results.filter((result) => result === "granted").length;
  strictEqual(granted, Math.floor(MEBIBYTE / 100_000));
  deepStrictEqual(new Set(results), new Set(["granted", "413 QUOTA_EXCEEDED"]));
  strictEqual(await usedBytes(services.db, user.id), 2 * MEBIBYTE + granted * 100_000);
  strictEqual(await tryPresign(other, 2 * MEBIBYTE), "granted", "each user has a quota");
});

Deno.test("public and private files share the quota", async () => {
  const user = await openUploader(app);
  await user.store("x".repeat(MEBIBYTE), "public");
  const secret = await user.store("x".repeat(MEBIBYTE), "private");
  strictEqual(await usedBytes(services.db, user.id), 2 * MEBIBYTE);
  strictEqual(await tryPresign(user, MEBIBYTE + 1), "413 QUOTA_EXCEEDED");
  strictEqual((await user.delete(secret.id)).status, 204);
  strictEqual(await tryPresign(user, MEBIBYTE + 1), "granted");
});

Deno.test("an upload reserves its declared size, or the largest size", async () => {
  const user = await openUploader(app);
  const presigned = await user.presign({ size: undefined });
  strictEqual(await usedBytes(services.db, user.id), 2 * MEBIBYTE);
  strictEqual(await tryPresign(user, MEBIBYTE + 1), "413 QUOTA_EXCEEDED");
  strictEqual(await user.put(presigned, "hello"), 200);
  strictEqual(await usedBytes(services.db, user.id), 5);
  strictEqual((await user.delete(presigned.id)).status, 204);
  strictEqual(await usedBytes(services.db, user.id), 0);
});

Deno.test("the space of a URL that expires unused is released, and that of a used one is not", async () => {
  const user = await openUploader(app);
  const [, used] = [await user.presign({ size: 2 * MEBIBYTE }), await user.presign({ size: MEBIBYTE })];
  strictEqual(await user.put(used, "x".repeat(MEBIBYTE)), 200);
  app.advance(299);
  strictEqual(await tryPresign(user, 1), "413 QUOTA_EXCEEDED");
  app.advance(1);
  strictEqual(await tryPresign(user, 2 * MEBIBYTE), "granted");
  strictEqual(await tryPresign(user, 1), "413 QUOTA_EXCEEDED");
});

Deno.test("requests beyond the quota do not put off the check of what has arrived", async () => {
  const user = await openUploader(app);
  const { id, key } = await user.presign({ size: 2 * MEBIBYTE });
  await services.objects.put(key, new Uint8Array(2 * MEBIBYTE), "text/plain"); // as to a bucket, which reports nothing
  const checkAt = async () =>
    (await services.db.selectFrom("uploads").select("check_at").where("id", "=", id).executeTakeFirstOrThrow())
      .check_at;
  app.advance(300);
  strictEqual(await tryPresign(user, 2 * MEBIBYTE), "413 QUOTA_EXCEEDED");
  const first = await checkAt();
  for (let hours = 0; hours < 25; hours++) {
    app.advance(HOUR_SECONDS);
    strictEqual(await tryPresign(user, 2 * MEBIBYTE), "413 QUOTA_EXCEEDED");
  }
  deepStrictEqual(await checkAt(), first);
});

Deno.test("an upload that arrives after its space was given away is refused", async () => {
  const user = await openUploader(app);
  const late = await user.presign({ size: 2 * MEBIBYTE });
  app.advance(299);
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const writer = body.writable.getWriter();
  const arriving = app.handler(
    new Request(late.presignedUrl, { method: "PUT", body: body.readable, headers: { "Content-Type": "text/plain" } }),
    { remoteAddr: { transport: "tcp", hostname: "10.9.9.9", port: 1 } } as Deno.ServeHandlerInfo,
  );
  await writer.write(new Uint8Array(MEBIBYTE));
  app.advance(1);
  strictEqual(await tryPresign(user, 2 * MEBIBYTE), "granted");
  await writer.write(new Uint8Array(MEBIBYTE));
  await writer.close();
  const response = await arriving;
  deepStrictEqual([response.status, (await response.json()).code], [413, "QUOTA_EXCEEDED"]);
  strictEqual(await isStored(services, late.key), false);
  strictEqual(await usedBytes(services.db, user.id), 2 * MEBIBYTE);
});

Deno.test("an image needs space too, and leaves nothing behind without it", async () => {
  const user = await openUploader(app);
  const { id } = await user.image();
  strictEqual((await user.delete(id)).status, 204);
  strictEqual(await tryPresign(user, 2 * MEBIBYTE), "granted");
  strictEqual(await tryPresign(user, MEBIBYTE), "granted");
  const before = (await Array.fromAsync(services.objects.list({ prefix: "images/" }))).length;
  const failed = await user.image().catch((error) => error.actual);
  strictEqual(failed, 413);
  strictEqual((await Array.fromAsync(services.objects.list({ prefix: "images/" }))).length, before);
});

Deno.test("an account without a confirmed address has a smaller quota, and then none", async () => {
  const user = await openUploader(app);
  const { config } = services;
  const quotaBytes = async () => (await (await user.client.get("/api/account")).json()).data.storage.quotaBytes;
  try {
    services.config = { ...config, unverifiedQuotaBytes: MEBIBYTE };
    strictEqual(await quotaBytes(), MEBIBYTE);
    strictEqual(await tryPresign(user, MEBIBYTE + 1), "413 QUOTA_EXCEEDED");
    strictEqual(await tryPresign(user, MEBIBYTE), "granted");
    strictEqual(await tryPresign(user, 1), "413 QUOTA_EXCEEDED");
    services.config = { ...config, unverifiedQuotaBytes: 0, uploadQuotaBytes: 0 };
    const stranger = await openUploader(app);
    strictEqual(await tryPresign(stranger, 1), "413 QUOTA_EXCEEDED");
    strictEqual(await stranger.image().catch((error) => error.actual), 413);
    await services.db.updateTable("users").set({ email_verified: true }).where("id", "in", [user.id, stranger.id])
      .execute();
    strictEqual(await tryPresign(stranger, 1), "granted");
    strictEqual(await quotaBytes(), 0);
    services.config = { ...config, unverifiedQuotaBytes: 0 };
    strictEqual(await tryPresign(user, 2 * MEBIBYTE), "granted");
    strictEqual(await tryPresign(user, 1), "413 QUOTA_EXCEEDED");
  } finally {
    services.config = config;
  }
});

Deno.test("a quota of 0 is no quota", async () => {
  const user = await openUploader(app);
  const config = { ...services.config, uploadQuotaBytes: 0 };
  const { presignUpload } = await import("../../lib/uploads/presign.ts");
  for (let i = 0; i < 3; i++) {
    await presignUpload({ ...services, config }, {
      userId: user.id,
      filename: "a",
      contentType: "text/plain",
      size: 2 * MEBIBYTE,
      visibility: "public",
    });
  }
  strictEqual(await usedBytes(services.db, user.id), 6 * MEBIBYTE);
});
