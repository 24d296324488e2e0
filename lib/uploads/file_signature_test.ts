import { strictEqual } from "node:assert/strict";
import { imageTypeBySignature } from "./file_signature.ts";

const bytesOf = (latin1: string) => Uint8Array.from(latin1, (char) => char.charCodeAt(0));

Deno.test("imageTypeBySignature detects the four types, but no truncated or similar signature", () => {
  const cases = [
    ["\xff\xd8\xff\xe0", "image/jpeg"],
    ["\xff\xd8\xff", "image/jpeg"],
    ["\xff\xd8", null],
    ["\x89PNG\r\n\x1a\n", "image/png"],
    ["\x89PNG\n\x1a\n", null],
    ["\x89PNG\r\n\x1a", null],
    ["GIF87a", "image/gif"],
    ["GIF89a;", "image/gif"],
    ["GIF88a", null],
    ["RIFF\x00?\xff\x01WEBPVP8 ", "image/webp"],
    ["RIFF\x00\x00\x00\x00WAVE", null],
    ["RIFF\x00\x00\x00\x00WEB", null],
    ["<svg xmlns=", null],
    ["II*\x00", null],
    [" GIF89a", null],
    ["", null],
  ];
  for (const [start, type] of cases) strictEqual(imageTypeBySignature(bytesOf(start!)), type, JSON.stringify(start));
});
