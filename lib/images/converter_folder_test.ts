import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { withFolder } from "../../tests/support/database/engines.ts";
import { waitFor } from "../../tests/support/wait_for.ts";
import { readImage, receiveImage } from "./converter_folder.ts";

const BYTES = Uint8Array.from({ length: 20 }, (_, i) => i);

/** Sends bytes in chunks of a size. Like the body of a request, it uses two buffers in turns. */
async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const buffers = [new Uint8Array(size), new Uint8Array(size)];
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = bytes.subarray(at, at + size);
    const [buffer] = buffers.reverse();
    buffer.fill(255);
    buffer.set(chunk);
    yield await Promise.resolve(buffer.subarray(0, chunk.length));
  }
}

const filesIn = async (folder: string) => (await Array.fromAsync(Deno.readDir(folder))).length;

Deno.test("an image is read as it arrived, until it is disposed of", () =>
  withFolder(async (folder) => {
    for (const size of [1, 7, 16, 20]) {
      using image = await receiveImage(folder, chunksOf(BYTES, size));
      deepStrictEqual(await readImage(folder, image.file), BYTES);
      deepStrictEqual([image.sizeBytes, image.start], [20, BYTES.subarray(0, 16)]);
      strictEqual(await image.hash(), "566/V39gQS8DEtRCxwofphSMCQv1urQEyuwpSCrneeg=");
    }
    await waitFor("the removal", async () => await filesIn(folder) === 0);
    using short = await receiveImage(folder, chunksOf(BYTES.subarray(0, 2), 1));
    deepStrictEqual(short.start, BYTES.subarray(0, 2));
  }));

Deno.test("nothing is left of an image that does not arrive", () =>
  withFolder(async (folder) => {
    const broken = async function* () {
      yield* chunksOf(BYTES, 8);
      strictEqual(await filesIn(folder), 1);
      throw new Error("the sender has left");
    };
    await rejects(receiveImage(folder, broken()), /has left/);
    await waitFor("the removal", async () => await filesIn(folder) === 0);
  }));

Deno.test("a name that could lead out of the folder is refused", () =>
  withFolder(async (folder) => {
    await Deno.writeFile(`${folder}/file`, BYTES);
    for (const name of ["file", "../file", `../${"a".repeat(33)}`, ""]) {
      await rejects(readImage(folder, name), /is not a name/, name);
    }
  }));
