import { deepStrictEqual, match, notStrictEqual, ok, partialDeepStrictEqual, strictEqual } from "node:assert/strict";
import type { ObjectStore } from "../../../lib/services/object_store.ts";

/** The rules that both stores follow. Each case uses its own keys. */
export const STORE_CASES: Record<string, (store: ObjectStore) => Promise<void>> = {
  "head returns the type, size, entity tag and time of an object": async (store) => {
    const startedAt = Date.now();
    const etag = await store.put("head/a", bytesOf("hello"), "image/png");
    const first = (await store.head("head/a"))!;
    partialDeepStrictEqual(first, { contentType: "image/png", sizeBytes: 5 });
    match(first.etag, /^"[^"]+"$/);
    strictEqual(etag, first.etag, "put returns the entity tag too");
    ok(Math.abs(first.modifiedAt.getTime() - startedAt) < 60_000, first.modifiedAt.toISOString());
    await store.put("head/a", bytesOf("other"), "image/png");
    notStrictEqual((await store.head("head/a"))?.etag, first.etag);
  },

  "putAll stores several objects, and replaces older ones": async (store) => {
    const keys = ["all/b", "all/a", "all/c/a"];
    for (const version of ["old", "newer"]) {
      const objects = keys.map((key) => ({
        key,
        bytes: bytesOf(`${version} ${key}`),
        contentType: `image/${version}`,
      }));
      const etags = await store.putAll(objects);
      for (const [index, { key, bytes, contentType }] of objects.entries()) {
        const { bytes: stored, object } = (await store.readStart(key, 99))!;
        deepStrictEqual(stored, bytes);
        partialDeepStrictEqual(object, { contentType, etag: etags[index], sizeBytes: bytes.length });
      }
    }
    deepStrictEqual(await store.putAll([]), []);
  },

  "check passes, and stores nothing": async (store) => {
    const before = await Array.fromAsync(store.list());
    await store.check();
    deepStrictEqual(await Array.fromAsync(store.list()), before);
  },

  "readStart returns the first bytes and the metadata": async (store) => {
    strictEqual(await store.readStart("start/none", 4), null);
    const cases = [["longer", "long"], ["same", "same"], ["abc", "abc"], ["", ""]];
    for (const [content, start] of cases) {
      await store.put("start/a", bytesOf(content), "image/png");
      const read = (await store.readStart("start/a", 4))!;
      deepStrictEqual(read, { bytes: bytesOf(start), object: (await store.head("start/a"))! }, content);
      strictEqual(read.object.sizeBytes, content.length);
    }
  },

  "delete with an entity tag deletes only that version": async (store) => {
    await store.put("delete/a", bytesOf("old"), "image/png");
    const { etag } = (await store.head("delete/a"))!;
    await store.put("delete/a", bytesOf("new"), "image/png");
    await store.delete("delete/a", { etag });
    strictEqual((await store.head("delete/a"))?.sizeBytes, 3);
    await store.delete("delete/a", { etag: (await store.head("delete/a"))!.etag });
    strictEqual(await store.head("delete/a"), null);
    await store.delete("delete/a", { etag });
  },

  "list returns the objects in the order of their keys": async (store) => {
    const keys = ["list/0", "list/a-b", "list/a/0", "list/a/b/c", "list/a/d", "list/a.b", "list/a0", "list/b", "list0"];
    keys.sort();
    for (const key of keys.toReversed()) await store.put(key, bytesOf(key), "text/plain");
    const listed = async (options: Parameters<ObjectStore["list"]>[0]) =>
      await Array.fromAsync(store.list(options), ({ key }) => key);
    const within = keys.filter((key) => key.startsWith("list/"));
    deepStrictEqual(await listed({ prefix: "list/" }), within);
    for (const prefix of ["list/a", "list/a/", "list/a/b/c", "list/c", "list"]) {
      deepStrictEqual(await listed({ prefix }), keys.filter((key) => key.startsWith(prefix)), prefix);
    }
    for (const after of [...within, "list/a/", "list/a/c", "list/0/x", "list", "m"]) {
      deepStrictEqual(await listed({ prefix: "list/", after }), within.filter((key) => key > after), after);
    }
    for await (const { key, sizeBytes, modifiedAt } of store.list({ prefix: "list/" })) {
      const { modifiedAt: expectedAt, ...head } = (await store.head(key))!;
      strictEqual(sizeBytes, head.sizeBytes, key);
      strictEqual(Math.floor(modifiedAt.getTime() / 1000), Math.floor(expectedAt.getTime() / 1000), key);
    }
  },
};

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
