import { deepStrictEqual, ok, partialDeepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { bytesOf, stageInMemory } from "../../tests/support/uploads/staged_in_memory.ts";
import { AppError, type ErrorCode } from "../errors/errors.ts";
import { MULTIPART_MAX_PARTS, type MultipartForm, parseMultipart } from "./multipart.ts";

const LIMITS = { maxFileBytes: 10_000, stage: stageInMemory };

function send(body: BodyInit, contentType?: string): Promise<MultipartForm> {
  const headers = contentType === undefined ? undefined : { "content-type": contentType };
  return parseMultipart(new Request("http://localhost/", { method: "POST", body, headers }), LIMITS);
}

const written = (lines: string[]) => send(lines.join("\r\n"), "multipart/form-data; boundary=b");

async function refused(sent: Promise<MultipartForm>, code: ErrorCode, reason?: string) {
  await rejects(
    sent,
    (error) =>
      error instanceof AppError && error.code === code && (reason === undefined || error.data.reason === reason),
  );
}

Deno.test("parseMultipart reads text and files", async () => {
  const form = new FormData();
  form.set("type", "avatar");
  form.set("file", new File([new Uint8Array([0, 13, 10, 45, 45, 255])], 'a "b"\r\n;c.png', { type: "image/PNG" }));
  form.set("none", new File([], ""));
  const parsed = await send(form);
  deepStrictEqual(Object.keys(parsed), ["type", "file"]);
  strictEqual(parsed.type, "avatar");
  partialDeepStrictEqual(parsed.file, { name: 'a "b"\r\n;c.png', contentType: "image/png" });
  deepStrictEqual(bytesOf(parsed.file), new Uint8Array([0, 13, 10, 45, 45, 255]));
});

Deno.test("parseMultipart reads everything that the platform's FormData writes", async () => {
  const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).map((text) => text.toWellFormed());
  const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => new Uint8Array(array));
  await fc.assert(fc.asyncProperty(name, bytes, bytes, async (filename, first, second) => {
    const form = new FormData();
    form.set("a", new File([first], filename));
    form.set("b", new File([second], "b.gif", { type: "image/gif" }));
    const { a, b } = await send(form);
    deepStrictEqual([a, b].map(bytesOf), [first, second]);
    partialDeepStrictEqual(b, { name: "b.gif" });
  }));
});

Deno.test("parseMultipart reads curl's backslash before a quote, any case, and a quoted boundary", async () => {
  const body = [
    "--b c",
    'CONTENT-DISPOSITION: Form-Data; name="file"; filename="x\\"y\\z.png"',
    "",
    "1",
    "--b c--",
    "",
  ];
  const { file } = await send(body.join("\r\n"), 'Multipart/Form-Data; charset=utf-8; Boundary="b c"');
  ok(typeof file === "object" && "name" in file);
  deepStrictEqual([file.name, file.contentType], ['x"y\\z.png', "text/plain"]);
});

Deno.test("parseMultipart reads names without quotes, as .NET writes them", async () => {
  const body = [
    "--b",
    "Content-Disposition: form-data; name=type",
    "",
    "avatar",
    "--b",
    "Content-Type: image/png",
    "Content-Disposition: form-data; name=file; filename=a.png; filename*=utf-8''%C3%A4.png",
    "",
    "1",
    "--b--",
  ];
  const { type, file } = await written(body);
  ok(typeof file === "object" && "name" in file);
  deepStrictEqual([type, file.name, file.contentType], ["avatar", "a.png", "image/png"]);
  const misleading = 'Content-Disposition: form-data; filename="a; name=type"; name=file';
  deepStrictEqual(Object.keys(await written(["--b", misleading, "", "1", "--b--"])), ["file"]);
});

Deno.test("parseMultipart reads a name that .NET encodes twice", async () => {
  const encodedWord = `=?utf-8?B?${btoa("caf\xc3\xa9.png")}?=`;
  const cases = [
    [`filename="${encodedWord}"; filename*=utf-8''caf%C3%A9.png`, "café.png"],
    [`filename="${encodedWord}"; filename*=utf-8''caf%E9.png`, encodedWord],
    [`filename="${encodedWord}"`, encodedWord],
    [`filename="a.png"; filename*=utf-8''b.png`, "a.png"],
  ];
  for (const [names, expected] of cases) {
    const { file } = await written(["--b", `Content-Disposition: form-data; name=file; ${names}`, "", "1", "--b--"]);
    ok(typeof file === "object" && "name" in file);
    strictEqual(file.name, expected);
  }
});

