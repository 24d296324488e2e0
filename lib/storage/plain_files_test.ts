import { deepStrictEqual, notStrictEqual, ok, partialDeepStrictEqual, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { withFolder } from "../../tests/support/database/engines.ts";
import { writeOldObjectFile } from "../../tests/support/uploads/old_object_file.ts";
import type { ObjectStore } from "../services/object_store.ts";
import { createDiskStore, type DiskStoreOptions } from "./disk_store.ts";

const KEY = "uploads/u/a.txt";

async function withStore(test: (store: ObjectStore, directory: string) => Promise<void>) {
  await withFolder(async (directory) => await test(await openStore(directory), directory));
}

/** Opens a store, as every instance does on a shared folder. */
function openStore(directory: string, options: Partial<DiskStoreOptions> = {}): Promise<ObjectStore> {
  const settings = { baseUrl: "http://foyer.test", appSecret: "s".repeat(32), uploadMaxBytes: 1_000_000 };
  return createDiskStore({ directory, ...settings, now: () => new Date(), ...options });
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function put(store: ObjectStore, text: string, contentType = "text/plain", key = KEY): Promise<string> {
  return store.put(key, bytesOf(text), contentType);
}

async function textOf(store: ObjectStore, key = KEY): Promise<string> {
  return await new Response((await store.open(key))!.stream()).text();
}

async function hashOf(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(text))).toHex();
}

Deno.test("an object is a plain file, and its type and hash are beside it", () =>
  withStore(async (store, directory) => {
    await put(store, "hello");
    strictEqual(await Deno.readTextFile(join(directory, KEY)), "hello");
    const modifiedAt = (await Deno.stat(join(directory, KEY))).mtime!;
    strictEqual(modifiedAt.getMilliseconds(), 0);
    deepStrictEqual(JSON.parse(await Deno.readTextFile(join(directory, ".metadata", KEY))), [
      { contentType: "text/plain", sha256: await hashOf("hello"), sizeBytes: 5, modifiedAt: modifiedAt.toISOString() },
    ]);
    await store.delete(KEY);
    await Deno.readTextFile(join(directory, ".metadata", KEY)).then(() => ok(false), () => {});
  }));

Deno.test("each version of an object has its own time, even within one second", () =>
  withFolder(async (directory) => {
    const now = new Date("2026-03-01T12:00:00.700Z");
    const store = await openStore(directory, { now: () => now });
    const times: (string | undefined)[] = [];
    for (const text of ["one", "two", "six"]) {
      await put(store, text);
      times.push((await store.head(KEY))?.modifiedAt.toISOString());
    }
    deepStrictEqual(times, [0, 1, 2].map((second) => `2026-03-01T12:00:0${second}.000Z`));
  }));

Deno.test("a put that was killed before its rename changes nothing", () =>
  withStore(async (store, directory) => {
    await put(store, "first");
    const before = await store.head(KEY);
    const metadata = join(directory, ".metadata", KEY);
    const [present] = JSON.parse(await Deno.readTextFile(metadata));
    const modifiedAt = new Date(Date.parse(present.modifiedAt) + 1_000);
    const next = { ...present, contentType: "text/next", sha256: await hashOf("other"), modifiedAt };
    await Deno.writeTextFile(metadata, JSON.stringify([next, present]));
    deepStrictEqual([await store.head(KEY), await textOf(store)], [before, "first"]);
    await put(store, "third", "text/third");
    partialDeepStrictEqual(await store.head(KEY), { contentType: "text/third", etag: `"${await hashOf("third")}"` });
  }));

Deno.test("metadata without a file is no object, and is deleted by tidying", () =>
  withStore(async (store, directory) => {
    await put(store, "kept", "text/kept", "uploads/u/kept.txt");
    await put(store, "gone");
    await Deno.remove(join(directory, KEY));
    strictEqual(await store.head(KEY), null);
    deepStrictEqual(await Array.fromAsync(store.list(), ({ key }) => key), ["uploads/u/kept.txt"]);
    await store.tidy({ maxObjects: 10 });
    const left = await Array.fromAsync(Deno.readDir(join(directory, ".metadata/uploads/u")), ({ name }) => name);
    deepStrictEqual(left, ["kept.txt"]);
    strictEqual((await store.head("uploads/u/kept.txt"))?.contentType, "text/kept");
  }));

