import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { MINUTE_SECONDS, SECOND_MS } from "../../lib/duration.ts";
import { variantOf } from "../../lib/uploads/rules.ts";
import { UNDO_MINUTES } from "../../lib/uploads/library.ts";
import { imageKey } from "../../lib/uploads/object_key.ts";
import { readPage } from "../support/app/page_reader.ts";
import { BASE_URL, openSharedTestApp } from "../support/app/test_app.ts";
import { isStored, later, openUploader, sweepAllUploads, type Uploader } from "../support/uploads/upload_world.ts";

const app = await openSharedTestApp({
  UPLOAD_QUOTA_BYTES: String(100 * 1024),
  UPLOAD_MAX_BYTES: String(5 * 1024 ** 3),
});
app.advance((Date.now() - app.services.now().getTime()) / SECOND_MS);

/** Opens the page and returns it with the ids of the files. */
async function library({ client }: Uploader, query = "") {
  const page = await readPage(client.get(`/uploads${query}`));
  return { page, text: page.text, ids: page.findAll('[type="checkbox"][name]').map((box) => box.getAttribute("name")) };
}

const remove = ({ client }: Uploader, ids: string[]) =>
  client.submit("/uploads", { action: "delete", ...Object.fromEntries(ids.map((id) => [id, "on"])) });

Deno.test("the page lists stored files with their sizes, and the space that they take", async () => {
  const user = await openUploader(app);
  const empty = await library(user);
  match(empty.text, /0 bytes of 100 KB used\. .*No files yet/);
  match(empty.page.textAt(".empty")!, /^No files yet/);
  const foreign = await (await openUploader(app)).store();
  const pending = await user.presign({ filename: "pending.txt" });
  const file = await user.store("x".repeat(2000));
  const image = await user.image();
  const { page, text, ids } = await library(user);
  deepStrictEqual(ids, [image.id, file.id]);
  ok(page.find(`img[src="${image.url}"]`), "an image is its own thumbnail");
  strictEqual(page.find(`a[href="${file.publicUrl}"][download]`).getAttribute("download"), "a.txt");
  match(page.find(`a[href="${image.url}"][download]`).getAttribute("download") ?? "", /\.webp$/);
  match(text, /2(\.\d)? KB of 100 KB used/);
  match(text, /Anyone with the link · 1\.9 KB · Uploaded/);
  for (const { key } of [pending, foreign]) ok(!page.html.includes(key));
});

Deno.test("a private image is its own thumbnail for its owner, unless loading it each time would take long", async () => {
  const user = await openUploader(app, "private");
  const images = [await user.store(), await user.store()];
  for (const [index, { id }] of images.entries()) {
    const changes = { content_type: "image/png", bytes: 512 * 1024 + index };
    await app.services.db.updateTable("uploads").set(changes).where("id", "=", id).execute();
  }
  const { page } = await library(user);
  deepStrictEqual(images.map(({ publicUrl }) => page.findAll(`img[src="${publicUrl}"]`).length), [1, 0]);
});

Deno.test("the page loads the smallest copy of an image, whatever it was uploaded for", async () => {
  for (const [purpose, width] of [["avatar", 128], ["post", 640]] as const) {
    const user = await openUploader(app);
    const key = imageKey(purpose, { variants: 2 });
    await app.services.db.updateTable("uploads").set({ key }).where("id", "=", (await user.image()).id).execute();
    const { page } = await library(user);
    ok(page.html.includes(`${variantOf(app.services.objects.publicUrl(key), width)} ${width}w`), purpose);
  }
});

Deno.test("an image that has only the smaller copy is shown by it", async () => {
  const user = await openUploader(app);
  const { url } = await user.image("avatar", [300, 8]);
  const { page } = await library(user);
  strictEqual(page.find("img[srcset]").getAttribute("srcset"), `${variantOf(url, 128)} 128w, ${url} 512w`);
});

Deno.test("files are found by a part of their names", async () => {
  const user = await openUploader(app);
  ok(!(await library(user)).page.fieldNames.includes("query"));
  const ids: string[] = [];
  for (const name of ["Minutes 100%.txt", "minutes_old.txt", "photo.txt"]) {
    const file = await user.store(name);
    await app.services.db.updateTable("uploads").set({ filename: name }).where("id", "=", file.id).execute();
    ids.unshift(file.id);
  }
  const cases: [query: string, found: string[]][] = [
    ["MINUTES", ids.slice(1)],
    ["%25", [ids[2]]],
    ["_", [ids[1]]],
    ["+minutes+", ids.slice(1)],
    ["", ids],
    ["nothing", []],
  ];
  for (const [query, found] of cases) {
    deepStrictEqual((await library(user, `?query=${query}`)).ids, found, query);
  }
  match((await library(user, "?query=nothing")).text, /No files found\. Show all files/);
  strictEqual((await library(user, "?query=MINUTES")).page.field("query").value, "MINUTES");
  strictEqual((await user.client.get(`/uploads?query=${"x".repeat(256)}`)).status, 400);
});

Deno.test("without scripts, the page names the limit of its form, which is lower than that of direct uploads", async () => {
  match((await library(await openUploader(app))).text, /Up to 25 MB/);
});