Deno.test("parseMultipart reads headers that older programs write", async () => {
  const cases: [disposition: string, name: string][] = [
    ['form-data;\r\n name="file";\r\n\tfilename="a.png"', "a.png"],
    ['form-data; name = "file"; filename = "a.png"', "a.png"],
    ['form-data; name="file"; filename="caf\xe9 \x80.png"', "café €.png"],
    ['form-data; name="file"; filename="caf\xc3\xa9.png"', "café.png"],
  ];
  for (const [disposition, expected] of cases) {
    const form = `--b\r\nContent-Type: image/png\r\nContent-Disposition: ${disposition}\r\n\r\n1\r\n--b--`;
    const bytes = Uint8Array.from(form, (char) => char.charCodeAt(0));
    const { file } = await send(bytes, "multipart/form-data; boundary=b");
    ok(typeof file === "object" && "name" in file);
    deepStrictEqual([file.name, file.contentType], [expected, "image/png"]);
  }
});

Deno.test("the error of a form that is too large names the limit of the file", async () => {
  for (const sizeBytes of [LIMITS.maxFileBytes + 1, LIMITS.maxFileBytes + 100_000]) {
    const form = new FormData();
    form.set("file", new File([new Uint8Array(sizeBytes)], "a.bin"));
    const isOver = (error: unknown) =>
      error instanceof AppError && error.is("PAYLOAD_TOO_LARGE") && error.data.reason !== "declared" &&
      error.data.maxBytes === LIMITS.maxFileBytes;
    await rejects(send(form), isOver, String(sizeBytes));
  }
});

Deno.test("parseMultipart refuses a part that is encoded", async () => {
  const part = (encoding: string) =>
    written([
      "--b",
      `Content-Transfer-Encoding: ${encoding}`,
      'Content-Disposition: form-data; name="a"',
      "",
      "YQ==",
      "--b--",
    ]);
  for (const encoding of ["base64", "Quoted-Printable"]) {
    await refused(part(encoding), "VALIDATION_FAILED", "partEncoding");
  }
  for (const encoding of ["binary", "8bit", "7BIT"]) deepStrictEqual(await part(encoding), { a: "YQ==" });
});

Deno.test("parseMultipart recognizes a file whose name contains Unicode line separators", async () => {
  const form = new FormData();
  form.set("file", new File([new Uint8Array([255])], "a\u2028b\u2029c.png", { type: "image/png" }));
  const { file } = await send(form);
  ok(typeof file === "object" && "name" in file);
  strictEqual(file.name, "a\u2028b\u2029c.png");
});

Deno.test("parseMultipart accepts only multipart/form-data", async () => {
  for (const type of ["application/json", "multipart/mixed; boundary=b", "text/plain", "multipart/form-datax"]) {
    await refused(send("--b--", type), "UNSUPPORTED_MEDIA_TYPE");
  }
});

Deno.test("parseMultipart refuses a body over the limit", async () => {
  const maxBytes = LIMITS.maxFileBytes + 64 * 1024;
  const form = ["--b", 'Content-Disposition: form-data; name="a"', "", "1", "--b--", ""];
  const longest = [...form, "x".repeat(maxBytes - form.join("\r\n").length - 2)];
  deepStrictEqual(await written(longest), { a: "1" });
  await refused(written([...longest.slice(0, -1), longest.at(-1) + "x"]), "PAYLOAD_TOO_LARGE", "body");
});

Deno.test("parseMultipart refuses malformed forms", async () => {
  const field = ["--b", 'Content-Disposition: form-data; name="a"', "", "1"];
  deepStrictEqual(await written([...field, "--b--"]), { a: "1" });
  const cases: [lines: string[], defect: string][] = [
    [[], "start"],
    [["", ...field, "--b--"], "start"],
    [["--c", ...field.slice(1), "--c--"], "start"],
    [field, "end"],
    [[...field, "--b"], "end"],
    [[...field, "--b-"], "end"],
    [["--b", 'Content-Disposition: form-data; name="a"'], "end"],
    [["--b", "Content-Type: text/plain", "", "1", "--b--"], "partName"],
    [["--b", 'Content-Disposition: form-data; filename="a"', "", "1", "--b--"], "partName"],
    [["--b", 'Content-Disposition: attachment; name="a"', "", "1", "--b--"], "partName"],
    [["--b", "", "1", "--b--"], "partName"],
    [
      ["--b", `Content-Disposition: form-data; name="${"a".repeat(9000)}"`, "", "1", "--b--"],
      "partHeaders",
    ],
  ];
  for (const [lines, defect] of cases) await refused(written(lines), "VALIDATION_FAILED", defect);
  await refused(send("--b--", "multipart/form-data"), "VALIDATION_FAILED", "noBoundary");
  await refused(send("--b--", `multipart/form-data; boundary=${"b".repeat(71)}`), "VALIDATION_FAILED", "noBoundary");
  const latin1 = new Uint8Array([
    ...new TextEncoder().encode(field.join("\r\n")),
    0xe9,
    ...new TextEncoder().encode("\r\n--b--"),
  ]);
  await refused(send(latin1, "multipart/form-data; boundary=b"), "VALIDATION_FAILED", "formText");
});

