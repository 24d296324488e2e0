import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { HOUR_SECONDS, SECOND_MS } from "../../lib/duration.ts";
import { FORM_MAX_FILES } from "../../lib/uploads/schema.ts";
import { ENGLISH } from "../../lib/texts/languages.ts";
import { textsIn } from "../../lib/texts/texts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { BASE_URL, openSharedTestApp } from "../support/app/test_app.ts";
import { quarters } from "../support/images/pictures.ts";
import { openUploader, type Uploader } from "../support/uploads/upload_world.ts";

const KIBIBYTE = 1024;
const app = await openSharedTestApp({
  UPLOAD_QUOTA_BYTES: String(100 * KIBIBYTE),
  UPLOAD_MAX_BYTES: String(60 * KIBIBYTE),
});
app.advance((Date.now() - app.services.now().getTime()) / SECOND_MS);
const { errors, uploads, library, serverRules } = textsIn(ENGLISH);

const text = (name: string, sizeBytes = 5) => new File(["x".repeat(sizeBytes)], name, { type: "text/plain" });
const svg = (name: string) => new File(["<svg/>"], name, { type: "image/svg+xml" });

/** Sends the form as browsers do without scripts. Returns what the page says about it, and the names of all files. */
async function send(user: Uploader, files: File[], fields: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  for (const file of files) form.append("file", file);
  const headers = { Origin: BASE_URL };
  const { client } = user;
  const response = await client.request("/uploads", { method: "POST", body: form, headers });
  const { message, summary, notice } = await readPage(response.status === 303 ? client.get("/uploads") : response);
  const messages = [message ?? "", ...summary.map(({ text }) => text)]
    .filter((text) => text !== "" && text !== errors.checkFields);
  const stored = (await user.list()).filter(({ status }) => status === "stored").map(({ filename }) => filename).sort();
  return { status: response.status, messages, notice, stored };
}

Deno.test("a form without scripts uploads no file, one or several", async () => {
  const user = await openUploader(app);
  const none = await send(user, [new File([], "")]);
  deepStrictEqual([none.status, none.messages, none.stored], [400, ["Choose a file"], []]);
  deepStrictEqual((await send(user, [])).messages, ["Choose a file"]);
  const one = await send(user, [text("a.txt")]);
  deepStrictEqual([one.status, one.notice, one.stored], [303, "File uploaded.", ["a.txt"]]);
  const three = await send(user, ["b.txt", "c.txt", "d.txt"].map((name) => text(name)));
  deepStrictEqual([three.status, three.notice], [303, "Files uploaded."]);
  deepStrictEqual(three.stored, ["a.txt", "b.txt", "c.txt", "d.txt"]);
});

Deno.test("each file of a form is stored or refused by itself, and the page says which", async () => {
  const user = await openUploader(app);
  const files = [text("first.txt"), svg("bad.svg"), text("empty.txt", 0), text("large.txt", 61 * KIBIBYTE)];
  files.push(
    text(`${"x".repeat(300)}.txt`),
    new File(["<html>"], "false.png", { type: "image/png" }),
    text("last.txt"),
  );
  const { status, messages, stored } = await send(user, files);
  strictEqual(status, 400);
  deepStrictEqual(
    messages,
    [
      library.storedOf({ stored: 2, all: 7 }),
      `bad.svg: ${uploads.typeNotAllowed({ type: "SVG" })}`,
      `empty.txt: ${uploads.empty}`,
      `large.txt: ${uploads.tooLarge({ limit: "60 KB" })}`,
      `${"x".repeat(300)}.txt: ${serverRules.texts.fileName({ max: 255 })}`,
      `false.png: ${uploads.notOfType}`,
    ],
  );
  deepStrictEqual(stored, ["first.txt", "last.txt"]);
});

Deno.test("a file whose name is too long is refused for its name", async () => {
  const user = await openUploader(app);
  const { status, messages, stored } = await send(user, [text(`${"x".repeat(300)}.txt`)]);
  deepStrictEqual([status, messages, stored], [400, [serverRules.texts.fileName({ max: 255 })], []]);
});

Deno.test("a form stores a picture with the type of its content, not of its name", async () => {
  const user = await openUploader(app);
  const png = new Uint8Array(await quarters().png().toBuffer());
  const { stored } = await send(user, [new File([png], "a.jpg", { type: "image/jpeg" })], { visibility: "public" });
  deepStrictEqual(stored, ["a.jpg"]);
  const [{ contentType }] = await user.list();
  strictEqual(contentType, "image/png");
  match(await (await user.client.get("/uploads")).text(), / download="a.png"/);
});

Deno.test("a form stores the files for which there is space, also after one that is too large", async () => {
  const user = await openUploader(app);
  const sizes = { "a.txt": 50, "b.txt": 30, "c.txt": 30, "d.txt": 10 };
  const files = Object.entries(sizes).map(([name, kibibytes]) => text(name, kibibytes * KIBIBYTE));
  const { messages, stored } = await send(user, files);
  deepStrictEqual(messages, [library.storedOf({ stored: 3, all: 4 }), `c.txt: ${uploads.quotaExceeded}`]);
  deepStrictEqual(stored, ["a.txt", "b.txt", "d.txt"]);
  const only = await send(user, [text("c.txt", 30 * KIBIBYTE)]);
  deepStrictEqual([only.status, only.messages], [413, [uploads.quotaExceeded]]);
});

Deno.test("a form with too many files or bytes stores nothing and says how many it may have", async () => {
  const user = await openUploader(app);
  const files = (count: number) => Array.from({ length: count }, (_, i) => text(`${i}.txt`));
  const many = await send(user, files(FORM_MAX_FILES + 1));
  deepStrictEqual([many.status, many.messages, many.stored], [400, [
    serverRules.texts.tooManyFiles({ max: FORM_MAX_FILES }),
  ], []]);
  const large = await send(user, [1, 2].map((i) => text(`${i}.txt`, 13 * KIBIBYTE ** 2)));
  deepStrictEqual([large.status, large.messages, large.stored], [
    413,
    [library.tooLargeTogether({ limit: "25 MB" })],
    [],
  ]);
  strictEqual((await send(user, files(FORM_MAX_FILES))).stored.length, FORM_MAX_FILES);
});

Deno.test("a form with several files that is sent twice runs once, unless one of the files differs", async () => {
  const user = await openUploader(app);
  const fields = { form_id: crypto.randomUUID() };
  const files = [text("a.txt"), svg("b.svg"), text("c.txt")];
  const [first, second] = [await send(user, files, fields), await send(user, files, fields)];
  deepStrictEqual(second, first);
  deepStrictEqual(second.stored, ["a.txt", "c.txt"]);
  const other = await send(user, [...files.slice(0, 2), text("c.txt", 6)], fields);
  deepStrictEqual(other.stored, ["a.txt", "a.txt", "c.txt", "c.txt"]);
});

Deno.test("each file of a form counts under the limit of uploads", async () => {
  const user = await openUploader(app);
  const { limits } = app.services.config;
  const { presign } = limits;
  limits.presign = { quota: 2, windowSeconds: HOUR_SECONDS };
  try {
    const { messages, stored } = await send(user, ["a.txt", "b.txt", "c.txt"].map((name) => text(name)));
    deepStrictEqual([messages[0], stored], [library.storedOf({ stored: 2, all: 3 }), ["a.txt", "b.txt"]]);
    ok(messages[1].startsWith("c.txt: Too many attempts."), messages[1]);
  } finally {
    limits.presign = presign;
  }
});
