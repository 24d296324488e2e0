import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { ByteRange, OpenObject } from "../../services/object_store.ts";
import { objectResponse } from "./object_response.ts";

const ETAG = '"abc"';
const TEXT = "0123456789";

/** An object in memory that remembers whether it is open. */
function memoryObject({ text = TEXT, contentType = "image/webp" } = {}): OpenObject & { isOpen: boolean } {
  const object = {
    contentType,
    sizeBytes: text.length,
    etag: ETAG,
    modifiedAt: new Date(0),
    isOpen: true,
    stream: ({ start, end } = { start: 0, end: text.length - 1 }) => {
      object.isOpen = false;
      return new Blob([text.slice(start, end + 1)]).stream();
    },
    close: () => void (object.isOpen = false),
  };
  return object;
}

async function get(headers: Record<string, string> = {}, { method = "GET", object = memoryObject() } = {}) {
  const response = objectResponse(new Request("http://foyer.test/files/a", { method, headers }), object);
  const body = await response.text();
  strictEqual(object.isOpen, false, "the object was left open");
  return {
    status: response.status,
    body,
    headers: response.headers,
    header: (name: string) => response.headers.get(name),
  };
}

Deno.test("a whole object has the headers that allow caching and prevent scripts", async () => {
  const { status, body, header } = await get();
  deepStrictEqual([status, body], [200, TEXT]);
  strictEqual(header("Content-Type"), "image/webp");
  strictEqual(header("Content-Length"), "10");
  strictEqual(header("Cache-Control"), "public, max-age=31536000");
  strictEqual(header("ETag"), ETAG);
  strictEqual(header("Accept-Ranges"), "bytes");
  strictEqual(header("Content-Security-Policy"), "default-src 'none'; sandbox");
  strictEqual(header("X-Content-Type-Options"), "nosniff");
  strictEqual(header("Content-Disposition"), null);
});

Deno.test("HEAD has the headers of GET without a body, and ignores ranges", async () => {
  for (const contentType of ["image/webp", "text/plain"]) {
    const { headers } = await get({}, { object: memoryObject({ contentType }) });
    const options = { method: "HEAD", object: memoryObject({ contentType }) };
    const head = await get({ Range: "bytes=0-1" }, options);
    deepStrictEqual([head.status, head.body, [...head.headers]], [200, "", [...headers]]);
  }
});

Deno.test("a matching If-None-Match returns 304", async () => {
  for (const tag of [ETAG, `W/${ETAG}`, "*", `"x", ${ETAG}`]) {
    const { status, body, header } = await get({ "If-None-Match": tag, Range: "bytes=0-1" });
    deepStrictEqual([status, body, header("ETag")], [304, "", ETAG], tag);
    strictEqual(header("Cache-Control"), "public, max-age=31536000");
  }
  for (const tag of ['"x"', "abc", '"abcd"', ""]) strictEqual((await get({ "If-None-Match": tag })).status, 200, tag);
});

Deno.test("a request for another version gets 412, also for a part of it", async () => {
  for (const tag of ['"x"', `W/${ETAG}`, "abc"]) {
    for (const range of [{}, { Range: "bytes=0-1" }] as Record<string, string>[]) {
      const { status, body, header } = await get({ "If-Match": tag, ...range });
      deepStrictEqual(
        [status, body, header("Cache-Control"), header("Content-Security-Policy")],
        [412, "", null, "default-src 'none'; sandbox"],
        tag,
      );
    }
  }
  for (const tag of [ETAG, `"x", ${ETAG}`, "*"]) strictEqual((await get({ "If-Match": tag })).status, 200, tag);
  strictEqual((await get({ "If-Match": ETAG, Range: "bytes=0-1" })).status, 206);
});

Deno.test("one satisfiable range returns 206", async () => {
  const cases = [
    ["bytes=0-0", "0", "bytes 0-0/10"],
    ["bytes=2-4", "234", "bytes 2-4/10"],
    ["bytes=7-", "789", "bytes 7-9/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=-99", TEXT, "bytes 0-9/10"],
    ["bytes=9-99999999999999999999", "9", "bytes 9-9/10"],
    ["Bytes=0-9", TEXT, "bytes 0-9/10"],
  ];
  for (const [range, part, contentRange] of cases) {
    const { status, body, header } = await get({ Range: range });
    deepStrictEqual([status, body, header("Content-Range")], [206, part, contentRange], range);
    strictEqual(header("Content-Length"), String(part.length));
  }
});

