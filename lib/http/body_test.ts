import { ok, rejects, strictEqual, throws } from "node:assert/strict";
import { AppError, type ErrorCode } from "../errors/errors.ts";
import { countBody, readBytes, UPLOAD_MIN_BYTES_PER_SECOND } from "./body.ts";
import { createShares } from "./shares.ts";

const hasCode = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code;

function request(body: BodyInit | null, headers: Record<string, string> = {}): Request {
  return new Request("http://localhost/", { method: "POST", body, headers });
}

/** Returns a body of these chunks. With `ends: false` it never ends. */
function stream(chunks: string[], { ends = true, onCancel = () => {} } = {}): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      if (ends) controller.close();
    },
    cancel: onCancel,
  });
}

Deno.test("a body is refused if a header says that its bytes are not the content", async () => {
  const cases: [name: string, value: string, code?: ErrorCode][] = [
    ["Content-Encoding", "gzip", "UNSUPPORTED_MEDIA_TYPE"],
    ["Content-Encoding", "aws-chunked", "UNSUPPORTED_MEDIA_TYPE"],
    ["Content-Encoding", "identity, br", "UNSUPPORTED_MEDIA_TYPE"],
    ["Content-Encoding", "Identity"],
    ["Content-Encoding", ""],
    ["Transfer-Encoding", "gzip, chunked", "UNSUPPORTED_MEDIA_TYPE"],
    ["Transfer-Encoding", "Chunked"],
    ["Content-Range", "bytes 5-9/10", "VALIDATION_FAILED"],
    ["Content-Range", "bytes */10", "VALIDATION_FAILED"],
  ];
  for (const [name, value, code] of cases) {
    const read = readBytes(request("hello", { [name]: value }), { maxBytes: 10 });
    if (code === undefined) strictEqual((await read).length, 5, `${name}: ${value}`);
    else await rejects(read, hasCode(code), `${name}: ${value}`);
  }
});

Deno.test("a body in many small chunks takes the memory of its bytes, not of its chunks", async () => {
  const CHUNKS = 60_000;
  const CHUNK_BYTES = 256;
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    // Each chunk arrives in a separate, far larger buffer, as from a socket.
    pull: (controller) => {
      controller.enqueue(new Uint8Array(16 * 1024).subarray(0, CHUNK_BYTES));
      if (++sent === CHUNKS) controller.close();
    },
  });
  const before = Deno.memoryUsage().rss;
  const maxBytes = CHUNKS * CHUNK_BYTES;
  const bytes = await readBytes(new Request("http://foyer.test/", { method: "POST", body }), { maxBytes });
  strictEqual(bytes.length, maxBytes);
  ok(Deno.memoryUsage().rss - before < 300 * 1024 * 1024, "the chunks are kept");
});

Deno.test("readBytes reads every chunk up to the limit", async () => {
  for (const [chunks, text] of [[[], ""], [["ab"], "ab"], [["ab", "", "cd"], "abcd"]] as const) {
    const bytes = await readBytes(request(stream([...chunks])), { maxBytes: 4 });
    strictEqual(new TextDecoder().decode(bytes), text);
  }
  strictEqual((await readBytes(request(null), { maxBytes: 0 })).length, 0);
});

Deno.test("readBytes refuses a declared length over the limit without reading", async () => {
  const req = request(stream(["abcde"]), { "content-length": "5" });
  await rejects(readBytes(req, { maxBytes: 4 }), hasCode("PAYLOAD_TOO_LARGE"));
  strictEqual(req.bodyUsed, false);
});

Deno.test("readBytes stops once the limit is exceeded and cancels the rest of the body", async () => {
  let canceled = false;
  const body = stream(["abc", "de"], { ends: false, onCancel: () => canceled = true });
  await rejects(readBytes(request(body), { maxBytes: 4 }), hasCode("PAYLOAD_TOO_LARGE"));
  ok(canceled);
});

Deno.test("readBytes aborts a body that misses the deadline", async () => {
  let canceled = false;
  const body = stream(["abc"], { ends: false, onCancel: () => canceled = true });
  await rejects(readBytes(request(body), { maxBytes: 4, deadlineMs: 20 }), hasCode("VALIDATION_FAILED"));
  ok(canceled);
});

/** Returns a body that arrives in chunks, one in each interval. */
function slowStream(
  chunkBytes: number,
  { chunks = 10, intervalMs = 20 } = {},
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
      controller.enqueue(new Uint8Array(chunkBytes));
      if (++sent === chunks) controller.close();
    },
  });
}

Deno.test("readBytes extends the deadline while bytes arrive faster than the minimum rate", async () => {
  const limits = { maxBytes: 100, deadlineMs: 100 };
  strictEqual((await readBytes(request(slowStream(10)), { ...limits, minBytesPerSecond: 1 })).length, 100);
  await rejects(readBytes(request(slowStream(10)), limits), hasCode("VALIDATION_FAILED"));
});

Deno.test("an upload at a third of 50 kB/s is not aborted, but one at 50 bytes/s is", async () => {
  // The first chunk arrives 300 ms before the deadline. Each chunk extends it.
  const pace = { chunks: 3, intervalMs: 200 };
  const limits = { maxBytes: 50_000, deadlineMs: 500, minBytesPerSecond: UPLOAD_MIN_BYTES_PER_SECOND };
  const chunkBytes = Math.floor(50_000 / 3 * 0.2);
  const bytes = await readBytes(request(slowStream(chunkBytes, pace)), limits);
  strictEqual(bytes.length, 3 * chunkBytes);
  await rejects(readBytes(request(slowStream(10, pace)), limits), hasCode("VALIDATION_FAILED"));
});

Deno.test("readBytes reports a disconnected sender as VALIDATION_FAILED", async () => {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.error(new Error("unexpected EOF")),
  });
  await rejects(readBytes(request(body), { maxBytes: 4 }), hasCode("VALIDATION_FAILED"));
});

Deno.test("a client that disconnects while sending its body causes no unhandled error on a real socket", async () => {
  const seen = Promise.withResolvers<unknown>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (req) => {
    await readBytes(req, { maxBytes: 100 }).catch(seen.resolve);
    return new Response();
  });
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
  await connection.write(new TextEncoder().encode("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nabc"));
  connection.close();
  ok(hasCode("VALIDATION_FAILED")(await seen.promise));
  await server.shutdown();
});

Deno.test("readBytes refuses small chunks beyond the first thousand", async () => {
  const read = (chunks: number, chunkBytes: number) =>
    readBytes(request(stream(Array<string>(chunks).fill("a".repeat(chunkBytes)))), { maxBytes: 1_000_000 });
  // A thousand chunks are free, and each 256 bytes permit one more.
  strictEqual((await read(1_003, 1)).length, 1_003);
  await rejects(read(1_004, 1), hasCode("VALIDATION_FAILED"));
  strictEqual((await read(3_000, 256)).length, 768_000);
});

Deno.test("a body counts as it arrives, and one that is ended for others stops with UNAVAILABLE", async () => {
  const shares = createShares({ total: 16, perBody: 1, largest: 1 });
  const [stalled, other] = [request(stream([], { ends: false })), request(stream(["abcdefgh"]))];
  using slowest = shares.open(["a"]);
  countBody(stalled, slowest);
  const reading = rejects(readBytes(stalled, { maxBytes: 100 }), { code: "UNAVAILABLE" });
  slowest.receive(4);
  using share = shares.open(["b"]);
  countBody(other, share);
  strictEqual((await readBytes(other, { maxBytes: 100 })).length, 8);
  await reading;
  throws(() => share.receive(5), { code: "UNAVAILABLE" });
});