Deno.test("a copy of the folder has the same objects", () =>
  withStore(async (store, directory) => {
    await put(store, "hello");
    const original = await store.head(KEY);
    const copied = async (option: string) => {
      const copy = `${directory}${option}`;
      const { success } = await new Deno.Command("cp", { args: [option, directory, copy] }).output();
      ok(success);
      // A second later, so that a copy without the times differs in them.
      if (option === "-r") await Deno.utime(join(copy, KEY), new Date(), new Date(Date.now() + 60_000));
      const copiedStore = await openStore(copy);
      strictEqual(await textOf(copiedStore), "hello");
      return await copiedStore.head(KEY);
    };
    deepStrictEqual(await copied("-a"), original);
    const withoutTimes = await copied("-r");
    strictEqual(withoutTimes?.contentType, "text/plain");
    notStrictEqual(withoutTimes?.etag, original?.etag);
  }));

Deno.test("a file that someone copied into the store is served, and its entity tag changes with it", () =>
  withStore(async (store, directory) => {
    await put(store, "ours", "image/png", "images/a");
    for (const key of ["images/b", "images/a"]) {
      const tags = new Set<string | undefined>();
      for (const [text, seconds] of [["theirs", 1], ["THEIRS", 2], ["theirs, too", 2]] as const) {
        await Deno.writeTextFile(join(directory, key), text);
        await Deno.utime(join(directory, key), seconds, seconds);
        strictEqual(await textOf(store, key), text);
        tags.add((await store.head(key))?.etag);
      }
      strictEqual(tags.size, 3);
    }
    strictEqual((await store.head("images/b"))?.contentType, "application/octet-stream");
    strictEqual((await store.head("images/a"))?.contentType, "image/png", "the type of the object that it replaces");
    await store.delete("images/b");
    strictEqual(await store.head("images/b"), null);
    await Deno.writeTextFile(join(directory, ".metadata/images/a"), "not JSON");
    strictEqual((await store.head("images/a"))?.contentType, "application/octet-stream");
  }));

Deno.test("ranges and sizes are exact in a file of 5 GiB", () =>
  withStore(async (store, directory) => {
    const sizeBytes = 5 * 1024 ** 3;
    await put(store, "small");
    using file = await Deno.open(join(directory, KEY), { write: true });
    await file.truncate(sizeBytes); // takes no space
    await file.seek(sizeBytes - 6, Deno.SeekMode.Start);
    await file.write(bytesOf("the en"));
    strictEqual((await store.head(KEY))?.sizeBytes, sizeBytes);
    const range = async (start: number, end: number) =>
      await new Response((await store.open(KEY))!.stream({ start, end })).text();
    strictEqual(await range(sizeBytes - 2, sizeBytes - 1), "en");
    strictEqual(await range(2 ** 32 - 1, 2 ** 32 + 1), "\0\0\0");
    strictEqual(await range(0, 5), "small\0");
  }));

