import { strictEqual } from "node:assert/strict";
import { registerUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const CONTENT_TYPE = "video/mp4";
/** Half of the uploads that may stream at the same time. */
const ONE_USERS_SHARE = 128;

/** Starts an upload from a separate client address. Its body does not end before `end` is called. */
function startUpload(url: string, number: number) {
  const info = { remoteAddr: { transport: "tcp", hostname: `10.1.0.${number}`, port: 1 } } as Deno.ServeHandlerInfo;
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      started.resolve();
      await ended.promise;
      controller.close();
    },
  }, { highWaterMark: 0 });
  const response = app.handler(
    new Request(url, { method: "PUT", body, headers: { "Content-Type": CONTENT_TYPE } }),
    info,
  );
  return { response, started: Promise.race([started.promise, response]), end: ended.resolve };
}

Deno.test("uploads count for the user of their key, however the URL spells it", async () => {
  const { id } = await registerUser(app, "holder@example.com");
  const { objects } = app.services;
  const presign = (name: string) =>
    objects.presignPut({ key: `uploads/${id}/${name}.mp4`, contentType: CONTENT_TYPE }, 300);
  const urls = await Promise.all(Array.from({ length: ONE_USERS_SHARE }, (_, number) => presign(`film-${number}`)));
  const presignedUrl = await presign("another");
  const uploads = urls.map(startUpload);
  await Promise.all(uploads.map(({ started }) => started));
  for (const [part, spelling] of [["/uploads/0", "/uploads/%30"], ["/uploads/", "/%75ploads/"]]) {
    const another = startUpload(presignedUrl.replace(part, spelling), ONE_USERS_SHARE);
    await another.started;
    another.end();
    strictEqual((await another.response).status, 503, spelling);
  }
  for (const { end } of uploads) end();
  for (const { response } of uploads) strictEqual((await response).status, 200);
});
