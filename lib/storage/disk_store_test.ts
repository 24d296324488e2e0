import {
  deepStrictEqual,
  match,
  notStrictEqual,
  partialDeepStrictEqual,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { join } from "node:path";
import type { ObjectStore } from "../services/object_store.ts";
import { delay } from "../../tests/support/delay.ts";
import { STORE_CASES } from "../../tests/support/uploads/store_cases.ts";
import { createDiskStore, type DiskStoreOptions } from "./disk_store.ts";

const BYTES = new Uint8Array(200_000).map((_, i) => i * 31);
const KEY = "images/avatar/0197-a.webp";

/** Makes the test runner report files that are left open. */
const NOTHING_OPEN = { sanitizeResources: true };

const SETTINGS: Omit<DiskStoreOptions, "directory"> = {
  baseUrl: "http://foyer.test",
  appSecret: "a secret that only tests know, 32 bytes",
  uploadMaxBytes: BYTES.length,
  now: () => new Date(),
};

async function withStore(test: (store: ObjectStore, directory: string) => Promise<void>) {
  const parent = await Deno.makeTempDir();
  const directory = join(parent, "objects");
  try {
    await test(await createDiskStore({ directory, ...SETTINGS }), directory);
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
}

async function bytesAt(store: ObjectStore, key: string, range?: { start: number; end: number }) {
  const object = await store.open(key);
  return object && await new Response(object.stream(range)).bytes();
}

for (const [rule, test] of Object.entries(STORE_CASES)) Deno.test(rule, NOTHING_OPEN, () => withStore(test));

/** Returns the paths of all files below the directory, without metadata and locks. */
async function filesIn(directory: string, prefix = ""): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(directory, prefix))) {
    if ([".metadata", ".locks"].includes(name)) continue;
    files.push(...isDirectory ? await filesIn(directory, join(prefix, name)) : [join(prefix, name)]);
  }
  return files.sort();
}

Deno.test("put stores an object with its content type, and replaces an older one", () =>
  withStore(async (store, directory) => {
    await store.put(KEY, BYTES.slice(0, 3), "image/png");
    const older = await store.open(KEY);
    await store.put(KEY, BYTES, "image/webp");
    partialDeepStrictEqual(await store.head(KEY), { contentType: "image/webp", sizeBytes: BYTES.length });
    deepStrictEqual(await bytesAt(store, KEY), BYTES);
    deepStrictEqual(await filesIn(directory), [KEY]);
    strictEqual(older?.contentType, "image/png");
    deepStrictEqual(await new Response(older?.stream()).bytes(), BYTES.slice(0, 3));
  }));

async function* chunks(...parts: Uint8Array<ArrayBuffer>[]) {
  for (const part of parts) yield await Promise.resolve(part);
}

Deno.test(
  "a staged object is not visible until it is stored, and is gone if it is not",
  NOTHING_OPEN,
  () =>
    withStore(async (store, directory) => {
      {
        await using staged = await store.stage(chunks(BYTES.slice(0, 5), BYTES.slice(5)));
        strictEqual(staged.sizeBytes, BYTES.length);
        strictEqual((await filesIn(directory)).length, 1);
        await staged.store(KEY, "image/webp");
        deepStrictEqual(await bytesAt(store, KEY), BYTES);
        const object = await store.open(KEY);
        object?.close();
        strictEqual(object?.etag, `"${staged.sha256}"`);
      }
      {
        await using _discarded = await store.stage(chunks(BYTES));
      }
      async function* broken() {
        yield* chunks(BYTES);
        throw new Error("The sender is gone");
      }
      await rejects(store.stage(broken()), /The sender is gone/);
      deepStrictEqual(await filesIn(directory), [KEY]);
    }),
);

Deno.test("open reads ranges, and an empty object", () =>
  withStore(async (store) => {
    await store.put(KEY, BYTES, "image/webp");
    for (const [start, end] of [[0, 0], [0, 65_535], [65_535, 131_072], [199_999, 199_999], [0, 199_999]]) {
      deepStrictEqual(await bytesAt(store, KEY, { start, end }), BYTES.slice(start, end + 1));
    }
    await store.put("empty", new Uint8Array(0), "text/plain");
    strictEqual((await bytesAt(store, "empty"))?.length, 0);
  }));

Deno.test("the entity tag depends on the content alone", () =>
  withStore(async (store) => {
    const etagOf = async (key: string) => {
      const object = await store.open(key);
      object?.close();
      return object?.etag;
    };
    await store.put("a", BYTES, "image/webp");
    await store.put("b", BYTES, "image/webp");
    await store.put("c", BYTES.with(7, 0), "image/webp");
    match(await etagOf("a") ?? "", /^"[0-9a-f]{64}"$/);
    strictEqual(await etagOf("a"), await etagOf("b"));
    notStrictEqual(await etagOf("a"), await etagOf("c"));
  }));

Deno.test(
  "a stream that is canceled, at once or later, closes its file",
  NOTHING_OPEN,
  () =>
    withStore(async (store) => {
      await store.put(KEY, BYTES, "image/webp");
      await (await store.open(KEY))!.stream().cancel();
      const reader = (await store.open(KEY))!.stream().getReader();
      await reader.read();
      await reader.cancel();
    }),
);

