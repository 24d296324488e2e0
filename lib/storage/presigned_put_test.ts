import { deepStrictEqual, match, ok, partialDeepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { AppError, type ErrorCode } from "../errors/errors.ts";
import type { IncomingUpload, ObjectStore, UploadGrant } from "../services/object_store.ts";
import { createDiskStore } from "./disk_store.ts";

const GRANT: UploadGrant = { key: "uploads/u/1-a.png", contentType: "image/png", sizeBytes: 5 };
const UPLOAD_MAX_BYTES = 10;
const OPENED_AT = Date.parse("2026-03-01T12:00:00.500Z");

interface Setting {
  store: ObjectStore;
  directory: string;
  clock: { now: number };
}

async function withStore(test: (setting: Setting) => Promise<void>) {
  const directory = await Deno.makeTempDir();
  const clock = { now: OPENED_AT };
  const settings = { baseUrl: "http://foyer.test", appSecret: "s".repeat(32), uploadMaxBytes: UPLOAD_MAX_BYTES };
  try {
    const store = await createDiskStore({ directory, ...settings, now: () => new Date(clock.now) });
    await test({ store, directory, clock });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function queryOf(store: ObjectStore, grant: UploadGrant): Promise<URLSearchParams> {
  return new URL(await store.presignPut(grant, 300)).searchParams;
}

/** Sends an upload that the store accepts, with some changes. */
async function upload(store: ObjectStore, grant: UploadGrant, changes: Partial<IncomingUpload> = {}) {
  const { key, contentType } = grant;
  const query = await queryOf(store, grant);
  await store.putPresigned({ key, contentType, query, content: chunks("hel", "lo"), ...changes });
}

async function* chunks(...texts: string[]) {
  for (const text of texts) yield await Promise.resolve(new TextEncoder().encode(text));
}

async function assertRefused(pending: Promise<void>, code: ErrorCode, what: string) {
  await rejects(pending, (error) => error instanceof AppError && error.code === code, what);
}

Deno.test("an upload to its presigned URL is stored, and may be repeated until it expires", () =>
  withStore(async ({ store, clock }) => {
    const query = await queryOf(store, GRANT);
    await upload(store, GRANT, { query, announcedBytes: 5 });
    partialDeepStrictEqual(await store.head(GRANT.key), { contentType: "image/png", sizeBytes: 5 });
    clock.now += 299_999;
    await upload(store, GRANT, { query, content: chunks("other") });
    strictEqual(await new Response((await store.open(GRANT.key))?.stream()).text(), "other");
    clock.now += 1;
    await assertRefused(upload(store, GRANT, { query }), "FORBIDDEN", "after 300 seconds");
  }));

Deno.test("opening the store in another process does not delete uploads in progress", () =>
  withStore(async ({ store, directory, clock }) => {
    async function* content() {
      yield* chunks("hel");
      const settings = { baseUrl: "http://foyer.test", appSecret: "s".repeat(32), uploadMaxBytes: UPLOAD_MAX_BYTES };
      await createDiskStore({ directory, ...settings, now: () => new Date(clock.now) });
      yield* chunks("lo");
    }
    await upload(store, GRANT, { content: content() });
    partialDeepStrictEqual(await store.head(GRANT.key), { contentType: "image/png", sizeBytes: 5 });
  }));

Deno.test("a presigned URL accepts one upload at a time, whatever the process that receives it", () =>
  withStore(async ({ store, directory, clock }) => {
    const settings = { baseUrl: "http://foyer.test", appSecret: "s".repeat(32), uploadMaxBytes: UPLOAD_MAX_BYTES };
    const neighbor = await createDiskStore({ directory, ...settings, now: () => new Date(clock.now) });
    const [started, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* slow() {
      yield* chunks("hel");
      started.resolve();
      await ending.promise;
      yield* chunks("lo");
    }
    let wasRead = false;
    async function* unread() {
      wasRead = true;
      yield* chunks("other");
    }
    const first = upload(store, GRANT, { content: slow() });
    await started.promise;
    for (const each of [...Array(20).fill(store), ...Array(20).fill(neighbor)]) {
      await assertRefused(upload(each, GRANT, { content: unread() }), "UPLOAD_IN_PROGRESS", "at the same time");
    }
    strictEqual(wasRead, false);
    strictEqual((await Array.fromAsync(Deno.readDir(join(directory, ".temporary")))).length, 1);
    await upload(neighbor, { ...GRANT, key: "uploads/u/2-b.png" });
    ending.resolve();
    await first;
    strictEqual(await new Response((await store.open(GRANT.key))?.stream()).text(), "hello");
    await upload(neighbor, GRANT, { content: unread() });
    strictEqual(await new Response((await store.open(GRANT.key))?.stream()).text(), "other");
    deepStrictEqual(await Array.fromAsync(Deno.readDir(join(directory, ".temporary"))), []);
  }));

Deno.test("of many uploads to a URL that begin at once, at least one succeeds, and none is mixed with another", () =>
  withStore(async ({ store, directory }) => {
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => upload(store, GRANT, { content: chunks(String(index % 10).repeat(5)) })),
    );
    const refused = results.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
    for (const { reason } of refused) strictEqual(reason.code, "UPLOAD_IN_PROGRESS");
    ok(refused.length < 40);
    match(await new Response((await store.open(GRANT.key))?.stream()).text(), /^(\d)\1{4}$/);
    deepStrictEqual(await Array.fromAsync(Deno.readDir(join(directory, ".temporary"))), []);
  }));

Deno.test("an upload that begins while another one ends does not write into its object", () =>
  withStore(async ({ store }) => {
    const [started, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* slow() {
      yield* chunks("hello");
      started.resolve();
      await ending.promise;
    }
    const first = upload(store, GRANT, { content: slow() });
    await started.promise;
    const { tryLock } = Deno.FsFile.prototype;
    // The first upload ends after the second one has opened the temporary file, and before it has locked it.
    Deno.FsFile.prototype.tryLock = async function (exclusive) {
      Deno.FsFile.prototype.tryLock = tryLock;
      ending.resolve();
      await first;
      return await tryLock.call(this, exclusive);
    };
    async function* broken() {
      yield* chunks("oth");
      strictEqual(await new Response((await store.open(GRANT.key))?.stream()).text(), "hello");
      throw new AppError("VALIDATION_FAILED", { reason: "incomplete" });
    }
    await assertRefused(upload(store, GRANT, { content: broken() }), "VALIDATION_FAILED", "broken");
    await upload(store, GRANT, { content: chunks("other") });
    strictEqual(await new Response((await store.open(GRANT.key))?.stream()).text(), "other");
  }));

Deno.test("the remains of a killed upload do not block its URL", () =>
  withStore(async ({ store, directory }) => {
    const folder = join(directory, ".temporary");
    let name = "";
    async function* breaking() {
      yield* chunks("hel");
      for await (const entry of Deno.readDir(folder)) name = entry.name;
      throw new AppError("VALIDATION_FAILED", { reason: "incomplete" });
    }
    await assertRefused(upload(store, GRANT, { content: breaking() }), "VALIDATION_FAILED", "broken");
    await Deno.writeTextFile(join(folder, name), "the remains, which are longer");
    await upload(store, GRANT);
    strictEqual(await new Response((await store.open(GRANT.key))?.stream()).text(), "hello");
  }));

Deno.test("an upload that differs from its presigned URL is refused, and nothing is stored", () =>
  withStore(async ({ store, directory }) => {
    const tampered = async (change: (query: URLSearchParams) => void) => {
      const query = await queryOf(store, GRANT);
      change(query);
      return { query };
    };
    const cases: [what: string, changes: Partial<IncomingUpload>][] = [
      ["another type", { contentType: "text/html" }],
      ["a type with a parameter", { contentType: "image/png; a=b" }],
      ["a type in another case", { contentType: "image/PNG" }],
      ["no type", { contentType: "" }],
      ["another key", { key: "uploads/u/1-b.png" }],
      ["a key that leaves the store", { key: "../secret" }],
      ["announced as larger", { announcedBytes: 6 }],
      ["announced as smaller", { announcedBytes: 4 }],
      ["larger", { content: chunks("hel", "lo!") }],
      ["smaller", { content: chunks("hell") }],
      ["empty", { content: chunks() }],
      ["no query", { query: new URLSearchParams() }],
      ["a later expiry", await tampered((query) => query.set("expires", String(Number(query.get("expires")) + 1)))],
      ["another size", await tampered((query) => query.set("size", "6"))],
      ["no size", await tampered((query) => query.delete("size"))],
      ["an additional parameter", await tampered((query) => query.append("x", "1"))],
      ["a parameter twice", await tampered((query) => query.append("expires", "9".repeat(15)))],
      ["a second signature", await tampered((query) => query.append("signature", "x"))],
      ["the signature twice", await tampered((query) => query.append("signature", query.get("signature")!))],
      ["no signature", await tampered((query) => query.delete("signature"))],
      ["a short signature", await tampered((query) => query.set("signature", query.get("signature")!.slice(2)))],
      ["a malformed signature", await tampered((query) => query.set("signature", "x".repeat(64)))],
      ["another signature", await tampered((query) => query.set("signature", "0".repeat(64)))],
    ];
    for (const [what, changes] of cases) await assertRefused(upload(store, GRANT, changes), "FORBIDDEN", what);
    await rejects(Deno.lstat(join(directory, "uploads")), Deno.errors.NotFound);
    deepStrictEqual(await Array.fromAsync(Deno.readDir(join(directory, ".temporary"))), []);
  }));

Deno.test("a URL signed with another secret is refused", () =>
  withStore(({ store: ours }) =>
    withStore(async ({ directory }) => {
      const settings = { directory, baseUrl: "http://foyer.test", uploadMaxBytes: 10, now: () => new Date(OPENED_AT) };
      const theirs = await createDiskStore({ ...settings, appSecret: "t".repeat(32) });
      const query = await queryOf(theirs, GRANT);
      await assertRefused(upload(ours, GRANT, { query }), "FORBIDDEN", "their URL");
      const previousAppSecrets = ["t".repeat(32)];
      const changed = await createDiskStore({ ...settings, appSecret: "n".repeat(32), previousAppSecrets });
      await upload(changed, GRANT, { query });
    })
  ));

Deno.test("without a declared size the configured limit applies", () =>
  withStore(async ({ store }) => {
    const grant = { ...GRANT, sizeBytes: undefined };
    await upload(store, grant, { content: chunks("01234", "56789") });
    strictEqual((await store.head(GRANT.key))?.sizeBytes, UPLOAD_MAX_BYTES);
    await assertRefused(upload(store, grant, { content: chunks("01234", "567890") }), "PAYLOAD_TOO_LARGE", "excess");
    await assertRefused(upload(store, grant, { announcedBytes: 11 }), "PAYLOAD_TOO_LARGE", "announced");
    strictEqual((await store.head(GRANT.key))?.sizeBytes, UPLOAD_MAX_BYTES);
  }));

Deno.test("reading an upload stops as soon as it is too large", () =>
  withStore(async ({ store }) => {
    let sentChunks = 0;
    async function* endless() {
      for (; sentChunks < 100; sentChunks++) yield* chunks("hello");
    }
    await assertRefused(upload(store, GRANT, { content: endless() }), "FORBIDDEN", "endless");
    strictEqual(sentChunks, 1);
  }));

Deno.test("an interrupted upload does not change the stored object", () =>
  withStore(async ({ store, directory }) => {
    await upload(store, GRANT);
    async function* breaking() {
      yield* chunks("HEL");
      throw new AppError("VALIDATION_FAILED", { reason: "incomplete" });
    }
    await assertRefused(upload(store, GRANT, { content: breaking() }), "VALIDATION_FAILED", "broken");
    strictEqual(await new Response((await store.open(GRANT.key))?.stream()).text(), "hello");
    deepStrictEqual(await Array.fromAsync(Deno.readDir(join(directory, ".temporary"))), []);
  }));
