import { deepStrictEqual, notDeepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { ConversionRequest } from "../../lib/images/conversion_requests.ts";
import { borrowConverter, type Converter } from "../../lib/images/converter_connection.ts";
import { imageReceiver, socketIn } from "../../lib/images/converter_folder.ts";
import { writeMessage } from "../../lib/images/messages.ts";
import { createWebpConverter } from "../../lib/images/webp_converter.ts";
import { type Converters, listenForConverters } from "../../lib/server/converters.ts";
import type { ImageConverter } from "../../lib/services/services.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { register, type Session } from "../support/processes/process_session.ts";
import { withFolder } from "../support/database/engines.ts";
import { quarters, wholePng } from "../support/images/pictures.ts";
import { toWebpOf } from "../support/images/test_converter.ts";
import { delay } from "../support/delay.ts";
import { waitFor } from "../support/wait_for.ts";

const PNG = new Uint8Array(await quarters().png().toBuffer());
const PNG_OPTIONS: Parameters<ImageConverter["toWebp"]>[1] = {
  contentType: "image/png",
  maxDimension: 9,
  variantWidths: [3],
};
/** A request that a converter cannot fulfill. */
const IMPOSSIBLE = {} as ConversionRequest;
await buildApp();

/** Starts the app, and uploads an image, so that a converter is waiting. */
function withUploader(test: (app: AppProcess, session: Session) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    await using app = await startApp({ dataDir: folder });
    const session = await register(app, "uploader@example.com");
    strictEqual((await upload(session)).status, 200);
    strictEqual(app.converterPids().length, 1);
    await test(app, session);
  });
}

async function upload(session: Session): Promise<Response> {
  const response = await session.uploadAvatar(PNG, "image/png");
  await response.bytes();
  return response;
}

Deno.test("a converter that is killed costs its upload, which may be repeated, and nothing else", () =>
  withUploader(async (app, session) => {
    const [pid] = app.converterPids();
    Deno.kill(pid, "SIGSTOP"); // so that the upload is certainly not finished
    const uploading = upload(session);
    await delay(200); // the image has arrived
    Deno.kill(pid, "SIGKILL");
    const { status, headers } = await uploading;
    deepStrictEqual([status, headers.get("Retry-After")], [503, "5"]);
    strictEqual((await upload(session)).status, 200);
    notDeepStrictEqual(app.converterPids(), [pid]);
  }));

Deno.test("a converter that is killed while it waits costs no upload", () =>
  withUploader(async (app, session) => {
    Deno.kill(app.converterPids()[0], "SIGKILL");
    await waitFor("its end", () => app.converterPids().length === 0);
    strictEqual((await upload(session)).status, 200);
  }));

Deno.test("a signal to all processes leaves converters working, because uploads must finish", () =>
  withUploader(async (app, session) => {
    const before = app.converterPids();
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      Deno.kill(before[0], signal);
      strictEqual((await upload(session)).status, 200);
      deepStrictEqual(app.converterPids(), before);
    }
  }));

Deno.test("no converter is left when the app has ended", () =>
  withUploader(async (app) => {
    app.kill("SIGKILL");
    await app.ended;
    await waitFor("the end of the converters", () => app.converterPids().length === 0);
  }));

/** Runs a test with converters that are not those of an app. */
async function withConverters(
  { idleSeconds, decodingSeconds }: { idleSeconds?: number; decodingSeconds?: number },
  test: (toWebp: ReturnType<typeof toWebpOf>, converters: Converters) => Promise<void>,
): Promise<void> {
  using converters = listenForConverters({ idleSeconds });
  await test(toWebpOf(imagesOf(converters, decodingSeconds)), converters);
  await waitFor("the removal of images", async () => (await filesIn(converters)).every(({ size }) => size === 0));
}

/** Returns what an isolate converts images with. */
function imagesOf({ folder }: Converters, decodingSeconds?: number): ImageConverter {
  return createWebpConverter({
    receive: imageReceiver(folder),
    borrow: (request) => borrowConverter(folder, request),
    maxPixels: 144_000_000,
    decodingSeconds,
  });
}

/** Starts a converter, which may take longer than an image may. The next image gets it. */
async function startOne({ folder }: Converters): Promise<void> {
  const converter = await borrowConverter(folder, IMPOSSIBLE);
  await converter.receive();
  await converter.giveBack();
}

function filesIn({ folder }: Converters): Promise<Deno.FileInfo[]> {
  return Array.fromAsync(Deno.readDir(folder), ({ name }) => Deno.stat(`${folder}/${name}`));
}

