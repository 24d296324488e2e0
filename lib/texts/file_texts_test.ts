import { strictEqual } from "node:assert/strict";
import { fileErrorTexts } from "./file_texts.ts";
import { photoErrorTexts } from "./photo_texts.ts";
import { formatSize } from "./size_format.ts";
import { sizeText } from "./size_text.ts";
import { textsIn } from "./texts.ts";
import { ENGLISH } from "./languages.ts";

const texts = textsIn(ENGLISH);

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

Deno.test("a size is shown in the largest unit that it reaches", () => {
  const cases: [bytes: number, text: string][] = [
    [0, "0 bytes"],
    [1, "1 byte"],
    [1023, "1023 bytes"],
    [1024, "1 KB"],
    [1535, "1.4 KB"],
    [5 * 1024 ** 2, "5 MB"],
    [10 * 1024 ** 2 - 1, "9.9 MB"],
    [10.9 * 1024 ** 2, "10 MB"],
    [1024 ** 3, "1 GB"],
    [5000 * 1024 ** 4, "5000 TB"],
  ];
  for (const [bytes, text] of cases) strictEqual(sizeText(bytes), text);
});

Deno.test("a size has the numbers and the word for bytes of a language", () => {
  const cases: [bytes: number, locale: string, text: string][] = [
    [1, "en-US", "1 byte"],
    [3, "en-US", "3 bytes"],
    [1535, "en-US", "1.4 KB"],
    [3, "de-DE", "3 Byte"],
    [1535, "de-DE", "1,4 KB"],
    [10.9 * 1024 ** 2, "de-DE", "10 MB"],
  ];
  for (const [bytes, locale, text] of cases) strictEqual(formatSize(bytes, locale), text);
});
