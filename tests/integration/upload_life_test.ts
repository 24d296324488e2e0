import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, HOUR_SECONDS, SECOND_MS, secondsAfter } from "../../lib/duration.ts";
import type { ObjectStore } from "../../lib/services/object_store.ts";
import type { Services } from "../../lib/services/services.ts";
import { confirmUpload } from "../../lib/uploads/confirm.ts";
import { uploadImage } from "../../lib/uploads/image.ts";
import { receiveUpload } from "../../lib/uploads/receive.ts";
import { quarters } from "../support/images/pictures.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { UPLOAD_CASES } from "../support/uploads/upload_cases.ts";
import {
  isStored,
  later,
  openUploader,
  setRowsSince,
  sweepAllUploads,
  sweepWholeStore,
} from "../support/uploads/upload_world.ts";

const app = await openSharedTestApp();
// The times of files are real.
app.advance((Date.now() - app.services.now().getTime()) / SECOND_MS);

for (const [title, run] of Object.entries(UPLOAD_CASES)) Deno.test(`on a disk, ${title}`, () => run(app));

Deno.test("on a disk, an upload can be replaced until it is confirmed, refused or deleted", async () => {
  const user = await openUploader(app);
  const [confirmed, deleted, refused] = [
    await user.presign(),
    await user.presign(),
    await user.presign({ contentType: "image/png" }),
  ];
  for (const each of [confirmed, deleted]) strictEqual(await user.put(each, "first"), 200);
  deepStrictEqual((await user.list()).map(({ status }) => status), ["pending", "stored", "stored"]);
  strictEqual(await user.put(confirmed, "again"), 200);
  strictEqual((await user.confirm(confirmed.id)).status, 200);
  strictEqual(await user.put(refused, "<html", "image/png"), 200);
  strictEqual((await user.confirm(refused.id)).status, 400);
  strictEqual((await user.delete(deleted.id)).status, 204);
  for (const each of [confirmed, deleted]) strictEqual(await user.put(each, "later"), 403);
  strictEqual(await user.put(refused, "later", "image/png"), 403);
  strictEqual(await (await app.client().get(`/files/${confirmed.key}`)).text(), "again");
  for (const each of [deleted, refused]) strictEqual(await isStored(app.services, each.key), false);
});

Deno.test("on a disk, an upload that takes more than a day is refused", async () => {
  const user = await openUploader(app);
  const { id, key, presignedUrl } = await user.presign();
  const query = new URL(presignedUrl).searchParams;
  async function* content() {
    yield new TextEncoder().encode("he");
    await sweepAllUploads(later(app.services, HOUR_SECONDS));
    await sweepAllUploads(later(app.services, 2 * DAY_SECONDS));
    yield new TextEncoder().encode("llo");
  }
  const upload = { key, contentType: "text/plain", query, content: content() };
  await rejects(receiveUpload(app.services, upload), { code: "FORBIDDEN" });
  strictEqual(await isStored(app.services, key), false, id);
});

Deno.test("on a disk, a confirmation that refuses an older version leaves a confirmed one alone", async () => {
  const user = await openUploader(app);
  const presigned = await user.presign({ contentType: "image/gif", size: 6 });
  strictEqual(await user.put(presigned, "<html>", "image/gif"), 200);
  const confirm = { id: presigned.id, userId: user.id };
  const readStart: ObjectStore["readStart"] = async (...parameters) => {
    const start = await app.services.objects.readStart(...parameters);
    strictEqual(await user.put(presigned, "GIF89a", "image/gif"), 200);
    strictEqual((await user.confirm(presigned.id)).status, 200);
    return start;
  };
  const objects = { ...app.services.objects, readStart };
  await rejects(confirmUpload({ ...app.services, objects }, confirm), { code: "FILE_SIGNATURE_MISMATCH" });
  deepStrictEqual((await user.list()).map(({ status }) => status), ["stored"]);
  strictEqual(await isStored(app.services, presigned.key), true);
});

Deno.test("the row of an image that is deleted in the moment in which it is recorded goes too", async () => {
  const user = await openUploader(app);
  const { db } = app.services;
  const transaction = () => ({
    async execute(act: Parameters<ReturnType<Services["db"]["transaction"]>["execute"]>[0]) {
      const result = await db.transaction().execute(act);
      for (const { id, status } of await user.list()) {
        if (status === "stored") strictEqual((await user.delete(String(id))).status, 204);
      }
      return result;
    },
  });
  const updateTable: Services["db"]["updateTable"] = db.updateTable.bind(db);
  const deleting = { ...app.services, db: { transaction, updateTable } as unknown as Services["db"] };
  using image = await app.services.images.receive(
    ReadableStream.from([new Uint8Array(await quarters().png().toBuffer())]),
  );
  const file = { name: "a.png", contentType: "image/png", image };
  const { id, key } = await uploadImage(deleting, { userId: user.id, type: "post", file });
  strictEqual(await isStored(app.services, key), false);
  await sweepAllUploads(later(app.services, 2 * DAY_SECONDS));
  deepStrictEqual(await db.selectFrom("uploads").select("id").where("id", "=", id).execute(), []);
});

