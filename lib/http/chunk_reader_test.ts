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
  const { body, buffers } = byteStream([Infinity, Infinity, Infinity, Infinity, Infinity, 100, 100]);
  const sizes = await sizesOf(body);
  deepStrictEqual(buffers, [64, 128, 256, 512, 512, 512, 64]);
  deepStrictEqual(sizes, [64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, 512 * KIB, 100, 100]);
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
