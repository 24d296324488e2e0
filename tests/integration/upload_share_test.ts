import { strictEqual } from "node:assert/strict";
import { registerUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { waitFor } from "../support/wait_for.ts";

const app = await openSharedTestApp();
const CONTENT_TYPE = "video/mp4";
/** Three quarters of the uploads that may stream at the same time. */
const ONE_USERS_SHARE = 192;

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
  const uploads = urls.map(startUpload);
  await Promise.all(uploads.map(({ started }) => started));
  let refused = 0;
  for (const { response } of uploads) void response.then(({ status }) => refused += Number(status === 503));
  for (const [number, spelling] of ["/uploads/%30", "/%75ploads/0"].entries()) {
    const url = (await presign(`another-${number}`)).replace("/uploads/0", spelling);
    const another = startUpload(url, ONE_USERS_SHARE + number);
    uploads.push(another);
    await another.started;
    await waitFor(`a slower upload to end for ${spelling}`, () => refused === number + 1);
  }
  for (const { end } of uploads) end();
  const statuses = await Promise.all(uploads.map(async ({ response }) => (await response).status));
  strictEqual(statuses.filter((status) => status === 503).length, 2);
  strictEqual(statuses.filter((status) => status === 200).length, ONE_USERS_SHARE);
});
