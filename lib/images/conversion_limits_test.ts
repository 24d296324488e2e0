import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import sharp from "sharp";
import { quarters } from "../../tests/support/images/pictures.ts";
import { borrowInThisProcess, createTestConverter, toWebpOf } from "../../tests/support/images/test_converter.ts";
import { waitFor } from "../../tests/support/wait_for.ts";
import { AppError } from "../errors/errors.ts";
import type { Converter } from "./converter_connection.ts";

const MAX_PIXELS = 40_000_000;

Deno.test("images are refused while the queue is full", async () => {
  const busy = createTestConverter({ maxPixels: MAX_PIXELS, maxConcurrent: 1, maxWaiting: 2 });
  const bytes = new Uint8Array(await quarters().png().toBuffer());
  using image = await busy.receive(ReadableStream.from([bytes]));
  const convert = (owner: string) => busy.toWebp(image, { contentType: "image/png", maxDimension: 9, owner });
  const accepted = [convert("a"), convert("b"), convert("c")];
  await rejects(convert("d"), { code: "UNAVAILABLE", retryAfterSeconds: 5 });
  deepStrictEqual((await Promise.all(accepted)).map(({ width }) => width), [9, 9, 9]);
  strictEqual((await convert("d")).width, 9);
});

Deno.test("images are counted while they wait and while they are converted", async () => {
  const counts = { running: 0, waiting: 0 };
  const [lent, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
  const borrow = () => lent.promise.then(() => ({ ...hangingConverter(), receive: () => ended.promise }));
  const limits = { maxPixels: MAX_PIXELS, maxConcurrent: 1, maxWaiting: 4 };
  const { toWebp } = createTestConverter({ ...limits, borrow, counts });
  const convert = (owner: string) => toWebp({ file: "any" }, { contentType: "image/png", maxDimension: 9, owner });
  const all = Promise.allSettled(["a", "b", "c", "d", "e"].map(convert));
  await rejects(convert("f"), { code: "UNAVAILABLE" });
  deepStrictEqual(counts, { running: 0, waiting: 5 });
  lent.resolve();
  await waitFor("the first one", () => counts.running === 1);
  deepStrictEqual(counts, { running: 1, waiting: 4 });
  ended.reject(new Error("it has ended"));
  await all;
  deepStrictEqual(counts, { running: 0, waiting: 0 });
});

Deno.test("owners take turns, and one with fewer images pushes out those of another", async () => {
  const ended: string[] = [];
  const borrow = () => Promise.reject(new Error("no converter"));
  const { toWebp } = createTestConverter({ maxPixels: MAX_PIXELS, maxConcurrent: 1, borrow });
  const convert = async (owner: string) => {
    const options = { contentType: "image/png", maxDimension: 9, owner } as const;
    await toWebp({ file: "any" }, options).catch(({ data }) => ended.push(`${owner}: ${data.reason}`));
  };
  await Promise.all([...Array(99).fill("greedy"), "patient"].map(convert));
  const counts = Object.entries(Object.groupBy(ended, (end) => end)).map(([end, all]) => [end, all!.length]);
  deepStrictEqual(Object.fromEntries(counts), {
    "greedy: busy": 19,
    "greedy: conversion": 80,
    "patient: conversion": 1,
  });
  const converted = ended.filter((end) => end.endsWith("conversion"));
  strictEqual(converted.indexOf("patient: conversion"), 2);
});

Deno.test("a conversion past its deadline is refused, its converter ends, and the next one starts", async () => {
  const { toWebp } = createTestConverter({
    maxPixels: MAX_PIXELS,
    maxConcurrent: 1,
    decodingSeconds: 0.1,
    borrow: () => Promise.resolve(hangingConverter()),
  });
  const convert = () => toWebp({ file: "any" }, { contentType: "image/png", maxDimension: 9 });
  for (let i = 0; i < 2; i++) {
    const converting = convert();
    let isOver = false;
    converting.catch(() => isOver = true);
    await waitFor("the deadline", () => isOver, { timeoutMs: 10_000 }); // without one, it would never end
    await rejects(converting, { code: "IMAGE_INVALID", data: { reason: "slow" } });
  }
});

/** Creates a converter that never answers. */
function hangingConverter(): Converter {
  const answer = Promise.withResolvers<never>();
  answer.promise.catch(() => {}); // a test may replace `receive`
  return {
    receive: () => answer.promise,
    giveBack: () => Promise.resolve(),
    close: () => answer.reject(new Error("closed")),
  };
}

Deno.test("an image whose converter ends may be sent again", async () => {
  let borrowed = 0;
  const toWebp = toWebpOf(createTestConverter({
    maxPixels: MAX_PIXELS,
    async borrow(request) {
      if (++borrowed > 1) return await borrowInThisProcess(request);
      return { ...hangingConverter(), receive: () => Promise.reject(new Error("it has ended")) };
    },
  }));
  const bytes = new Uint8Array(await quarters().png().toBuffer());
  const convert = () => toWebp(bytes, { contentType: "image/png", maxDimension: 9 });
  await rejects(convert(), { code: "UNAVAILABLE", retryAfterSeconds: 5 });
  strictEqual((await convert()).width, 9);
});

Deno.test("an image that cannot be written may be sent again, and errors of its content stay as they are", async () => {
  for (
    const error of [
      new Deno.errors.NotCapable("no space"),
      new AppError("PAYLOAD_TOO_LARGE", { reason: "body", maxBytes: 1 }),
    ]
  ) {
    const { receive } = createTestConverter({ maxPixels: MAX_PIXELS, receive: () => Promise.reject(error) });
    const code = error instanceof AppError ? "PAYLOAD_TOO_LARGE" : "UNAVAILABLE";
    await rejects(receive(ReadableStream.from([])), { code });
  }
});

Deno.test("only a converter whose answers are well-formed is given back before it is closed", async () => {
  const [decoded, invalid] = [{ decoded: true }, { invalid: { reason: "undecodable" } }];
  const cases: [answers: unknown[], calls: string, code: string][] = [
    [[invalid], "given back", "IMAGE_INVALID"],
    [[decoded, invalid], "given back", "IMAGE_INVALID"],
    [[{ failed: "no memory" }], "closed", "UNAVAILABLE"],
    [[decoded, { failed: "no memory" }], "closed", "UNAVAILABLE"],
    [[decoded, decoded], "closed", "UNAVAILABLE"],
    [[{ images: [] }], "closed", "UNAVAILABLE"],
    [[null], "closed", "UNAVAILABLE"],
  ];
  for (const [answers, expected, code] of cases) {
    const calls: string[] = [];
    const values = answers.values();
    const converter: Converter = {
      receive: () => Promise.resolve({ value: values.next().value, parts: [] }),
      giveBack: () => Promise.resolve(void calls.push("given back")),
      close: () => calls.push("closed"),
    };
    const { toWebp } = createTestConverter({ maxPixels: MAX_PIXELS, borrow: () => Promise.resolve(converter) });
    await rejects(toWebp({ file: "any" }, { contentType: "image/png", maxDimension: 9 }), { code });
    deepStrictEqual([calls[0], values.next().done], [expected, true], JSON.stringify(answers));
  }
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
