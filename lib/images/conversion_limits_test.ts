import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import sharp from "sharp";
import { quarters, wholePng } from "../../tests/support/images/pictures.ts";
import { waitFor } from "../../tests/support/wait_for.ts";
import { createWebpConverter } from "./webp_converter.ts";

const MAX_PIXELS = 40_000_000;

Deno.test("images are refused while the queue is full", async () => {
  const busy = createWebpConverter({ maxPixels: MAX_PIXELS, maxConcurrent: 1, maxWaiting: 2 });
  const bytes = new Uint8Array(await quarters().png().toBuffer());
  const convert = () => busy.toWebp(bytes, { contentType: "image/png", maxDimension: 9 });
  const accepted = [convert(), convert(), convert()];
  await rejects(convert(), { code: "UNAVAILABLE", retryAfterSeconds: 5 });
  deepStrictEqual((await Promise.all(accepted)).map(({ width }) => width), [9, 9, 9]);
  strictEqual((await convert()).width, 9);
});

Deno.test("converters share the limit of the process", async () => {
  const order: string[] = [];
  const bytes = new Uint8Array(await quarters().png().toBuffer());
  const convert = (name: string, until: Promise<void>) =>
    createWebpConverter({
      maxPixels: MAX_PIXELS,
      maxConcurrent: 1,
      async load() {
        order.push(name);
        await until;
        return await import("./webp_codec.ts");
      },
    }).toWebp(bytes, { contentType: "image/png", maxDimension: 9 });
  const gate = Promise.withResolvers<void>();
  const first = convert("first", gate.promise);
  await waitFor("the first one to start", () => order.length > 0);
  const second = convert("second", Promise.resolve());
  await waitFor("the second one", async () => order.length > 1 || (await navigator.locks.query()).pending!.length > 0);
  deepStrictEqual(order, ["first"]);
  gate.resolve();
  await Promise.all([first, second]);
  deepStrictEqual(order, ["first", "second"]);
});

Deno.test("a conversion past its deadline is refused, and the next one starts", async () => {
  const converter = createWebpConverter({ maxPixels: 144_000_000, maxConcurrent: 1, timeoutSeconds: 1 });
  const convert = (bytes: Uint8Array<ArrayBuffer>, maxDimension: number) =>
    converter.toWebp(bytes, { contentType: "image/png", maxDimension });
  const slow = convert(wholePng(12_000, 12_000), 11_900);
  const next = quarters().png().toBuffer().then((bytes) => convert(new Uint8Array(bytes), 9));
  const refusal = rejects(slow, { code: "IMAGE_INVALID", data: { reason: "slow" } });
  await Promise.allSettled([refusal, next]); // Deno can crash if a failed test leaves a conversion running
  await refusal;
  strictEqual((await next).width, 9);
});

Deno.test("only the first isolate restricts the decoders, because others may be converting", async () => {
  await import("./webp_codec.ts");
  const folder = await Deno.makeTempDir();
  const image = `${folder}/image.v`; // no test uses this decoder
  await quarters().toFile(image);
  await rejects(sharp(image).metadata(), /unsupported/);
  const decoder = { operation: ["VipsForeignLoadVips"] };
  sharp.unblock(decoder);
  const worker = new Worker(import.meta.resolve("../../tests/support/images/codec_loader.ts"), { type: "module" });
  await new Promise((resolve) => worker.addEventListener("message", resolve, { once: true }));
  strictEqual((await sharp(image).metadata()).format, "vips");
  sharp.block(decoder);
  worker.terminate();
  await Deno.remove(folder, { recursive: true });
});