Deno.test("a converter ends when it has waited for long enough, and the next image starts another", () =>
  withConverters({ idleSeconds: 0.2 }, async (toWebp, converters) => {
    for (let i = 0; i < 2; i++) {
      strictEqual((await toWebp(PNG, PNG_OPTIONS)).variants.length, 1);
      strictEqual(converters.pids().length, 1);
      await waitFor("its end", () => converters.pids().length === 0);
    }
  }));

Deno.test("an image that takes too long to decode is refused, and its converter is ended", () =>
  withConverters({ decodingSeconds: 1 }, async (toWebp, converters) => {
    await startOne(converters);
    await toWebp(PNG, PNG_OPTIONS);
    const slow = toWebp(wholePng(12_000, 12_000), { ...PNG_OPTIONS, maxDimension: 11_900 });
    await rejects(slow, { code: "IMAGE_INVALID", data: { reason: "slow" } });
    await waitFor("its end", () => converters.pids().length === 0, { timeoutMs: 500 });
    await startOne(converters);
    strictEqual((await toWebp(PNG, PNG_OPTIONS)).width, 9);
  }));

Deno.test("isolates share one converter for each core, which is then used again", () =>
  withConverters({}, async (toWebp, converters) => {
    const convert = () =>
      Promise.all(
        [toWebp, toWebpOf(imagesOf(converters))].flatMap((each) =>
          Array.from({ length: navigator.hardwareConcurrency }, () => each(PNG, PNG_OPTIONS))
        ),
      );
    await convert();
    const pids = converters.pids();
    strictEqual(pids.length, navigator.hardwareConcurrency);
    await convert();
    deepStrictEqual(converters.pids(), pids);
  }));

Deno.test("a request whose connection ends while it waits costs no converter", () =>
  withConverters({}, async (toWebp, converters) => {
    const borrow = () => borrowConverter(converters.folder, IMPOSSIBLE);
    const lent = await Promise.all(Array.from({ length: navigator.hardwareConcurrency }, borrow));
    const pids = converters.pids();
    const connection = await Deno.connect({ transport: "unix", path: socketIn(converters.folder) });
    await writeMessage(connection, { value: IMPOSSIBLE, parts: [] });
    connection.close();
    for (const converter of lent) {
      await converter.receive();
      await converter.giveBack();
    }
    await toWebp(PNG, PNG_OPTIONS);
    deepStrictEqual(converters.pids(), pids);
  }));

Deno.test("a converter is used again after an image that it refuses", () =>
  withConverters({}, async (toWebp, converters) => {
    await toWebp(PNG, PNG_OPTIONS);
    const pids = converters.pids();
    await rejects(toWebp(PNG.subarray(0, 99), PNG_OPTIONS), { code: "IMAGE_INVALID" });
    await toWebp(PNG, PNG_OPTIONS);
    deepStrictEqual(converters.pids(), pids);
  }));

const MISUSES: [what: string, misuse: (converter: Converter, pid: number) => Promise<void>][] = [
  ["whose connection ends without giving it back", ({ close }) => Promise.resolve(close())],
  ["that answers what was not asked", async ({ giveBack }, pid) => {
    await giveBack();
    await Deno.writeTextFile(`/proc/${pid}/fd/1`, "unasked");
  }],
];
for (const [what, misuse] of MISUSES) {
  Deno.test(`a converter ${what} ends`, () =>
    withConverters({}, async (_, converters) => {
      const converter = await borrowConverter(converters.folder, IMPOSSIBLE);
      strictEqual("failed" in Object((await converter.receive()).value), true);
      await misuse(converter, converters.pids()[0]);
      await waitFor("its end", () => converters.pids().length === 0);
    }));
}

Deno.test("a converter has a low priority", () =>
  withConverters({}, async (toWebp, converters) => {
    await toWebp(PNG, PNG_OPTIONS);
    strictEqual(await nicenessOf(converters.pids()[0]) - await nicenessOf(Deno.pid), 5);
  }));

async function nicenessOf(pid: number): Promise<number> {
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "ni=", String(pid)] }).output();
  return parseInt(new TextDecoder().decode(stdout));
}

Deno.test("an image is stored for its converter alone, and its file is emptied afterward", () =>
  withConverters({}, async (toWebp, converters) => {
    await toWebp(PNG, PNG_OPTIONS);
    Deno.kill(converters.pids()[0], "SIGSTOP");
    const converting = toWebp(PNG, PNG_OPTIONS);
    const image = async () => (await filesIn(converters)).find(({ size }) => size > 0);
    await waitFor("the image", async () => await image() !== undefined);
    const found = [await Deno.stat(converters.folder), await image()];
    deepStrictEqual(found.map((info) => info!.mode! & 0o777), [0o700, 0o600]);
    Deno.kill(converters.pids()[0], "SIGKILL");
    await rejects(converting, { code: "UNAVAILABLE" });
  }));
