import { Builder } from "fresh/dev";
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { makeProjectDir } from "./project.ts";

const LONG = "a { color: red }\n".repeat(100);
/** Minified, as the build would make it. */
const LONG_STYLES = Array.from({ length: 100 }, (_, i) => `.a${i}{margin:${i + 1}px}`).join("") + "\n";
const FILES: Record<string, string> = {
  "main.ts": `import { App, staticFiles } from "fresh"; export const app = new App().use(staticFiles());`,
  "static/long.css": LONG_STYLES,
  "static/short.css": "a{b:c}\n",
  "static/long.js": "let a = 1; // one\n" + "a();\n".repeat(200),
  "static/spacious.css": "a { b: c }\n",
  "static/photo.png": LONG,
};
for (const extension of ["svg", "json", "txt", "webmanifest"]) FILES[`static/long.${extension}`] = LONG;

const root = await makeProjectDir();
await Deno.mkdir(`${root}/static`);
for (const [path, content] of Object.entries(FILES)) await Deno.writeTextFile(`${root}/${path}`, content);
await new Builder({ root }).build();
const { default: server } = await import(`file://${root}/_fresh/server.js`);

function get(path: string, headers: HeadersInit, method = "GET"): Promise<Response> {
  return server.fetch(new Request(`http://localhost${path}`, { method, headers }));
}

async function decode(response: Response): Promise<string> {
  const content = await response.bytes();
  const encoding = response.headers.get("content-encoding");
  const decoded = encoding === "br" ? brotliDecompressSync(content) : encoding ? gunzipSync(content) : content;
  return new TextDecoder().decode(decoded);
}

const ACCEPTED: [acceptEncoding: string | null, encoding: "br" | "gzip" | null][] = [
  [null, null],
  ["", null],
  ["deflate", null],
  ["identity", null],
  ["br", "br"],
  ["gzip", "gzip"],
  ["gzip, br", "br"],
  ["gzip, deflate, br, zstd", "br"],
  ["GZIP", "gzip"],
  ["*", "br"],
  ["*;q=0", null],
  ["br;q=0", null],
  ["br;q=0.000, gzip", "gzip"],
  ["br; q=0, *", "gzip"],
  ["gzip;q=0, br;q=0, *", null],
  ["br;q=0.5, gzip;q=0.8", "gzip"],
  ["br;q=0.8,gzip;q=0.8", "br"],
  ["gzip;q=0.001", "gzip"],
  ["identity, gzip;q=0.5", null],
  ["identity;q=0.5, gzip", "gzip"],
  ["identity;q=0", null],
  ["br;q=high, gzip", "gzip"],
  [",;q=1", null],
  [`${"zstd,".repeat(19)}br`, "br"],
  [`${"zstd,".repeat(20)}br`, null],
];

for (const [acceptEncoding, encoding] of ACCEPTED) {
  Deno.test(`Accept-Encoding ${JSON.stringify(acceptEncoding)} selects ${encoding ?? "identity"}`, async () => {
    const response = await get("/long.css", acceptEncoding === null ? {} : { "Accept-Encoding": acceptEncoding });
    strictEqual(response.status, 200);
    strictEqual(response.headers.get("content-encoding"), encoding);
    match(response.headers.get("vary") ?? "", /\bAccept-Encoding\b/);
    strictEqual(response.headers.get("content-type"), "text/css; charset=UTF-8");
    strictEqual(await decode(response), LONG_STYLES);
  });
}

Deno.test("every kind of text file is compressed", async () => {
  for (const extension of ["css", "js", "svg", "json", "txt", "webmanifest"]) {
    const response = await get(`/long.${extension}`, { "Accept-Encoding": "br" });
    strictEqual(response.headers.get("content-encoding"), "br", extension);
    ok((await response.bytes()).length < LONG.length);
  }
});

Deno.test("scripts are minified, and keep the names that other scripts may use", async () => {
  const script = await (await get("/long.js", {})).text();
  ok(script.startsWith("let a=1;a(),a(),"), script.slice(0, 40));
});

Deno.test("images and files that would grow are not compressed", async () => {
  for (const path of ["/photo.png", "/short.css"]) {
    const response = await get(path, { "Accept-Encoding": "br, gzip" });
    strictEqual(response.headers.get("content-encoding"), null, path);
    doesNotMatch(response.headers.get("vary") ?? "", /Accept-Encoding/);
    strictEqual(await response.text(), FILES[`static${path}`]);
  }
});

Deno.test("HEAD returns the headers of GET for each encoding", async () => {
  const lengths = new Set<string>();
  for (const encoding of ["br", "gzip", "identity"]) {
    const [response, head] = [
      await get("/long.css", { "Accept-Encoding": encoding }),
      await get("/long.css", { "Accept-Encoding": encoding }, "HEAD"),
    ];
    deepStrictEqual([...head.headers], [...response.headers]);
    strictEqual(head.body, null);
    const length = String((await response.bytes()).length);
    strictEqual(head.headers.get("content-length"), length);
    lengths.add(length);
  }
  strictEqual(lengths.size, 3);
});

Deno.test("each encoding has its own ETag, and only that tag matches it", async () => {
  const encodings = ["br", "gzip", "identity"];
  const tags: string[] = [];
  for (const encoding of encodings) {
    const response = await get("/long.css", { "Accept-Encoding": encoding });
    tags.push(response.headers.get("etag")!);
    await response.body?.cancel();
  }
  strictEqual(new Set(tags).size, 3);
  for (const encoding of encodings) {
    for (const [i, tag] of tags.entries()) {
      const response = await get("/long.css", { "Accept-Encoding": encoding, "If-None-Match": tag });
      const isSame = encodings[i] === encoding;
      strictEqual(response.status, isSame ? 304 : 200, `${encoding} ${tag}`);
      match(response.headers.get("vary") ?? "", /Accept-Encoding/);
      if (isSame) deepStrictEqual([response.headers.get("etag"), response.body], [tag, null]);
      await response.body?.cancel();
    }
  }
  for (const [others, status] of [[19, 304], [20, 200]]) {
    const known = `${'"a",'.repeat(others)}${tags[0]}`;
    const response = await get("/long.css", { "Accept-Encoding": encodings[0], "If-None-Match": known });
    strictEqual(response.status, status, `after ${others} others`);
    await response.body?.cancel();
  }
});

Deno.test("a range request gets the whole compressed file", async () => {
  const response = await get("/long.css", { "Accept-Encoding": "br", "Range": "bytes=0-9" });
  deepStrictEqual([response.status, response.headers.get("content-range")], [200, null]);
  strictEqual(response.headers.get("content-encoding"), "br");
  strictEqual(await decode(response), LONG_STYLES);
});

Deno.test("a build in memory is neither compressed nor minified", async () => {
  const { App, staticFiles } = await import("fresh");
  const app = new App().use(staticFiles());
  (await new Builder({ root }).build({ snapshot: "memory" }))(app);
  const get = async (path: string) =>
    await app.handler()(new Request(`http://localhost${path}`, { headers: { "Accept-Encoding": "br" } }));
  const response = await get("/long.css");
  strictEqual(response.headers.get("content-encoding"), null);
  strictEqual(await response.text(), LONG_STYLES);
  strictEqual(await (await get("/spacious.css")).text(), FILES["static/spacious.css"]);
});
