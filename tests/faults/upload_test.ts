import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { buildApp, startApp } from "../support/processes/app_process.ts";
import { withFolder } from "../support/database/engines.ts";
import { type CorpusFile, heavyImages, imageCorpus } from "../support/images/image_corpus.ts";
import { assertQuarters } from "../support/images/pictures.ts";
import { measureStrain } from "../support/processes/process_probe.ts";
import { register } from "../support/processes/process_session.ts";
import { presign, type Presigned, put, statusOf, temporaryFiles } from "../support/processes/process_uploads.ts";
import { waitFor } from "../support/wait_for.ts";

const MEBIBYTE = 1024 * 1024;
await buildApp();

Deno.test("a PUT interrupted by a kill is never visible, and the next start deletes its remains", () =>
  withFolder(async (folder) => {
    let upload: Presigned;
    {
      await using app = await startApp({ dataDir: folder });
      upload = await presign(await register(app, "uploader@example.com"));
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const sending = put(upload, readable).then(() => "answered", () => "broken");
      await writable.getWriter().write(new Uint8Array(MEBIBYTE));
      await waitFor(
        "the first bytes",
        async () => (await temporaryFiles(folder)).some(([, sizeBytes]) => sizeBytes > 0),
      );
      strictEqual(await statusOf(fetch(upload.publicUrl)), 404);
      app.kill("SIGKILL");
      await app.ended;
      strictEqual(await sending, "broken");
    }
    strictEqual((await temporaryFiles(folder)).length, 1);
    await using app = await startApp({ dataDir: folder });
    deepStrictEqual(await temporaryFiles(folder), []);
    strictEqual(await statusOf(fetch(app.url + new URL(upload.publicUrl).pathname)), 404);
  }));

Deno.test("a sender that disconnects during an upload leaves nothing behind", () =>
  withFolder(async (folder) => {
    await using app = await startApp({ dataDir: folder });
    const upload = await presign(await register(app, "uploader@example.com"));
    const { pathname, search } = new URL(upload.presignedUrl);
    const connection = await Deno.connect({ port: Number(new URL(app.url).port) });
    const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\nContent-Type: video/mp4\r\n`;
    await connection.write(new TextEncoder().encode(`${head}Content-Length: 100000\r\n\r\nonly this`));
    await waitFor("the temporary file", async () => (await temporaryFiles(folder)).length > 0);
    connection.close();
    await waitFor("its deletion", async () => (await temporaryFiles(folder)).length === 0);
    strictEqual(await statusOf(fetch(upload.publicUrl)), 404);
  }));

Deno.test("a full disk causes UNAVAILABLE and leaves nothing of the upload behind", () =>
  withFolder(async (folder) => {
    // Files of at most 24 MiB: enough for the database, too little for the largest upload.
    const prelude = `trap '' XFSZ && ulimit -f ${24 * MEBIBYTE / 512}`;
    await using app = await startApp({ dataDir: folder, prelude });
    const upload = await presign(await register(app, "uploader@example.com"));
    const response = await put(upload, new Uint8Array(25 * MEBIBYTE));
    const { code } = await response.json();
    deepStrictEqual([response.status, code, response.headers.get("Retry-After")], [503, "UNAVAILABLE", "30"]);
    strictEqual(await statusOf(fetch(upload.publicUrl)), 404);
    deepStrictEqual(await temporaryFiles(folder), []);
    strictEqual(await statusOf(put(upload, new Uint8Array(MEBIBYTE))), 200);
  }));

Deno.test("a large file is streamed in both directions", () =>
  withFolder(async (folder) => {
    await using app = await startApp({ dataDir: folder, env: { UPLOAD_MAX_BYTES: String(300 * MEBIBYTE) } });
    const upload = await presign(await register(app, "uploader@example.com"));
    const body = new Uint8Array(300 * MEBIBYTE);
    const { growthBytes } = await measureStrain(app, async () => {
      strictEqual(await statusOf(put(upload, body)), 200);
      let sizeBytes = 0;
      for await (const part of (await fetch(upload.publicUrl)).body!) sizeBytes += part.length;
      strictEqual(sizeBytes, body.length);
    });
    ok(growthBytes < 100 * MEBIBYTE, `memory grew by ${Math.round(growthBytes / MEBIBYTE)} MiB`);
  }));

Deno.test("no image takes much memory or blocks other requests", () =>
  withFolder(async (folder) => {
    await using app = await startApp({ dataDir: folder });
    const session = await register(app, "photographer@example.com");
    for await (const { name, contentType, bytes, expected, orCode } of everyImage()) {
      let response!: Response;
      const upload = () =>
        measureStrain(app, async () => void (response = await session.uploadAvatar(bytes, contentType)));
      const { growthBytes, blockedMs } = await upload();
      const body = await response.json();
      const codes: unknown[] = [expected, orCode];
      ok(response.status === 200 || (response.status === 400 && codes.includes(body.code)), `${name}: ${body.code}`);
      ok(growthBytes < 300 * MEBIBYTE, `${name}: ${Math.round(growthBytes / MEBIBYTE)} MiB`);
      // An image that really blocks does so twice, unlike a pause of the machine or the loading of the codec.
      const blocks = blockedMs < 50 ? [blockedMs] : [blockedMs, (await upload()).blockedMs];
      ok(blocks.at(-1)! < 50, `${name}: others waited ${blocks.map(Math.round).join(" and ")} ms`);
      if (response.status !== 200 || typeof expected === "string" || !expected.colors) continue;
      await assertQuarters(await (await fetch(body.url)).bytes(), expected.colors, expected.tolerance);
    }
  }));

async function* everyImage(): AsyncGenerator<CorpusFile> {
  yield* await imageCorpus();
  yield* heavyImages();
}
