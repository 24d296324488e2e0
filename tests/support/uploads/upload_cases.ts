import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../../../lib/duration.ts";
import type { Visibility } from "../../../lib/uploads/schema.ts";
import { deleteUploadsOf, uploadsOf } from "../../../lib/uploads/library.ts";
import { objectKeys } from "../../../lib/uploads/object_key.ts";
import { usedBytes } from "../../../lib/uploads/quota.ts";
import type { TestApp } from "../app/test_app.ts";
import { isStored, later, openUploader, setRowsSince, sweepAllUploads, sweepWholeStore, WIDE } from "./upload_world.ts";

const HTML = "<!doctype html><script>alert(1)</script>";

type Case = (app: TestApp) => Promise<void>;

/** The rules of uploads that hold for both stores. The clock of the app must be near the real time. */
export const UPLOAD_CASES: Record<string, Case> = {
  ...named("public", fileCases("public")),
  ...named("private", fileCases("private")),
  "confirmations and lists show the visibility, and lists filter by it": async (app) => {
    const user = await openUploader(app);
    const open = await user.store();
    const hidden = await user.store("hidden", "private");
    const image = await user.image();
    deepStrictEqual([hidden.visibility, hidden.key.startsWith(`private/${user.id}/`)], ["private", true]);
    const { data } = await (await user.confirm(hidden.id)).json();
    strictEqual(data.visibility, "private");
    const listed = async (query: string) => {
      const { data } = await (await user.client.get(`/api/uploads${query}`)).json();
      return data.map(({ id, visibility }: Record<string, unknown>) => [id, visibility]);
    };
    const [first, second, third] = [[image.id, "public"], [hidden.id, "private"], [open.id, "public"]];
    deepStrictEqual(await listed(""), [first, second, third]);
    deepStrictEqual(await listed("?visibility=private"), [second]);
    deepStrictEqual(await listed("?visibility=public"), [first, third]);
    const page = await (await user.client.get("/api/uploads?visibility=public&limit=1")).json();
    deepStrictEqual(await listed(`?visibility=public&cursor=${page.nextCursor}`), [third]);
    for (const query of ["?visibility=", "?visibility=Private", "?visibility=public&visibility=private"]) {
      const refused = await user.client.get(`/api/uploads${query}`);
      deepStrictEqual([refused.status, Object.keys((await refused.json()).details)], [400, ["visibility"]], query);
    }
  },

  "an image counts what it weighs, and is deleted with its smaller copies": async (app) => {
    const user = await openUploader(app);
    const { id, key } = await user.image("post", WIDE);
    const heads = await Promise.all(objectKeys(key).map((each) => app.services.objects.head(each)));
    const bytes = heads.reduce((sum, head) => sum + (head?.sizeBytes ?? 0), 0);
    strictEqual(heads.filter((head) => head !== null).length, 3);
    strictEqual(await usedBytes(app.services.db, user.id), bytes);
    const [{ purpose, status, filename, contentType, size }] = await user.list();
    strictEqual(size, (await app.services.objects.head(key))!.sizeBytes, "the list shows the image without its copies");
    await app.services.db.updateTable("uploads").set({ declared_bytes: null }).where("id", "=", id).execute();
    strictEqual((await user.list())[0].size, bytes, "an image of the first rows has no size of its own");
    await sweepWholeStore(app.services);
    strictEqual((await user.list())[0].size, size, "the sweep records it");
    deepStrictEqual([purpose, status, filename, contentType], ["post", "stored", "me.png", "image/webp"]);
    await sweepAllUploads(later(app.services, 3 * DAY_SECONDS));
    strictEqual(await isStored(app.services, key), true);
    strictEqual((await user.delete(id)).status, 204);
    for (const each of objectKeys(key)) strictEqual(await isStored(app.services, each), false, each);
  },

  "a replaced photo is deleted once no profile shows it": async (app) => {
    const [user, other] = [await openUploader(app), await openUploader(app)];
    const setAvatar = async (client: typeof user.client, avatar: string | null) =>
      strictEqual((await client.send("PUT", "/api/profile", { avatar })).status, 200);
    const [first, unused, second] = [await user.image(), await user.image(), await user.image()];
    await setAvatar(user.client, first.url);
    await setAvatar(other.client, `${first.url}?v=2`);
    await setAvatar(user.client, second.url);
    const states = async (seconds: number) => {
      await sweepAllUploads(later(app.services, seconds));
      return await Promise.all([first, unused, second].map(({ key }) => isStored(app.services, key)));
    };
    deepStrictEqual(await states(2 * HOUR_SECONDS), [true, true, true], "the other profile shows the first photo");
    await setAvatar(other.client, null);
    deepStrictEqual(await states(2 * HOUR_SECONDS + 2 * DAY_SECONDS), [false, true, true]);
    const gone = await other.client.send("PUT", "/api/profile", { avatar: first.url });
    strictEqual(gone.status, 200, "the address of a row that is gone is any address");
  },
};