Deno.test("an image whose upload was interrupted cannot be confirmed", async () => {
  const user = await openUploader(app);
  const { id } = await user.image("post");
  await app.services.db.updateTable("uploads").set({ state: "pending", etag: null }).where("id", "=", id).execute();
  strictEqual((await user.confirm(id)).status, 409);
  deepStrictEqual((await user.list()).map(({ status }) => status), ["pending"]);
});

Deno.test("an object that cannot be deleted does not keep the sweep from others", async () => {
  const user = await openUploader(app);
  const keys = ["a", "b"].map((name) => `uploads/${user.id}/${crypto.randomUUID()}-${name}`).sort();
  for (const key of keys) await app.services.objects.put(key, new Uint8Array(1), "text/plain");
  await setRowsSince(app.services, secondsAfter(app.services.now(), -10 * DAY_SECONDS));
  const objects: ObjectStore = {
    ...app.services.objects,
    delete: (key) => key === keys[0] ? Promise.reject(new Error("refused")) : app.services.objects.delete(key),
  };
  await sweepWholeStore(later({ ...app.services, objects }, 3 * DAY_SECONDS));
  deepStrictEqual(await Promise.all(keys.map((key) => isStored(app.services, key))), [true, false]);
  match(app.logLines.at(-1)!, /object without a row not deleted/);
});

Deno.test("the uploads of others cannot be confirmed, deleted or listed", async () => {
  const [user, stranger, guest] = [await openUploader(app), await openUploader(app), app.client()];
  const { id } = await user.store();
  for (const unknown of [id, crypto.randomUUID(), "x", "%00"]) {
    strictEqual((await stranger.confirm(unknown)).status, 404, unknown);
    strictEqual((await stranger.delete(unknown)).status, 404, unknown);
  }
  deepStrictEqual(await stranger.list(), []);
  for (const [method, path] of [["GET", ""], ["POST", `/${id}/confirm`], ["DELETE", `/${id}`]]) {
    strictEqual((await guest.request(`/api/uploads${path}`, { method })).status, 401, method);
  }
  strictEqual((await user.list()).length, 1);
});

Deno.test("the list is paged, newest first", async () => {
  const user = await openUploader(app);
  const ids = [];
  for (let i = 0; i < 5; i++) ids.unshift((await user.presign()).id);
  const page = async (query: string) => await (await user.client.get(`/api/uploads?${query}`)).json();
  const listed = [];
  let cursor = "";
  for (const size of [2, 2, 1]) {
    const { data, nextCursor } = await page(`limit=2${cursor}`);
    strictEqual(data.length, size);
    listed.push(...data.map(({ id }: { id: string }) => id));
    cursor = nextCursor && `&cursor=${nextCursor}`;
  }
  deepStrictEqual([listed, cursor], [ids, null]);
  strictEqual((await page("limit=501")).code, "VALIDATION_FAILED");
  strictEqual((await page("other=1")).code, "VALIDATION_FAILED");
});

Deno.test("storing and deleting a file are each recorded once", async () => {
  const user = await openUploader(app);
  const { id } = await user.store();
  strictEqual((await user.confirm(id)).status, 200);
  strictEqual((await user.delete(id)).status, 204);
  const { data } = await (await user.client.get("/api/account/events")).json();
  const events: { kind: string; details: unknown }[] = data;
  const ofUploads = events.filter(({ kind }) => kind.startsWith("upload."));
  deepStrictEqual(ofUploads.map(({ kind, details }) => [kind, details]), [
    ["upload.deleted", { upload: id, name: "a.txt" }],
    ["upload.stored", { upload: id, name: "a.txt" }],
  ]);
});

Deno.test("a replaced photo is deleted at once, unless another profile shows it", async () => {
  const [user, other] = [await openUploader(app), await openUploader(app)];
  const show = async ({ client }: typeof user, avatar: string) =>
    strictEqual((await client.send("PUT", "/api/profile", { avatar })).status, 200);
  const [replaced, shared, last] = [await user.image(), await user.image(), await user.image()];
  let wakes = 0;
  const { uploadSignal } = app.services;
  app.services.uploadSignal = { ...uploadSignal, wake: () => void wakes++ };
  await show(other, shared.url);
  for (const { url } of [replaced, shared, last]) await show(user, url);
  app.services.uploadSignal = uploadSignal;
  strictEqual(wakes, 2, "the user has replaced two photos");
  await sweepAllUploads(app.services);
  const stored = await Promise.all([replaced, shared, last].map(({ key }) => isStored(app.services, key)));
  deepStrictEqual(stored, [false, true, true]);
});