Deno.test("files of version 0.1.0 are read, and tidying makes them plain files", () =>
  withStore(async (store, directory) => {
    const keys = ["images/a", "images/b", "images/c/d", "uploads/e"];
    for (const key of keys) await writeOldObjectFile(join(directory, key), bytesOf(`old ${key}`), "image/webp");
    await writeOldObjectFile(join(directory, "empty"), bytesOf(""), "image/webp");
    await Deno.utime(join(directory, "images/a"), 1_700_000_000, 1_700_000_000);
    await put(store, "new", "text/plain", "images/bb");
    const view = async () => ({
      heads: await Promise.all([...keys, "empty", "images/bb"].map((key) => store.head(key))),
      listed: await Array.fromAsync(store.list(), ({ key, sizeBytes }) => [key, sizeBytes]),
      texts: await Promise.all(keys.map((key) => textOf(store, key))),
    });
    const before = await view();
    partialDeepStrictEqual(before.heads[0], {
      contentType: "image/webp",
      sizeBytes: 12,
      etag: `"${await hashOf("old images/a")}"`,
    });
    deepStrictEqual(before.texts[3], "old uploads/e");

    const tidied: unknown[] = [];
    for (let after: string | null = ""; after !== null;) {
      const { next, ...result } = await store.tidy({ after, maxObjects: 3 });
      tidied.push({ ...result, next });
      after = next;
    }
    deepStrictEqual(tidied, [
      { convertedObjects: 3, failedKeys: [], next: "images/b" },
      { convertedObjects: 2, failedKeys: [], next: "uploads/e" },
      { convertedObjects: 0, failedKeys: [], next: null },
    ]);
    const after = await view();
    for (const head of [...before.heads, ...after.heads]) head!.modifiedAt.setMilliseconds(0);
    deepStrictEqual(after, before);
    strictEqual(await Deno.readTextFile(join(directory, "images/a")), "old images/a");
    strictEqual((await Deno.stat(join(directory, "empty"))).size, 0);
    deepStrictEqual(await store.tidy({ maxObjects: 9 }), { convertedObjects: 0, failedKeys: [], next: null });
  }));

Deno.test("a file of version 0.1.0 that is damaged is not converted, but still read", () =>
  withStore(async (store, directory) => {
    for (const key of ["a", "b", "c"]) {
      await writeOldObjectFile(join(directory, key), bytesOf("content"), "image/webp");
    }
    const path = join(directory, "b");
    await Deno.writeFile(path, (await Deno.readFile(path)).with(0, 0));
    deepStrictEqual(await store.tidy({ maxObjects: 9 }), { convertedObjects: 2, failedKeys: ["b"], next: null });
    strictEqual(await textOf(store, "b"), "\0ontent");
    deepStrictEqual(await Array.fromAsync(Deno.readDir(join(directory, ".temporary"))), []);
  }));

Deno.test(
  "tidying a full disk leaves no file open",
  { sanitizeResources: true },
  () =>
    withFolder(async (directory) => {
      const reserve = { startFile: () => Promise.reject(new Error("full")) };
      const store = await openStore(directory, { reserve });
      await writeOldObjectFile(join(directory, KEY), bytesOf("content"), "image/webp");
      deepStrictEqual((await store.tidy({ maxObjects: 9 })).failedKeys, [KEY]);
    }),
);

Deno.test("readers, writers and several tidying processes do not disturb one another", () =>
  withFolder(async (directory) => {
    const digits = [..."012345678901"];
    await writeOldObjectFile(join(directory, KEY), bytesOf("0".repeat(9)), "text/v0");
    const [first, second] = [await openStore(directory), await openStore(directory)];
    let isDone = false;
    const read = async () => {
      let reads = 0;
      for (; !isDone; reads++) {
        const object = (await first.open(KEY))!;
        const { contentType, etag } = object;
        const text = await new Response(object.stream()).text();
        deepStrictEqual({ contentType, etag }, { contentType: `text/v${text[0]}`, etag: `"${await hashOf(text)}"` });
        strictEqual(text, text[0].repeat(9));
      }
      return reads;
    };
    const write = async (store: ObjectStore, order: string[]) => {
      for (const digit of order) await put(store, digit.repeat(9), `text/v${digit}`);
    };
    const tidy = async () => {
      while (!isDone) deepStrictEqual((await second.tidy({ maxObjects: 9 })).failedKeys, []);
    };
    const writing = Promise.all([write(first, digits), write(second, digits.toReversed())]);
    const [reads] = await Promise.all([read(), read(), tidy(), tidy(), writing.finally(() => isDone = true)]);
    ok(reads > 0);
    strictEqual((await first.head(KEY))?.sizeBytes, 9);
  }));
