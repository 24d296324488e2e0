import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { readChunks } from "./chunk_reader.ts";

const KIB = 1024;

/** A stream like those of `Deno.serve`, whose sender has this many bytes ready at each read. */
function byteStream(ready: number[]): { body: ReadableStream<Uint8Array<ArrayBuffer>>; buffers: number[] } {
  const buffers: number[] = [];
  const left = [...ready];
  const body = new ReadableStream({
    type: "bytes",
    pull(controller) {
      const request = controller.byobRequest!;
      const buffer = request.view as Uint8Array;
      const bytes = left.shift();
      if (bytes === undefined) {
        controller.close();
        return request.respond(0);
      }
      buffers.push(buffer.length / KIB);
      request.respond(Math.min(bytes, buffer.length));
    },
  });
  return { body: body as ReadableStream<Uint8Array<ArrayBuffer>>, buffers };
}

async function sizesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<number[]> {
  const reader = readChunks(body);
  const sizes: number[] = [];
  for (let chunk = await reader.read(); chunk !== null; chunk = await reader.read()) sizes.push(chunk.length);
  return sizes;
}

Deno.test("buffers double while the sender fills them, up to 512 KiB, and are small again for a slow sender", async () => {
  await takeSpareBuffers();
  const { body, buffers } = byteStream([Infinity, Infinity, Infinity, Infinity, Infinity, 100, 100]);
  const sizes = await sizesOf(body);
  deepStrictEqual(buffers, [64, 128, 256, 512, 512, 512, 64]);
  deepStrictEqual(sizes, [64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, 512 * KIB, 100, 100, 0]);
});

Deno.test("buffers of 512 KiB are lent to other bodies, but only once the last chunk is no longer valid", async () => {
  await takeSpareBuffers();
  const sender = readChunks(byteStream(Array(5).fill(Infinity)).body);
  const chunks = [];
  for (let i = 0; i < 6; i++) chunks.push(await sender.read());
  strictEqual(chunks[5]!.length, 0);
  strictEqual(await thirdBuffer(), 256);
  strictEqual(chunks[4]!.length, 512 * KIB);
  strictEqual(await sender.read(), null);
  strictEqual(await sender.read(), null); // gives nothing back twice
  strictEqual(await thirdBuffer(), 512);
  strictEqual(await takeSpareBuffers(), 2);
});

Deno.test("a body that ends early gives no buffer back, because its chunks may still be in use", async () => {
  await takeSpareBuffers();
  const reader = readChunks(byteStream(Array(9).fill(Infinity)).body);
  for (let i = 0; i < 5; i++) await reader.read();
  await reader.cancel();
  strictEqual(await takeSpareBuffers(), 0);
});

Deno.test("at most eight buffers wait for other bodies", async () => {
  await Promise.all(Array.from({ length: 9 }, () => sizesOf(byteStream(Array(5).fill(Infinity)).body)));
  strictEqual(await takeSpareBuffers(), 8);
});

/** Returns the size of the buffer into which a new body is read third, in KiB: the first one that may be lent. */
async function thirdBuffer(): Promise<number> {
  const { body, buffers } = byteStream([Infinity, Infinity, 1]);
  await sizesOf(body);
  return buffers[2];
}

/** Takes all buffers that other bodies have given back. Returns how many there were. */
async function takeSpareBuffers(): Promise<number> {
  for (let count = 0;; count++) {
    const { body, buffers } = byteStream(Array(3).fill(Infinity));
    const reader = readChunks(body);
    for (let i = 0; i < 3; i++) await reader.read();
    if (buffers[2] < 512) return count;
  }
}

Deno.test("a chunk stays as it is while the next one is read, and its buffer is used again for the one after", async () => {
  let pulls = 0;
  const body = new ReadableStream({
    type: "bytes",
    pull(controller) {
      const view = controller.byobRequest!.view as Uint8Array;
      view[0] = ++pulls;
      controller.byobRequest!.respond(view.length / 2);
    },
  });
  const reader = readChunks(body as ReadableStream<Uint8Array<ArrayBuffer>>);
  const [first, second] = [await reader.read(), await reader.read()];
  deepStrictEqual([first![0], second![0]], [1, 2]);
  const third = await reader.read();
  deepStrictEqual([first!.length, second![0], third![0]], [0, 2, 3]);
});

Deno.test("a stream that brings its own buffers is read as it is", async () => {
  const body = ReadableStream.from([new Uint8Array(3), new Uint8Array(200 * KIB)]);
  deepStrictEqual(await sizesOf(body), [3, 200 * KIB]);
});

Deno.test("canceling ends the stream", async () => {
  for (const type of ["bytes", undefined] as const) {
    let isCanceled = false;
    const body = new ReadableStream({ type: type as "bytes", cancel: () => void (isCanceled = true) });
    await readChunks(body as ReadableStream<Uint8Array<ArrayBuffer>>).cancel();
    strictEqual(isCanceled, true);
  }
});
