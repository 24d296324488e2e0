import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { join, relative } from "node:path";
import { withFolder } from "../../tests/support/database/engines.ts";
import { waitFor } from "../../tests/support/wait_for.ts";
import { secondsAfter } from "../duration.ts";
import type { NewObject, ObjectStore } from "../services/object_store.ts";
import { createDiskStore } from "./disk_store.ts";

const KEYS = ["images/avatar/a-128.webp", "images/avatar/a-512.webp", "images/avatar/a.webp"];

interface Clock {
  now: Date;
}

/** Opens a store whose folders exist already. */
async function withStore(test: (store: ObjectStore, directory: string, clock: Clock) => Promise<void>) {
  await withFolder(async (folder) => {
    const directory = await Deno.realPath(folder);
    const clock = { now: new Date("2026-03-01T12:00:00.700Z") };
    const settings = { baseUrl: "http://foyer.test", appSecret: "s".repeat(32), uploadMaxBytes: 1_000_000 };
    const store = await createDiskStore({ directory, ...settings, now: () => clock.now });
    await store.putAll([object("images/avatar/other.webp")]);
    await test(store, directory, clock);
  });
}

function object(key: string, text = "content"): NewObject {
  return { key, bytes: new TextEncoder().encode(text), contentType: "image/webp" };
}

/** Returns what happens on the disk meanwhile: the flushed files and folders, and the objects that were renamed. */
async function diskEvents(directory: string, action: () => Promise<unknown>): Promise<string[]> {
  const { open, rename } = Deno;
  const { sync } = Deno.FsFile.prototype;
  const events: string[] = [];
  const paths = new WeakMap<Deno.FsFile, string>();
  const nameOf = (path: string | URL) => relative(directory, `${path}`).replace(/^\.temporary.*/, "a temporary file");
  Deno.open = async (path, options) => {
    const file = await open(path, options);
    paths.set(file, nameOf(path));
    return file;
  };
  Deno.FsFile.prototype.sync = async function () {
    await sync.call(this);
    events.push(`flush ${paths.get(this)}`);
  };
  Deno.rename = async (from, to) => {
    await rename(from, to);
    events.push(`rename ${nameOf(to)}`);
  };
  try {
    await action();
  } finally {
    Object.assign(Deno, { open, rename });
    Deno.FsFile.prototype.sync = sync;
  }
  return events;
}

Deno.test("several objects are flushed with their metadata, then appear in their order; each folder is flushed once", () =>
  withStore(async (store, directory) => {
    const events = await diskEvents(directory, () => store.putAll(KEYS.map((key) => object(key))));
    const together = events.splice(3, 3).sort(); // in any order
    deepStrictEqual([...events.splice(0, 3), ...together, ...events], [
      ...KEYS.map(() => "flush a temporary file"),
      ...KEYS.map((key) => `flush .metadata/${key}`),
      "flush .metadata/images/avatar",
      ...KEYS.map((key) => `rename ${key}`),
      "flush images/avatar",
    ]);
  }));

Deno.test("a file is flushed twice only if an object of the same second is replaced", () =>
  withStore(async (store, directory, clock) => {
    const contentFlushes = async () => {
      const events = await diskEvents(directory, () => store.putAll([object(KEYS[0])]));
      return events.filter((event) => event === "flush a temporary file").length;
    };
    strictEqual(await contentFlushes(), 1, "the file of a new object");
    strictEqual(await contentFlushes(), 3, "the file, its metadata, and the file with another time");
    clock.now = secondsAfter(clock.now, 2);
    strictEqual(await contentFlushes(), 2, "the file and its metadata");
    clock.now = secondsAfter(clock.now, -9);
    strictEqual(await contentFlushes(), 3, "the clock is behind");
    strictEqual((await store.head(KEYS[0]))?.modifiedAt.toISOString(), "2026-03-01T12:00:03.000Z");
  }));

Deno.test("an error while objects appear leaves those before it, and nothing else once the folder is tidied", () =>
  withStore(async (store, directory) => {
    const { rename } = Deno;
    Deno.rename = async (from, to) => {
      if (`${to}`.endsWith(KEYS[1])) throw new Error("broken");
      await rename(from, to);
    };
    const storing = store.putAll(KEYS.map((key) => object(key)));
    await rejects(storing, /broken/).finally(() => Deno.rename = rename);
    const namesIn = async (folder: string) =>
      await Array.fromAsync(Deno.readDir(join(directory, folder)), ({ name }) => name);
    deepStrictEqual((await namesIn("images/avatar")).sort(), ["a-128.webp", "other.webp"]);
    strictEqual((await store.head(KEYS[0]))?.contentType, "image/webp");
    deepStrictEqual(await namesIn(".temporary"), []);
    await store.tidy({ maxObjects: 9 });
    deepStrictEqual((await namesIn(".metadata/images/avatar")).sort(), ["a-128.webp", "other.webp"]);
  }));

Deno.test("if one of several objects cannot be received, none is stored, and no file stays open", {
  sanitizeResources: true,
}, () =>
  withStore(async (store, directory) => {
    const { write } = Deno.FsFile.prototype;
    const slow = Promise.withResolvers<void>();
    const temporary = () => Array.fromAsync(Deno.readDir(join(directory, ".temporary")));
    Deno.FsFile.prototype.write = async function (bytes) {
      if (bytes.length === "broken".length) throw new Error("broken");
      await waitFor("the other file to be discarded", async () => (await temporary()).length === 1);
      return await write.call(this, bytes).finally(slow.resolve);
    };
    const storing = store.putAll([object(KEYS[0], "broken"), object(KEYS[1])]);
    await rejects(storing, /broken/);
    await slow.promise.finally(() => Deno.FsFile.prototype.write = write);
    deepStrictEqual(await Array.fromAsync(store.list(), ({ key }) => key), ["images/avatar/other.webp"]);
    deepStrictEqual(await temporary(), []);
    await rejects(store.putAll([object(KEYS[0]), object("../b")]), /malformed/);
    strictEqual(await store.head(KEYS[0]), null);
  }));

Deno.test("metadata that a killed process has left incomplete does not keep a new object from its own", () =>
  withStore(async (store, directory) => {
    await Deno.writeTextFile(join(directory, ".metadata", KEYS[0]), `[{ "contentType": "image/${"p".repeat(400)}`);
    strictEqual(await store.head(KEYS[0]), null);
    const [etag] = await store.putAll([object(KEYS[0])]);
    const { modifiedAt: _, ...head } = (await store.head(KEYS[0]))!;
    deepStrictEqual(head, { contentType: "image/webp", sizeBytes: 7, etag });
    strictEqual(JSON.parse(await Deno.readTextFile(join(directory, ".metadata", KEYS[0]))).length, 1);
  }));
