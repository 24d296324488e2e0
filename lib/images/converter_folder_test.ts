import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { withFolder } from "../../tests/support/database/engines.ts";
import { waitFor } from "../../tests/support/wait_for.ts";
import { imageReceiver, readImage } from "./converter_folder.ts";

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

const sizesIn = (folder: string) =>
  Array.fromAsync(
    Deno.readDir(folder),
    ({ name }) => Deno.stat(`${folder}/${name}`).then(({ size }) => size, () => 0), // removed since
  );

Deno.test("an image is read as it arrived, and its file is emptied and used again", () =>
  withFolder(async (folder) => {
    const receive = imageReceiver(folder);
    for (const size of [20, 16, 7, 1]) {
      for (const bytes of [BYTES, BYTES.subarray(0, 2), new Uint8Array()]) {
        using image = await receive(chunksOf(bytes, size));
        if (bytes.length > 0) deepStrictEqual(await readImage(folder, image.file), bytes);
        deepStrictEqual([image.sizeBytes, image.start], [bytes.length, bytes.subarray(0, 16)]);
      }
      await waitFor("the file to be emptied", async () => (await sizesIn(folder)).every((size) => size === 0));
    }
    using image = await receive(chunksOf(BYTES, 20));
    strictEqual(await image.hash(), "566/V39gQS8DEtRCxwofphSMCQv1urQEyuwpSCrneeg=");
    using other = await receive(chunksOf(BYTES, 20));
    notStrictEqual(image.file, other.file);
    ok((await sizesIn(folder)).length < 10, "the 14 images share files");
  }));

Deno.test("an image without bytes needs no folder", async () => {
  for (const chunks of [[], [new Uint8Array()]]) {
    using image = await imageReceiver("/missing")(ReadableStream.from(chunks));
    deepStrictEqual([image.file, image.sizeBytes, image.start.length], ["", 0, 0]);
    strictEqual(await image.hash(), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  }
});

Deno.test("few empty files are kept", () =>
  withFolder(async (folder) => {
    const receive = imageReceiver(folder);
    const images = await Promise.all(Array.from({ length: 12 }, () => receive(chunksOf(BYTES, 20))));
    strictEqual((await sizesIn(folder)).length, 12);
    for (const image of images) image[Symbol.dispose]();
    await waitFor("the others to be removed", async () => (await sizesIn(folder)).length <= 8);
    await waitFor("the files to be emptied", async () => (await sizesIn(folder)).every((size) => size === 0));
  }));

Deno.test("nothing is left of an image that does not arrive", () =>
  withFolder(async (folder) => {
    const broken = async function* () {
      yield* chunksOf(BYTES, 8);
      deepStrictEqual((await sizesIn(folder)).length, 1);
      throw new Error("the sender has left");
    };
    await rejects(imageReceiver(folder)(broken()), /has left/);
    await waitFor("the file to be emptied", async () => (await sizesIn(folder))[0] === 0);
  }));

Deno.test("a name that could lead out of the folder is refused", () =>
  withFolder(async (folder) => {
    await Deno.writeFile(`${folder}/file`, BYTES);
    for (const name of ["file", "../file", `../${"a".repeat(33)}`]) {
      await rejects(readImage(folder, name), /is not a name/, name);
    }
  }));