Deno.test("delete removes an object, and a missing one is not an error", () =>
  withStore(async (store) => {
    await store.put(KEY, BYTES, "image/webp");
    await store.delete(KEY);
    await store.delete(KEY);
    strictEqual(await store.head(KEY), null);
    strictEqual(await store.open(KEY), null);
  }));

Deno.test("delete with an entity tag never deletes what another process stores meanwhile", () =>
  withStore(async (first, directory) => {
    const second = await createDiskStore({ directory, ...SETTINGS });
    await first.put(KEY, BYTES.slice(0, 3), "image/png");
    const { etag } = (await first.head(KEY))!;
    const path = join(await Deno.realPath(directory), KEY);
    const { remove } = Deno;
    let storing: Promise<string> | undefined;
    // The other process stores after the entity tag was compared, unless a lock makes it wait.
    Deno.remove = async (removed, options) => {
      if (removed === path) {
        await Promise.race([storing = second.put(KEY, BYTES.slice(0, 4), "image/webp"), delay(300)]);
      }
      await remove(removed, options);
    };
    await first.delete(KEY, { etag }).finally(() => Deno.remove = remove);
    await storing;
    partialDeepStrictEqual(await first.head(KEY), { contentType: "image/webp", sizeBytes: 4 });
  }));

Deno.test("a key cannot name anything outside the store, or anything but an object", () =>
  withStore(async (store, directory) => {
    await Deno.writeTextFile(join(directory, "..", "secret"), "secret".repeat(200));
    await store.put(KEY, BYTES, "image/webp");
    const keys = [
      "",
      "..",
      ".",
      "../secret",
      "images/../../secret",
      "/etc/passwd",
      "images//a",
      "images/",
      "a\\b",
      "a\0b",
    ];
    keys.push("a".repeat(256), "a/".repeat(600) + "a", ".temporary/a", "%2e%2e/secret", "a b", "é", "a\nb");
    for (const key of keys) {
      strictEqual(await store.head(key), null, key);
      strictEqual(await store.open(key), null, key);
      await store.delete(key);
      await rejects(store.put(key, BYTES, "image/webp"), /malformed/, key);
    }
    for (const key of ["images", "images/avatar", `${KEY}/a`]) strictEqual(await store.head(key), null, key);
    deepStrictEqual(await filesIn(join(directory, "..")), [`objects/${KEY}`, "secret"]);
    await store.put("a".repeat(255), BYTES, "image/webp");
  }));

Deno.test("symbolic links are not followed", () =>
  withStore(async (store, directory) => {
    const outside = join(directory, "..", "outside");
    await Deno.mkdir(outside);
    await store.put("a", BYTES, "image/webp");
    await Deno.copyFile(join(directory, "a"), join(outside, "a"));
    await Deno.symlink(outside, join(directory, "link"));
    await Deno.symlink(join(outside, "a"), join(directory, "file"));
    for (const key of ["link/a", "file"]) {
      strictEqual(await store.open(key), null, key);
      await store.delete(key);
    }
    for (const key of ["link/b", "link/c/d"]) await rejects(store.put(key, BYTES, "image/webp"), /not a folder/);
    await store.put("file", BYTES.slice(1), "image/webp");
    deepStrictEqual(await filesIn(outside), ["a"]);
    strictEqual((await Deno.stat(join(outside, "a"))).size, BYTES.length);
  }));

Deno.test("a store works in a folder behind a symbolic link", () =>
  withStore(async (_, directory) => {
    await Deno.symlink(directory, `${directory}-link`);
    const store = await createDiskStore({ directory: `${directory}-link`, ...SETTINGS });
    await store.put(KEY, BYTES, "image/webp");
    deepStrictEqual(await bytesAt(store, KEY), BYTES);
  }));

Deno.test("a failed put leaves no files, and the remains of an interrupted one are deleted at the start", () =>
  withStore(async (store, directory) => {
    await store.put("a", BYTES, "image/webp");
    await rejects(store.put("a/b", BYTES, "image/webp"));
    deepStrictEqual(await filesIn(directory), ["a"]);
    await Deno.writeFile(join(directory, ".temporary", "left"), BYTES);
    await createDiskStore({ directory, ...SETTINGS });
    deepStrictEqual(await filesIn(directory), ["a"]);
  }));

Deno.test("if several puts to one key run at once, one of the objects is stored complete", () =>
  withStore(async (store, directory) => {
    const versions = Array.from({ length: 8 }, (_, i) => BYTES.with(0, i));
    await Promise.all(versions.map((bytes) => store.put(KEY, bytes, "image/webp")));
    const stored = (await bytesAt(store, KEY))!;
    deepStrictEqual(stored, versions[stored[0]]);
    deepStrictEqual(await filesIn(directory), [KEY]);
  }));

Deno.test("publicUrl encodes each segment", () =>
  withStore((store) => {
    strictEqual(store.publicUrl("a/b c/d?e"), "http://foyer.test/files/a/b%20c/d%3Fe");
    return Promise.resolve();
  }));
