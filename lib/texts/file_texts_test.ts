import { strictEqual } from "node:assert/strict";
import { fileErrorTexts } from "./file_texts.ts";
import { photoErrorTexts } from "./photo_texts.ts";
import { sizeText } from "./size_text.ts";
import { textsIn } from "./texts.ts";
import { ENGLISH, openLanguages } from "./languages.ts";

const texts = textsIn(ENGLISH);
const { byTag } = openLanguages().languages;

Deno.test("a damaged photo is named by its declared type", () => {
  const names = { "image/jpeg": "JPEG", "image/png": "PNG", "image/webp": "WebP", "image/gif": "GIF" };
  for (const [contentType, name] of Object.entries(names)) {
    strictEqual(
      photoErrorTexts(texts, contentType).FILE_SIGNATURE_MISMATCH,
      `This doesn’t look like a ${name}. It may be damaged.`,
    );
  }
});

Deno.test("a file of a type that is not allowed is named by its extension", () => {
  const textOf = (name: string) => fileErrorTexts(texts, { name, maxBytes: 1 }).FILE_TYPE_NOT_ALLOWED;
  strictEqual(textOf("drawing.svg"), "SVG files can’t be uploaded");
  strictEqual(textOf("my.page.html"), "HTML files can’t be uploaded");
});

Deno.test("a size is shown in the largest unit that it reaches, as the language writes it, on one line", () => {
  const cases: [bytes: number, tag: string, text: string][] = [
    [0, "en", "0\u00a0bytes"],
    [1, "en", "1\u00a0byte"],
    [1023, "en", "1,023\u00a0bytes"],
    [1024, "en", "1\u00a0KB"],
    [1535, "en", "1.4\u00a0KB"],
    [5 * 1024 ** 2, "en", "5\u00a0MB"],
    [10 * 1024 ** 2 - 1, "en", "9.9\u00a0MB"],
    [10.9 * 1024 ** 2, "en", "10\u00a0MB"],
    [1024 ** 3, "en", "1\u00a0GB"],
    [5000 * 1024 ** 4, "en", "5,000\u00a0TB"],
    [3, "de", "3\u00a0Byte"],
    [1535, "de", "1,4\u00a0KB"],
    [3, "ar", "3\u00a0بايت"],
    [5 * 1024 ** 2, "ar", "5\u00a0ميغابايت"],
  ];
  for (const [bytes, tag, text] of cases) strictEqual(sizeText(bytes, textsIn(byTag.get(tag)!).sizes), text);
});