Deno.test("parseMultipart counts parts and refuses a repeated name", async () => {
  const field = (name: string) => ["--b", `Content-Disposition: form-data; name="${name}"`, "", "1"];
  const fields = (count: number) => [...Array.from({ length: count }, (_, i) => field(`f${i}`)).flat(), "--b--"];
  strictEqual(Object.keys(await written(fields(MULTIPART_MAX_PARTS))).length, MULTIPART_MAX_PARTS);
  await refused(written(fields(MULTIPART_MAX_PARTS + 1)), "VALIDATION_FAILED", "parts");
  await refused(written([...field("a"), ...field("a"), "--b--"]), "VALIDATION_FAILED");
  ok(Object.hasOwn(await written([...field("__proto__"), "--b--"]), "__proto__"));
});

/** A body that arrives in chunks of this size. */
function inChunks(bytes: Uint8Array<ArrayBuffer>, chunkBytes: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += chunkBytes));
    },
  });
}

Deno.test("parseMultipart reads the same form however its bytes are split into chunks", async () => {
  const content = "\r\n--\r\n--b\r\n--boundary\r\n--boundar";
  const body = new TextEncoder().encode(
    ["--boundary-", 'Content-Disposition: form-data; name="a"', "", content].join("\r\n") +
      ["", "--boundary-", 'Content-Disposition: form-data; name="f"; filename="f"', "", content].join("\r\n") +
      "\r\n--boundary---\r\nepilogue",
  );
  for (let chunkBytes = 1; chunkBytes <= body.length; chunkBytes++) {
    const { a, f } = await send(inChunks(body, chunkBytes), "multipart/form-data; boundary=boundary-");
    deepStrictEqual([a, new TextDecoder().decode(bytesOf(f))], [content, content], `${chunkBytes} bytes`);
  }
});

Deno.test("parseMultipart passes a file on while it arrives, and reads the fields after it", async () => {
  const arrived: string[] = [];
  const sizeWhenStaged: number[] = [];
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  const write = (text: string) => writer.write(new TextEncoder().encode(text));
  const firstChunk = Promise.withResolvers<void>();
  const request = new Request("http://localhost/", {
    method: "POST",
    body: readable,
    headers: { "content-type": "multipart/form-data; boundary=b" },
  });
  const parsing = parseMultipart(request, {
    maxFileBytes: LIMITS.maxFileBytes,
    async stage(content) {
      for await (const chunk of content) {
        arrived.push(new TextDecoder().decode(chunk));
        firstChunk.resolve();
      }
      sizeWhenStaged.push(arrived.join("").length);
      return {
        sizeBytes: 5,
        sha256: "",
        store: () => Promise.resolve(),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      };
    },
  });
  await write('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhe');
  await firstChunk.promise;
  deepStrictEqual(arrived, ["he"]);
  await write('llo\r\n--b\r\nContent-Disposition: form-data; name="after"\r\n\r\n1\r\n--b--');
  await writer.close();
  const { file, after } = await parsing;
  ok(typeof file === "object" && "store" in file);
  deepStrictEqual([arrived.join(""), sizeWhenStaged, file.sizeBytes, after], ["hello", [5], 5, "1"]);
});

Deno.test("parseMultipart stops reading at the limits of a file, of all text and of a part's headers", async () => {
  const cases: [start: string, maxBytes: number, code: ErrorCode][] = [
    ['Content-Disposition: form-data; name="f"; filename="f"\r\n\r\n', LIMITS.maxFileBytes, "PAYLOAD_TOO_LARGE"],
    ['Content-Disposition: form-data; name="a"\r\n\r\n', 64 * 1024, "PAYLOAD_TOO_LARGE"],
    ["X: ", 8 * 1024, "VALIDATION_FAILED"],
  ];
  for (const [start, maxBytes, code] of cases) {
    let sentBytes = 0;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        const bytes = new TextEncoder().encode(sentBytes === 0 ? `--b\r\n${start}` : "x".repeat(1000));
        sentBytes += bytes.length;
        controller.enqueue(bytes); // without end
      },
    });
    await refused(send(body, "multipart/form-data; boundary=b"), code);
    ok(sentBytes < maxBytes + 5_000, `${sentBytes} bytes were read`);
  }
});
