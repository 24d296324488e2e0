import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { withFolder } from "../support/database/engines.ts";
import { quarters } from "../support/images/pictures.ts";
import { register, type Session } from "../support/processes/process_session.ts";
import { statusOf } from "../support/processes/process_uploads.ts";
import { startS3Server } from "../support/uploads/s3_server.ts";
import { waitFor } from "../support/wait_for.ts";

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
    await assertPrivateUpload(session, server.env.S3_ENDPOINT);
    await assertPolicyAllows(app, server.env.S3_ENDPOINT);

    await server.stop();
    const refused = await session.uploadAvatar(picture, "image/png");
    deepStrictEqual([refused.status, refused.headers.get("Retry-After")], [503, "5"]);
    strictEqual((await refused.json()).code, "UNAVAILABLE");
  }));

/** Soon after a start, the app knows that no one can read private files in the bucket. */
async function assertPrivateUpload(session: Session, endpoint: string): Promise<void> {
  const request = { filename: "a.txt", contentType: "text/plain", size: 5, visibility: "private" };
  const { presignedUrl, publicUrl, id } = await waitFor("the probe of private files", async () => {
    const response = await session.post("/api/upload/presign", request);
    const body = await response.json();
    return response.status === 200 ? body : strictEqual(response.status, 503);
  });
  ok(presignedUrl.startsWith(`${endpoint}/uploads/private/`), presignedUrl);
  const headers = { "Content-Type": "text/plain" };
  strictEqual(await statusOf(fetch(presignedUrl, { method: "PUT", body: "hello", headers })), 200);
  strictEqual((await session.post(`/api/uploads/${id}/confirm`, {})).status, 200);
  const path = new URL(publicUrl).pathname;
  strictEqual(await statusOf(session.request(path, { headers: { Cookie: "" } })), 404);
  strictEqual(await (await session.request(path)).text(), "hello");
}

/** Checks that the policy of pages allows connections to the store. */
async function assertPolicyAllows(app: AppProcess, origin: string): Promise<void> {
  const { headers, body } = await fetch(app.url);
  await body?.cancel();
  ok(headers.get("Content-Security-Policy")!.includes(`connect-src 'self' ${origin}`));
}
