import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import sharp from "sharp";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { wholePng } from "../support/images/pictures.ts";
import { BASE_URL, openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const { client } = await registerVerifiedUser(app, "photographer@example.com");
const MEBIBYTE = 1024 * 1024;

function upload(
  file: BlobPart | File,
  { contentType = "image/jpeg", type = "avatar", name = "photo.jpg", crop = "" } = {},
) {
  const form = new FormData();
  form.set("file", file instanceof File ? file : new File([file], name, { type: contentType }));
  form.set("type", type);
  if (crop !== "") form.set("crop", crop);
  return client.request("/api/upload/image", { method: "POST", body: form });
}

async function photo(format: "jpeg" | "png" | "webp" | "gif", width = 1600, height = 1200) {
  const image = sharp({ create: { width, height, channels: 3, background: "#c04020" } });
  return Uint8Array.from(await image.toFormat(format).toBuffer());
}

Deno.test("a photo of each type is stored as WebP, in the size for its purpose", async () => {
  for (const format of ["jpeg", "png", "webp", "gif"] as const) {
    const response = await upload(await photo(format), { contentType: `image/${format}`, name: `my photo.${format}` });
    const body = await response.json();
    strictEqual(response.status, 200, JSON.stringify(body));
    const { id, url, size, variants, ...rest } = body;
    match(id, /^[0-9a-f-]{36}$/);
    deepStrictEqual(rest, { success: true, originalName: `my_photo.${format}`, width: 1024, height: 768 });
    await assertVariants(url, variants, [[128, 96], [512, 384]]);
    match(url, new RegExp(`^${BASE_URL}/files/images/avatar/[0-9a-f-]{36}\\.webp$`));

    const stored = await app.client().get(new URL(url).pathname);
    strictEqual(stored.status, 200);
    const bytes = await stored.bytes();
    strictEqual(bytes.length, size);
    const { format: storedFormat, width, height } = await sharp(bytes).metadata();
    deepStrictEqual({ storedFormat, width, height }, { storedFormat: "webp", width: 1024, height: 768 });
  }
  const post = await (await upload(await photo("jpeg", 3000, 1000), { type: "post" })).json();
  deepStrictEqual([post.width, post.height], [2560, 853]);
  await assertVariants(post.url, post.variants, [[640, 213], [1280, 427]]);
  const narrow = await (await upload(await photo("jpeg", 640, 900), { type: "post" })).json();
  deepStrictEqual([narrow.width, narrow.height, narrow.variants], [640, 900, []]);
  const small = await (await upload(await photo("jpeg", 20, 10))).json();
  deepStrictEqual([small.width, small.height, small.variants], [20, 10, []]);
});

/** Checks the copies of an image: their addresses, and the files. */
async function assertVariants(
  url: string,
  variants: { url: string; width: number; height: number; size: number }[],
  sizes: [width: number, height: number][],
) {
  deepStrictEqual(variants.map(({ width, height }) => [width, height]), sizes);
  for (const variant of variants) {
    strictEqual(variant.url, url.replace(".webp", `-${variant.width}.webp`));
    const bytes = await (await app.client().get(new URL(variant.url).pathname)).bytes();
    const { format, width, height } = await sharp(bytes).metadata();
    deepStrictEqual([format, width, height, bytes.length], ["webp", variant.width, variant.height, variant.size]);
  }
}

Deno.test("an image is cropped to a square if the request says so", async () => {
  const cropped = await (await upload(await photo("jpeg"), { crop: "end" })).json();
  deepStrictEqual([cropped.width, cropped.height], [1024, 1024]);
  await assertVariants(cropped.url, cropped.variants, [[128, 128], [512, 512]]);
  const refused = await upload(await photo("jpeg"), { crop: "middle" });
  deepStrictEqual([refused.status, (await refused.json()).details], [400, {
    crop: ["Must be start or center or end"],
  }]);
});

Deno.test("pages offer the copies of an avatar that exist to the browser", async () => {
  const sourcesOf = async (avatar: string) => {
    strictEqual((await client.send("PUT", "/api/profile", { avatar })).status, 200);
    const page = await readPage(client.get("/settings/sessions", { Accept: "text/html" }));
    return page.findAll("img[srcset]")[0]?.getAttribute("srcset");
  };
  const { url: wide, variants } = await (await upload(await photo("jpeg"))).json();
  strictEqual(await sourcesOf(wide), `${variants[0].url} 128w, ${variants[1].url} 512w`);
  const { url: narrow, variants: [small] } = await (await upload(await photo("jpeg", 512, 512))).json();
  strictEqual(await sourcesOf(narrow), `${small.url} 128w, ${narrow} 512w`);
  const { url: single } = await (await upload(await photo("jpeg", 100, 100))).json();
  strictEqual(await sourcesOf(single), undefined);
});

Deno.test("a stored image is cacheable and sandboxed", async () => {
  const { url } = await (await upload(await photo("png", 30, 30), { contentType: "image/png" })).json();
  const path = new URL(url).pathname;
  const { headers } = await app.client().get(path);
  strictEqual(headers.get("Content-Type"), "image/webp");
  strictEqual(headers.get("Cache-Control"), "public, max-age=31536000");
  strictEqual(headers.get("Content-Security-Policy"), "default-src 'none'; sandbox");
  strictEqual(headers.get("X-Content-Type-Options"), "nosniff");
  strictEqual(headers.get("X-Frame-Options"), "DENY");
  strictEqual(headers.get("Set-Cookie"), null);
  strictEqual(headers.get("Content-Disposition"), null);

  const etag = headers.get("ETag")!;
  strictEqual((await app.client().get(path, { "If-None-Match": etag })).status, 304);
  const part = await app.client().get(path, { Range: "bytes=0-3" });
  strictEqual(part.status, 206);
  strictEqual(await part.text(), "RIFF");
  strictEqual((await app.client().request(path, { method: "HEAD" })).status, 200);
});

Deno.test("an upload is checked in order: session, size, declared type, leading bytes, decoding", async () => {
  const png = await photo("png", 10, 10);
  const anonymous = await app.client().request("/api/upload/image", { method: "POST", body: new FormData() });
  strictEqual(anonymous.status, 401);

  const big = new Uint8Array(6 * MEBIBYTE);
  const cases: [what: string, response: Promise<Response>, status: number, code: string][] = [
    ["too large, of another type", upload(big, { contentType: "text/plain" }), 413, "PAYLOAD_TOO_LARGE"],
    [
      "5 MiB + 1, for an unknown purpose",
      upload(big.subarray(0, 5 * MEBIBYTE + 1), { type: "none" }),
      413,
      "PAYLOAD_TOO_LARGE",
    ],
    ["5 MiB + 1", upload(big.subarray(0, 5 * MEBIBYTE + 1)), 413, "PAYLOAD_TOO_LARGE"],
    ["5 MiB", upload(big.subarray(0, 5 * MEBIBYTE)), 400, "FILE_SIGNATURE_MISMATCH"],
    ["another type", upload(png, { contentType: "image/svg+xml" }), 400, "FILE_TYPE_NOT_ALLOWED"],
    ["a PNG named .jpg", upload(png, { contentType: "image/jpeg" }), 400, "FILE_SIGNATURE_MISMATCH"],
    ["cut in half", upload(png.subarray(0, 40), { contentType: "image/png" }), 400, "IMAGE_INVALID"],
    ["nothing", upload(new Uint8Array(), { contentType: "image/png" }), 400, "FILE_SIGNATURE_MISMATCH"],
  ];
  for (const [what, pending, status, code] of cases) {
    const response = await pending;
    const body = await response.json();
    strictEqual(response.status, status, what);
    deepStrictEqual([body.code, body.error], [code, body.message], what);
  }
});

Deno.test("the response to an invalid form names the fields", async () => {
  const form = new FormData();
  const empty = await client.request("/api/upload/image", { method: "POST", body: form });
  strictEqual(empty.status, 400);
  form.set("file", "text");
  form.set("type", "banner");
  const wrong = await client.request("/api/upload/image", { method: "POST", body: form });
  strictEqual(wrong.status, 400);
  deepStrictEqual(Object.keys((await wrong.json()).details).sort(), ["file", "type"]);
  strictEqual((await client.send("POST", "/api/upload/image", {})).status, 415);
});

Deno.test("a PNG of 8,000 x 8,000 pixels in 60 kB is refused without being decoded", async () => {
  const bomb = wholePng(8_000, 8_000);
  ok(bomb.length < 70_000);
  const before = Deno.memoryUsage().rss;
  const response = await upload(bomb, { contentType: "image/png" });
  strictEqual(response.status, 400);
  strictEqual((await response.json()).code, "IMAGE_INVALID");
  ok(Deno.memoryUsage().rss - before < 50 * MEBIBYTE, "the process grew by 50 MiB or more");
});
