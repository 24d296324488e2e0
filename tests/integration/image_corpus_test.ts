import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import sharp from "sharp";
import { registerUser } from "../support/app/accounts.ts";
import { type CorpusFile, imageCorpus } from "../support/images/image_corpus.ts";
import { imageFixtures } from "../support/images/image_fixtures.ts";
import { assertQuarters } from "../support/images/pictures.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const { client } = await registerUser(app, "corpus@example.com");
const corpus = await imageCorpus();

for (const file of corpus) {
  Deno.test(`an avatar: ${file.name}`, async () => {
    const form = new FormData();
    form.set("type", "avatar");
    form.set("file", new File([file.bytes], "avatar", { type: file.contentType }));
    const response = await client.request("/api/upload/image", { method: "POST", body: form });
    const body = await response.json();
    if (response.status === 200) return await assertStored(body, file);
    const codes: unknown[] = [file.expected, file.orCode];
    ok(response.status === 400 && codes.includes(body.code), `${response.status} ${JSON.stringify(body)}`);
  });
}

/** Of 255. */
const TOLERANCE = 3;

for (const { file, type, bytes, shown } of await imageFixtures()) {
  Deno.test(`a picture is stored as browsers show it: ${file}`, async () => {
    const form = new FormData();
    form.set("type", "avatar");
    form.set("file", new File([bytes], file, { type: `image/${type}` }));
    const response = await client.request("/api/upload/image", { method: "POST", body: form });
    const body = await response.json();
    if (shown === null) return deepStrictEqual([response.status, body.code], [400, "IMAGE_INVALID"]);
    strictEqual(response.status, 200, JSON.stringify(body));
    const stored = await (await app.client().get(new URL(body.url).pathname)).bytes();
    const { data, info } = await sharp(stored).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    deepStrictEqual([info.width, info.height], [shown.width, shown.height]);
    const expected = visible(shown.rgba);
    // Chromium leaves the last rows empty of a JPEG that has no end.
    const isShown = (i: number) => type !== "jpeg" || shown.rgba[i | 3] > 0;
    const difference = Math.max(...visible(data).map((value, i) => isShown(i) ? Math.abs(value - expected[i]) : 0));
    ok(difference <= TOLERANCE, `it differs by ${difference}`);
  });
}

/** The visible part of each sample, because the color of a transparent pixel does not matter. */
function visible(rgba: Uint8Array): number[] {
  return Array.from(rgba, (value, i) => i % 4 === 3 ? value : value * rgba[i | 3] / 255);
}

async function assertStored(
  { url, width, height, size }: { url: string; width: number; height: number; size: number },
  { expected }: CorpusFile,
): Promise<void> {
  if (typeof expected === "string") throw new Error(`It was stored, but ${expected} was expected`);
  const bytes = await (await app.client().get(new URL(url).pathname)).bytes();
  const { data: _, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const { format, pages, exif, icc, xmp, comments } = await sharp(bytes).metadata();
  deepStrictEqual({ format, pages, exif, icc, xmp, comments }, NO_METADATA);
  deepStrictEqual([info.width, info.height, bytes.length], [width, height, size]);
  const text = new TextDecoder("latin1").decode(bytes);
  ok(
    !["<script", "PK\x03\x04"].some((foreign) => text.includes(foreign)),
    "something besides the image was stored",
  );
  if (expected.width > 0) deepStrictEqual([width, height], [expected.width, expected.height]);
  if (expected.colors) await assertQuarters(bytes, expected.colors, expected.tolerance);
}

const NO_METADATA = {
  format: "webp",
  pages: undefined,
  exif: undefined,
  icc: undefined,
  xmp: undefined,
  comments: undefined,
};

Deno.test("the corpus contains valid and invalid files of every type", () => {
  for (const type of ["jpeg", "png", "webp", "gif"]) {
    const results = corpus.filter(({ contentType }) => contentType === `image/${type}`).map(({ expected }) => expected);
    ok(
      results.some((result) => typeof result === "string") && results.some((result) => typeof result !== "string"),
      type,
    );
  }
  strictEqual(new Set(corpus.map(({ name }) => name)).size, corpus.length);
});