Deno.test("a range at the end of a 5 GiB object is exact", async () => {
  const sizeBytes = 5 * 1024 ** 3;
  let requested: ByteRange | undefined;
  const object = {
    ...memoryObject(),
    sizeBytes,
    stream: (range?: ByteRange) => (requested = range, new Blob().stream()),
  };
  const response = objectResponse(new Request("http://foyer.test/files/a", { headers: { Range: "bytes=-3" } }), object);
  await response.text();
  deepStrictEqual(requested, { start: sizeBytes - 3, end: sizeBytes - 1 });
  strictEqual(response.headers.get("Content-Range"), "bytes 5368709117-5368709119/5368709120");
  strictEqual(response.headers.get("Content-Length"), "3");
});

Deno.test("an unsatisfiable range returns 416", async () => {
  for (const range of ["bytes=10-", "bytes=10-12", "bytes=-0", `bytes=${"9".repeat(400)}-`]) {
    const { status, body, header } = await get({ Range: range });
    deepStrictEqual(
      [status, body, header("Content-Range"), header("Cache-Control"), header("Content-Security-Policy")],
      [416, "", "bytes */10", null, "default-src 'none'; sandbox"],
      range,
    );
  }
  strictEqual((await get({ Range: "bytes=0-" }, { object: memoryObject({ text: "" }) })).status, 416);
});

Deno.test("several ranges, a malformed range or an If-Range that does not match get the whole object", async () => {
  for (const range of ["bytes=0-1,3-4", "bytes=4-2", "bytes=-", "bytes=a-b", "items=0-1", "bytes 0-1", ""]) {
    deepStrictEqual((await get({ Range: range })).body, TEXT, range);
  }
  const range = "bytes=0-1";
  strictEqual((await get({ Range: range, "If-Range": ETAG })).status, 206);
  for (const tag of ['"x"', `W/${ETAG}`, "Wed, 21 Oct 2026 07:28:00 GMT"]) {
    strictEqual((await get({ Range: range, "If-Range": tag })).status, 200, tag);
  }
});

Deno.test("only raster images, audio, video and PDF are shown in the browser", async () => {
  const dispositionOf = async (contentType: string) =>
    (await get({}, { object: memoryObject({ contentType }) })).header("Content-Disposition");
  for (const type of ["image/png", "image/avif", "audio/mpeg", "video/mp4", "application/pdf", "Image/GIF; a=b"]) {
    strictEqual(await dispositionOf(type), null, type);
  }
  const others = ["image/svg+xml", "IMAGE/SVG+XML; charset=utf-8", "image/svg", "text/html", "text/plain"];
  others.push("application/xml", "application/zip", "application/javascript", "x", "application/pdfx", "ximage/png");
  for (const type of others) strictEqual(await dispositionOf(type), "attachment", type);
});

Deno.test("only audio and video may be loaded by the browser's player, without scripts", async () => {
  const policyOf = async (contentType: string, range?: string) => {
    const headers: Record<string, string> = range ? { Range: range } : {};
    return (await get(headers, { object: memoryObject({ contentType }) })).header("Content-Security-Policy");
  };
  for (const type of ["audio/mpeg", "video/mp4", "Video/WebM; codecs=vp8"]) {
    for (const range of [undefined, "bytes=0-1", "bytes=99-"]) {
      strictEqual(await policyOf(type, range), "default-src 'none'; media-src 'self'; sandbox allow-same-origin", type);
    }
  }
  for (
    const type of ["image/png", "application/pdf", "text/html", "video/svg+xml", "xvideo/mp4", "application/video"]
  ) {
    strictEqual(await policyOf(type), "default-src 'none'; sandbox", type);
  }
});

Deno.test("an empty object is returned whole", async () => {
  const { status, header } = await get({}, { object: memoryObject({ text: "" }) });
  deepStrictEqual([status, header("Content-Length")], [200, "0"]);
});