function named(visibility: Visibility, cases: Record<string, Case>): Record<string, Case> {
  return Object.fromEntries(Object.entries(cases).map(([title, run]) => [`${title}, if files are ${visibility}`, run]));
}

/** The rules that public and private files share. */
function fileCases(visibility: Visibility): Record<string, Case> {
  const folder = visibility === "private" ? "private" : "uploads";
  return {
    "a confirmed upload is listed with its size until it is deleted": async (app) => {
      const user = await openUploader(app, visibility);
      const presigned = await user.presign({ filename: "my notes.txt", size: undefined });
      strictEqual((await (await user.confirm(presigned.id)).json()).code, "NOT_UPLOADED");
      strictEqual(await user.put(presigned, "some notes"), 200);
      const { data } = await (await user.confirm(presigned.id)).json();
      deepStrictEqual(data, {
        id: presigned.id,
        key: presigned.key,
        url: presigned.publicUrl,
        filename: "my notes.txt",
        contentType: "text/plain",
        size: 10,
        purpose: "file",
        visibility,
        status: "stored",
        createdAt: data.createdAt,
      });
      deepStrictEqual(await user.list(), [data]);
      deepStrictEqual(await (await user.confirm(presigned.id)).json(), { data });
      const deleted = await user.delete(presigned.id);
      deepStrictEqual([deleted.status, await deleted.text()], [204, ""]);
      deepStrictEqual(await user.list(), []);
      strictEqual(await isStored(app.services, presigned.key), false);
      strictEqual((await user.delete(presigned.id)).status, 404);
      strictEqual((await user.confirm(presigned.id)).status, 404);
      strictEqual(await usedBytes(app.services.db, user.id), 0);
    },

    "HTML that was declared as a PNG is refused and deleted": async (app) => {
      const user = await openUploader(app, visibility);
      const presigned = await user.presign({ filename: "a.png", contentType: "image/png", size: HTML.length });
      strictEqual(await user.put(presigned, HTML, "image/png"), 200);
      const refused = await user.confirm(presigned.id);
      deepStrictEqual([refused.status, (await refused.json()).code], [400, "FILE_SIGNATURE_MISMATCH"]);
      strictEqual(await isStored(app.services, presigned.key), false);
      strictEqual((await user.confirm(presigned.id)).status, 409);
      strictEqual(await usedBytes(app.services.db, user.id), 0);
      deepStrictEqual((await user.list()).map(({ status }) => status), ["refused"]);
      await sweepAllUploads(later(app.services, 2 * DAY_SECONDS));
      deepStrictEqual(await user.list(), []);
    },

    "a day later, what has arrived is kept if it is of its type": async (app) => {
      const user = await openUploader(app, visibility);
      const kept = await user.presign();
      const html = await user.presign({ contentType: "application/pdf", size: HTML.length });
      const unused = await user.presign();
      strictEqual(await user.put(kept), 200);
      strictEqual(await user.put(html, HTML, "application/pdf"), 200);
      await sweepAllUploads(later(app.services, HOUR_SECONDS));
      strictEqual(await usedBytes(app.services.db, user.id), 5 + HTML.length, "the unused space is released");
      strictEqual((await user.list()).length, 3);
      await sweepAllUploads(later(app.services, DAY_SECONDS + HOUR_SECONDS));
      deepStrictEqual(
        (await user.list()).map(({ id, status }) => [id, status]),
        [[kept.id, "stored"]],
        `refused ${html.id}, unused ${unused.id}`,
      );
      strictEqual(await isStored(app.services, kept.key), true);
      strictEqual(await isStored(app.services, html.key), false);
      const { check_at } = await app.services.db.selectFrom("uploads").select("check_at").where("id", "=", kept.id)
        .executeTakeFirstOrThrow();
      strictEqual(check_at, null);
    },

    "with UPLOAD_UNCONFIRMED=delete, only confirmed uploads are kept": async (app) => {
      const user = await openUploader(app, visibility);
      const confirmed = await user.store();
      const unconfirmed = await user.presign();
      strictEqual(await user.put(unconfirmed), 200);
      const config = { ...app.services.config, uploadUnconfirmed: "delete" as const };
      await sweepAllUploads(later({ ...app.services, config }, DAY_SECONDS + HOUR_SECONDS));
      strictEqual(await isStored(app.services, confirmed.key), true);
      strictEqual(await isStored(app.services, unconfirmed.key), false);
    },

    "what arrives for a deleted upload is deleted again": async (app) => {
      const user = await openUploader(app, visibility);
      const presigned = await user.store();
      strictEqual((await user.delete(presigned.id)).status, 204);
      await app.services.objects.put(presigned.key, new TextEncoder().encode("again"), "text/plain");
      await sweepAllUploads(later(app.services, DAY_SECONDS + HOUR_SECONDS));
      strictEqual(await isStored(app.services, presigned.key), false);
      deepStrictEqual(
        await app.services.db.selectFrom("uploads").select("id").where("id", "=", presigned.id).execute(),
        [],
      );
    },

    "a checked object that was replaced is checked again": async (app) => {
      const user = await openUploader(app, visibility);
      const presigned = await user.presign({ contentType: "image/gif", size: 6 });
      strictEqual(await user.put(presigned, "GIF89a", "image/gif"), 200);
      strictEqual((await user.confirm(presigned.id)).status, 200);
      await app.services.objects.put(presigned.key, new TextEncoder().encode("<html>"), "image/gif");
      await sweepAllUploads(later(app.services, DAY_SECONDS + HOUR_SECONDS));
      strictEqual(await isStored(app.services, presigned.key), false);
    },

    "objects without a row are deleted after two days, and nothing else is": async (app) => {
      const user = await openUploader(app, visibility);
      const owned = await user.store();
      const post = await user.image("post");
      const orphan = `${folder}/${user.id}/${crypto.randomUUID()}-orphan.txt`;
      const image = `images/post/${crypto.randomUUID()}.webp`;
      const foreign = ["images/logo.png", `${folder}/readme.txt`, "other/file.txt"];
      for (const key of [orphan, image, ...foreign]) {
        await app.services.objects.put(key, new TextEncoder().encode("x"), "text/plain");
      }
      await setRowsSince(app.services, secondsAfter(app.services.now(), -10 * DAY_SECONDS));
      const states = async (seconds: number) => {
        await sweepWholeStore(later(app.services, seconds));
        const keys = [owned.key, post.key, ...foreign, orphan, image];
        return await Promise.all(keys.map((key) => isStored(app.services, key)));
      };
      deepStrictEqual(await states(DAY_SECONDS), Array(7).fill(true));
      deepStrictEqual(await states(3 * DAY_SECONDS), [...Array(5).fill(true), false, false]);
    },

    "objects from before the rows get the rows of their owners": async (app) => {
      const [user, stranger] = [await openUploader(app, visibility), await openUploader(app, visibility)];
      const keys = {
        file: `${folder}/${user.id}/${crypto.randomUUID()}-old_notes.txt`,
        gone: `${folder}/${crypto.randomUUID()}/${crypto.randomUUID()}-old.txt`,
        avatar: `images/avatar/${crypto.randomUUID()}.webp`,
        unshown: `images/avatar/${crypto.randomUUID()}.webp`,
        post: `images/post/${crypto.randomUUID()}.webp`,
      };
      const { objects } = app.services;
      for (const key of Object.values(keys)) await objects.put(key, new TextEncoder().encode("old"), "text/plain");
      const avatar = objects.publicUrl(keys.avatar);
      strictEqual((await stranger.client.send("PUT", "/api/profile", { avatar })).status, 200);
      await setRowsSince(app.services, app.services.now());
      for (let runs = 0; runs < 2; runs++) await sweepWholeStore(later(app.services, 3 * DAY_SECONDS));
      const states = await Promise.all(Object.values(keys).map((key) => isStored(app.services, key)));
      deepStrictEqual(Object.keys(keys).filter((_, index) => states[index]), ["file", "avatar", "post"]);
      const view = async (who: typeof user) =>
        (await who.list()).map(({ key, filename, size, status, purpose }) => [key, filename, size, status, purpose]);
      deepStrictEqual(await view(user), [[keys.file, "old_notes.txt", 3, "stored", "file"]]);
      const filename = keys.avatar.slice("images/avatar/".length);
      deepStrictEqual(await view(stranger), [[keys.avatar, filename, 3, "stored", "avatar"]]);
      await sweepAllUploads(later(app.services, 3 * DAY_SECONDS));
      deepStrictEqual([(await user.list()).length, (await stranger.list()).length], [1, 1]);
    },

    "the objects of a deleted user are deleted": async (app) => {
      const user = await openUploader(app, visibility);
      const [file, image] = [await user.store(), await user.image("avatar", WIDE)];
      await app.services.db.deleteFrom("users").where("id", "=", user.id).execute();
      await sweepAllUploads(app.services);
      for (const key of [file.key, ...objectKeys(image.key)]) {
        strictEqual(await isStored(app.services, key), false, key);
      }
    },

    "all uploads of one user can be listed and deleted": async (app) => {
      const [user, other] = [await openUploader(app, visibility), await openUploader(app, visibility)];
      const kept = await other.store();
      const files = [await user.store(), await user.store("a second file")];
      const image = await user.image();
      const keys = [...files.map(({ key }) => key), image.key];
      deepStrictEqual(await Array.fromAsync(uploadsOf(app.services, user.id), ({ key }) => key), keys);
      await deleteUploadsOf(app.services, user.id);
      deepStrictEqual(await Array.fromAsync(uploadsOf(app.services, user.id)), []);
      for (const key of keys) strictEqual(await isStored(app.services, key), false, key);
      strictEqual(await isStored(app.services, kept.key), true);
    },

    "rows and objects agree after uploads, confirmations, deletions and sweeps at once": async (app) => {
      const { services } = app;
      const users = await Promise.all([openUploader(app, visibility), openUploader(app, visibility)]);
      const kept: string[] = [];
      const live = async (index: number) => {
        const user = users[index % 2];
        const presigned = await user.presign({ contentType: index % 3 === 0 ? "application/pdf" : "text/plain" });
        const put = () =>
          user.put(presigned, index % 6 === 0 ? "%PDF-" : "hello", index % 3 === 0 ? "application/pdf" : "text/plain");
        const isDeleted = index % 4 === 1;
        if (index % 2 === 0) await put();
        const acts = [put, put, () => user.confirm(presigned.id), () => user.confirm(presigned.id)];
        if (isDeleted) acts.push(() => user.delete(presigned.id));
        const results = await Promise.all(shuffled(acts).map((act) => act()));
        const isConfirmed = results.some((result) => typeof result !== "number" && result.status === 200);
        if (isConfirmed && !isDeleted) kept.push(presigned.key);
      };
      const sweeps = Array.from({ length: 6 }, (_, index) => async () => {
        await sweepAllUploads(index % 2 === 0 ? services : later(services, HOUR_SECONDS));
        await sweepWholeStore(services);
      });
      const lives = Array.from({ length: 24 }, (_, index) => () => live(index));
      await Promise.all(shuffled([...sweeps, ...lives]).map((act) => act()));
      for (let runs = 0; runs < 2; runs++) {
        const after = later(services, 3 * DAY_SECONDS);
        await Promise.all([
          sweepAllUploads(after),
          sweepAllUploads(after),
          sweepWholeStore(after),
          sweepWholeStore(after),
        ]);
      }
      for (const user of users) {
        const rows = await Array.fromAsync(
          uploadsOf(services, user.id),
          ({ key, state, bytes, etag }) => [key, state, bytes, etag],
        );
        const objects = await Array.fromAsync(services.objects.list({ prefix: `${folder}/${user.id}/` }));
        const stored = await Promise.all(objects.map(async ({ key }) => {
          const { sizeBytes, etag } = (await services.objects.head(key))!;
          return [key, "stored", sizeBytes, etag];
        }));
        deepStrictEqual(rows.sort(), stored.sort());
      }
      for (const key of kept) strictEqual(await isStored(services, key), true, key);
      strictEqual(kept.length > 0, true);
    },
  };
}

function shuffled<T>(items: T[]): T[] {
  return items.map((item) => ({ item, order: Math.random() })).sort((a, b) => a.order - b.order).map(({ item }) =>
    item
  );
}
