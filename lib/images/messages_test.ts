import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { type Message, readMessage, writeMessage } from "./messages.ts";

/** Collects what is written, and returns it in pieces of at most `pieceBytes`. */
function buffer(pieceBytes = 3) {
  let bytes = new Uint8Array();
  return {
    write(more: Uint8Array) {
      const piece = more.subarray(0, pieceBytes);
      bytes = new Uint8Array([...bytes, ...piece]);
      return Promise.resolve(piece.length);
    },
    read(into: Uint8Array) {
      if (bytes.length === 0) return Promise.resolve(null);
      const piece = bytes.subarray(0, Math.min(into.length, pieceBytes));
      into.set(piece);
      bytes = bytes.slice(piece.length);
      return Promise.resolve(piece.length);
    },
    cut: (size: number) => void (bytes = bytes.slice(0, size)),
    length: () => bytes.length,
  };
}

const MESSAGE: Message = { value: { name: "é" }, parts: [new Uint8Array([1, 2, 3, 4]), new Uint8Array()] };

Deno.test("messages arrive as they were sent, in any pieces", async () => {
  for (const pieceBytes of [1, 3, 1_000]) {
    const pipe = buffer(pieceBytes);
    const messages = [MESSAGE, { value: null, parts: [] }];
    for (const message of messages) await writeMessage(pipe, message);
    for (const message of messages) deepStrictEqual(await readMessage(pipe), message);
    strictEqual(await readMessage(pipe), null);
  }
});

Deno.test("a message that is cut off is refused", async () => {
  const whole = buffer();
  await writeMessage(whole, MESSAGE);
  for (let size = 1; size < whole.length(); size++) {
    const pipe = buffer();
    await writeMessage(pipe, MESSAGE);
    pipe.cut(size);
    await rejects(readMessage(pipe), /Cannot read a message/, `${size} bytes`);
  }
});

Deno.test("a message that is too large or malformed is refused before memory is taken for it", async () => {
  const heads = ['{"sizes":[268435457]}', '{"sizes":[200000000,200000000]}', '{"sizes":[-1]}', '{"sizes":["1"]}', "{}"];
  for (const head of heads) await rejects(readMessage(await withHead(head)), /its parts have the sizes/, head);
  await rejects(readMessage(await withHead("", 65_537)), /its head has 65537 bytes/);
});

async function withHead(head: string, length = head.length) {
  const pipe = buffer(1_000);
  const start = new Uint8Array(4);
  new DataView(start.buffer).setUint32(0, length);
  await pipe.write(start);
  await pipe.write(new TextEncoder().encode(head));
  return pipe;
}