Deno.test("chosen files are deleted together, and can be restored for a few minutes", async () => {
  const [user, stranger] = [await openUploader(app), await openUploader(app)];
  const [first, second, third] = [await user.store(), await user.store(), await user.store()];
  const foreign = await stranger.store();
  const response = await remove(user, [first.id, second.id, foreign.id, "x"]);
  deepStrictEqual([response.status, response.headers.get("Location")], [303, "/uploads#files"]);
  const page = await library(user);
  deepStrictEqual(page.ids, [third.id]);
  match(page.text, /2 files deleted .*a\.txt, a\.txt .*Undo/);
  deepStrictEqual((await user.list()).map(({ id }) => id), [third.id]);
  deepStrictEqual((await stranger.list()).map(({ id }) => id), [foreign.id]);
  await sweepAllUploads(later(app.services, UNDO_MINUTES * MINUTE_SECONDS - 1));
  strictEqual((await user.client.submit("/uploads", { action: "restore" })).status, 303);
  deepStrictEqual((await library(user)).ids, [third.id, second.id, first.id]);

  await remove(user, [first.id]);
  await sweepAllUploads(later(app.services, UNDO_MINUTES * MINUTE_SECONDS));
  strictEqual((await user.client.submit("/uploads", { action: "restore" })).status, 303);
  deepStrictEqual((await library(user)).ids, [third.id, second.id]);
  deepStrictEqual(await Promise.all([first, second].map(({ key }) => isStored(app.services, key))), [false, true]);
});

Deno.test("a deleted photo leaves the profile too", async () => {
  const user = await openUploader(app);
  const { id, url } = await user.image();
  await user.client.send("PUT", "/api/profile", { avatar: url });
  strictEqual((await user.client.request(`/api/uploads/${id}`, { method: "DELETE" })).status, 204);
  strictEqual((await (await user.client.get("/api/profile")).json()).user.avatar, null);
});

Deno.test("the page marks the photo of the profile, and does not delete it", async () => {
  const user = await openUploader(app);
  const [photo, replaced, file] = [await user.image(), await user.image(), await user.store()];
  await user.client.send("PUT", "/api/profile", { avatar: photo.url });
  const before = await library(user);
  deepStrictEqual(before.ids, [file.id, replaced.id], "no checkbox sends the photo");
  strictEqual(before.text.split("Profile photo Change it on your profile").length, 2);
  await remove(user, [photo.id, replaced.id, file.id]);
  const after = await library(user);
  deepStrictEqual(after.ids, []);
  match(after.text, /2 files deleted/);
  await sweepAllUploads(later(app.services, UNDO_MINUTES * MINUTE_SECONDS));
  strictEqual((await (await user.client.get("/api/profile")).json()).user.avatar, photo.url);
  strictEqual(await isStored(app.services, photo.key), true);
  match((await library(user)).text, /Profile photo/);
});

Deno.test("the form says when no file is chosen, and refuses unknown actions", async () => {
  const user = await openUploader(app);
  await remove(user, []);
  match((await library(user)).page.notice!, /Select at least one file/);
  strictEqual((await user.client.submit("/uploads", { action: "burn" })).status, 400);
  strictEqual((await app.client().submit("/uploads", { action: "restore" })).status, 401);
});

Deno.test("the page names ten of the deleted files, and counts the others", async () => {
  const user = await openUploader(app);
  const ids = [];
  for (let i = 0; i < 12; i++) ids.push((await user.store()).id);
  await remove(user, ids);
  const { text } = await library(user);
  ok(!text.includes("No files yet"), "the files can still be restored");
  match(text, /12 files deleted (a\.txt, ){9}a\.txt and 2 more Links/);
});

Deno.test("the library has pages", async () => {
  const user = await openUploader(app);
  const ids = [];
  for (let i = 0; i < 25; i++) ids.unshift((await user.store()).id);
  const first = await library(user);
  deepStrictEqual(first.ids, ids.slice(0, 24));
  const next = first.page.find('a[href^="/uploads?cursor="]').getAttribute("href")!;
  deepStrictEqual((await library(user, new URL(next, BASE_URL).search)).ids, ids.slice(24));
  strictEqual((await user.client.get("/uploads?cursor=x")).status, 400);
});

Deno.test("the page refuses a file whose content does not match its type", async () => {
  const user = await openUploader(app);
  const form = new FormData();
  form.set("file", new File(["<html>"], "a.png", { type: "image/png" }));
  const response = await user.client.request("/uploads", { method: "POST", body: form, headers: { Origin: BASE_URL } });
  strictEqual(response.status, 400);
  match(await response.text(), /contents don’t match the file’s name/);
  deepStrictEqual((await library(user)).ids, []);
});

Deno.test("only photos below the fold are loaded as they come into view", async () => {
  const user = await openUploader(app);
  const { url } = await user.image();
  await user.client.send("PUT", "/api/profile", { avatar: url });
  const isLazy = async (path: string) => {
    const images = (await readPage(user.client.get(path))).findAll(`img[src="${url}"]`);
    return images.map((image) => image.getAttribute("loading") === "lazy");
  };
  deepStrictEqual(await isLazy("/profile"), [false, false, false], "header, preview and form");
  deepStrictEqual((await isLazy("/users")).sort(), [false, true], "header and list");
});
