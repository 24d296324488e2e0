import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { withFolder } from "../support/database/engines.ts";
import { quarters } from "../support/images/pictures.ts";
import { register } from "../support/processes/process_session.ts";
import { startS3Server } from "../support/uploads/s3_server.ts";

await buildApp();

Deno.test("the app uploads to a bucket, and responds with 503 while the bucket is down", () =>
  withFolder(async (folder) => {
    await using server = await startS3Server();
    await using app = await startApp({ dataDir: folder, env: server.env });
    const session = await register(app, "bucket@example.com");
    const picture = new Uint8Array(await quarters().png().toBuffer());

    const { presignedUrl, uploadUrl, publicUrl, key, expiresIn } = await (await session.post("/api/upload/presign", {
      filename: "a/b.png",
      contentType: "image/png",
      size: picture.length,
    })).json();
    deepStrictEqual([uploadUrl, expiresIn], [presignedUrl, 300]);
    strictEqual(publicUrl, `${server.env.S3_PUBLIC_URL}/${key}`);
    const put = (body: BodyInit) =>
      fetch(presignedUrl, { method: "PUT", body, headers: { "Content-Type": "image/png" } });
    strictEqual(await statusOf(put("other")), 403);
    strictEqual(await statusOf(put(picture)), 200);
    deepStrictEqual(await (await fetch(publicUrl)).bytes(), picture);

    const { url, size } = await (await session.uploadAvatar(picture, "image/png")).json();
    ok(url.startsWith(`${server.env.S3_PUBLIC_URL}/images/avatar/`));
    strictEqual((await (await fetch(url)).bytes()).length, size);
    strictEqual(await statusOf(fetch(`${app.url}/files/${key}`)), 404);
    await assertPolicyAllows(app, server.env.S3_ENDPOINT);

    await server.stop();
    const refused = await session.uploadAvatar(picture, "image/png");
    deepStrictEqual([refused.status, refused.headers.get("Retry-After")], [503, "5"]);
    strictEqual((await refused.json()).code, "UNAVAILABLE");
  }));

async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

/** Checks that the policy of pages allows connections to the store. */
async function assertPolicyAllows(app: AppProcess, origin: string): Promise<void> {
  const { headers, body } = await fetch(app.url);
  await body?.cancel();
  ok(headers.get("Content-Security-Policy")!.includes(`connect-src 'self' ${origin}`));
}
