import { deepStrictEqual, partialDeepStrictEqual, strictEqual } from "node:assert/strict";
import { dirname, join } from "node:path";
import { withFolder } from "../../tests/support/database/engines.ts";
import { writeOldObjectFile } from "../../tests/support/uploads/old_object_file.ts";
import { createDiskStore } from "./disk_store.ts";
import { parseTrailer } from "./object_file.ts";

const KEY = "uploads/u/a.txt";
const HASH = "0".repeat(64);

function trailerBytes(contentType: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify({ contentType, sha256: HASH }).padEnd(512));
}

function openStore(directory: string) {
  const settings = { baseUrl: "http://foyer.test", appSecret: "s".repeat(32), uploadMaxBytes: 1_000_000 };
  return createDiskStore({ directory, ...settings, now: () => new Date() });
}

Deno.test("a trailer has a type that a header can contain", () => {
  const contentType = "application/vnd.a+b.c-1_2";
  deepStrictEqual(parseTrailer(trailerBytes(contentType)), { contentType, sha256: HASH });
  for (const wrong of ["text/html\r\nX-A: b", "", "text/html; a=b", "a b/c", "text"]) {
    strictEqual(parseTrailer(trailerBytes(wrong)), null, wrong);
  }
});

Deno.test("the end of a file that was copied without its time is content, even if it looks like a trailer", () =>
  withFolder(async (directory) => {
    const store = await openStore(directory);
    await store.put(KEY, trailerBytes("text/html"), "text/plain");
    const copiedAt = new Date(Date.now() + 60_000);
    await Deno.utime(join(directory, KEY), copiedAt, copiedAt);
    partialDeepStrictEqual(await store.head(KEY), { contentType: "text/plain", sizeBytes: 512 });
  }));

Deno.test("a file of version 0.1.0 stays itself when the process is killed before replacing it", () =>
  withFolder(async (directory) => {
    const [path, metadata] = [join(directory, KEY), join(directory, ".metadata", KEY)];
    await writeOldObjectFile(path, new TextEncoder().encode("old"), "image/webp");
    const modifiedAt = new Date();
    await Deno.utime(path, modifiedAt, modifiedAt);
    await Deno.mkdir(dirname(metadata), { recursive: true });
    const version = { contentType: "text/next", sha256: HASH, sizeBytes: 4, modifiedAt };
    await Deno.writeTextFile(metadata, JSON.stringify([version]));
    const store = await openStore(directory);
    partialDeepStrictEqual(await store.head(KEY), { contentType: "image/webp", sizeBytes: 3 });
  }));
