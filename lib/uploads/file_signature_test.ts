import { strictEqual } from "node:assert/strict";
import { matchesType } from "./file_signature.ts";
import { imageTypeBySignature, pictureType, savedName } from "./rules.ts";

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

Deno.test("pictureType is the type of a picture's content, or that of its name", () => {
  const webp = "RIFF\x00\x00\x00\x00WEBP";
  const cases = [
    ["image/jpeg", "a.jpg", webp, "image/webp"],
    ["image/jpeg", "a.jpg", "\x89PNG\r\n\x1a\n", "image/png"],
    ["", "a", "\xff\xd8\xff\xe0", "image/jpeg"],
    ["image/jpeg", "a.jpg", "\0\0\0\x18ftypheic", "image/heic"],
    ["image/heif", "a.heif", "\0\0\0\x18ftypmif1", "image/heic"],
    ["", "IMG_1.HEIC", "", "image/heic"],
    ["image/heic", "a.heic", "\xff\xd8\xff\xe0", "image/jpeg"],
    ["image/jpeg", "a.jpg", "text", "image/jpeg"],
    ["image/avif", "a.avif", "\0\0\0\x1cftypavif", "image/avif"],
    ["text/plain", "a.txt", "GIF89a", "text/plain"],
    ["", "a", "text", ""],
  ];
  for (const [type, name, start, expected] of cases) {
    strictEqual(pictureType({ type, name }, bytesOf(start)), expected, `${type} ${name}`);
  }
});

Deno.test("savedName gives an image the extension of its type", () => {
  const cases = [
    ["portrait.jpg", "image/webp", "portrait.webp"],
    ["portrait.webp", "image/webp", "portrait.webp"],
    ["Portrait.JPEG", "image/jpeg", "Portrait.JPEG"],
    ["shot.png", "image/jpeg", "shot.jpg"],
    ["v1.2", "image/webp", "v1.2.webp"],
    ["a.png", "text/plain", "a.png"],
    ["a.svg.gif", "image/avif", "a.svg.gif"],
  ];
  for (const [name, contentType, saved] of cases) strictEqual(savedName({ name, contentType }), saved);
});

Deno.test("matchesType compares the first bytes with the declared type, if it has a signature", () => {
  const html = "<!doctype html>";
  const cases = [
    ["image/png", "\x89PNG\r\n\x1a\n", true],
    ["IMAGE/PNG", html, false],
    ["image/gif", "GIF87a", true],
    ["image/avif", "\0\0\0\x20ftypavif", true],
    ["application/pdf", "%PDF-1.7", true],
    ["application/pdf", `${" ".repeat(1000)}%PDF-1.7`, true],
    ["application/pdf", html, false],
    ["application/zip", "PK\x03\x04", true],
    ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", html, false],
    ["video/mp4", "\0\0\0\x18ftypmp42", true],
    ["video/quicktime", "\0\0\0\x08wide", true],
    ["video/webm", "\x1aE\xdf\xa3", true],
    ["video/ogg", html, false],
    ["audio/mpeg", "ID3\x04", true],
    ["audio/mpeg", "\xff\xfb\x90", true],
    ["audio/mpeg", "\xff\xd8\xff", false],
    ["audio/mpeg", `${"\0".repeat(200)}\xff\xfb\x90`, true],
    ["audio/mpeg", `${"\0".repeat(200)}ID3\x04`, true],
    ["audio/mpeg", `${"\0".repeat(200)}${html}`, false],
    ["audio/mpeg", "\0".repeat(1024), false],
    ["audio/mp4", "\0\0\0\x18moov", true],
    ["audio/aac", "\0\0\xff\xf1", true],
    ["audio/mp4", "\0\0\0\x18ftypM4A ", true],
    ["video/mp4", "\0\0\0\x18stypmsdh", true],
    ["audio/wav", "RIFX\0\0\0\0WAVE", true],
    ["audio/wav", "RIFF\0\0\0\0WAVE", true],
    ["application/gzip", "\x1f\x8b\x08", true],
    ["image/png", "", false],
    ["text/plain", html, true],
    ["application/octet-stream", "", true],
  ] as const;
  for (const [type, start, matches] of cases) {
    strictEqual(matchesType(bytesOf(start), type), matches, `${type}: ${JSON.stringify(start)}`);
  }
});
