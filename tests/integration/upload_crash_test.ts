import { deepStrictEqual, ok } from "node:assert/strict";
import { DAY_SECONDS, HOUR_SECONDS, SECOND_MS, secondsAfter } from "../../lib/duration.ts";
import type { Services } from "../../lib/services/services.ts";
import { confirmUpload } from "../../lib/uploads/confirm.ts";
import { uploadImage } from "../../lib/uploads/image.ts";
import { deleteUpload, discardUploads, restoreUploads } from "../../lib/uploads/library.ts";
import { presignUpload } from "../../lib/uploads/presign.ts";
import { receiveUpload } from "../../lib/uploads/receive.ts";
import { Crash, crashAfter } from "../support/app/crash.ts";
import { quarters } from "../support/images/pictures.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import {
  later,
  openUploader,
  setRowsSince,
  sweepAllUploads,
  sweepWholeStore,
  type Uploader,
} from "../support/uploads/upload_world.ts";

const app = await openSharedTestApp();
app.advance((Date.now() - app.services.now().getTime()) / SECOND_MS);
const { services } = app;
await setRowsSince(services, secondsAfter(services.now(), -10 * DAY_SECONDS));
const PNG = new Uint8Array(await quarters().png().toBuffer());
const MAX_STEPS = 60;

/** An action that may be interrupted. It prepares with `services`, and acts with the services that it is given. */
type Action = (user: Uploader) => Promise<(crashing: Services) => Promise<unknown>>;

const ACTIONS: Record<string, Action> = {
  "presigning": (user) =>
    Promise.resolve((crashing) => {
      const request = { filename: "a.txt", contentType: "text/plain", size: 5, visibility: "public" as const };
      return presignUpload(crashing, { ...request, userId: user.id });
    }),
  "an upload": async (user) => {
    const { key, presignedUrl } = await user.presign();
    const query = new URL(presignedUrl).searchParams;
    const content = async function* () {
      yield await Promise.resolve(new TextEncoder().encode("hello"));
    };
    return (crashing) => receiveUpload(crashing, { key, contentType: "text/plain", query, content: content() });
  },
  "a confirmation": async (user) => {
    const presigned = await user.presign();
    await user.put(presigned);
    return (crashing) => confirmUpload(crashing, { id: presigned.id, userId: user.id });
  },
  "a refused confirmation": async (user) => {
    const presigned = await user.presign({ contentType: "image/png" });
    await user.put(presigned, "hello", "image/png");
    return (crashing) =>
      confirmUpload(crashing, { id: presigned.id, userId: user.id }).catch((error) => {
        if (error instanceof Crash) throw error;
      });
  },
  "a deletion": async (user) => {
    const { id } = await user.store();
    return (crashing) => deleteUpload(crashing, { id, userId: user.id });
  },
  "the deletion of an image": async (user) => {
    const { id } = await user.image();
    return (crashing) => deleteUpload(crashing, { id, userId: user.id });
  },
  "an image upload": async (user) => {
    const image = await services.images.receive(ReadableStream.from([PNG]));
    const file = { name: "a.png", contentType: "image/png", image };
    return (crashing) => uploadImage(crashing, { userId: user.id, type: "post", file });
  },
  "a deletion that is undone": async (user) => {
    const { id } = await user.store();
    return async (crashing) => {
      await discardUploads(crashing, { userId: user.id, ids: [id] });
      await restoreUploads(crashing, user.id);
    };
  },
  "the sweep": async (user) => {
    const [deleted, kept] = [await user.store(), await user.presign()];
    await user.put(kept);
    await user.presign();
    await discardUploads(services, { userId: user.id, ids: [deleted.id] });
    return (crashing) => sweepAllUploads(later(crashing, 2 * DAY_SECONDS));
  },
};

for (const [name, prepare] of Object.entries(ACTIONS)) {
  Deno.test(`rows and objects agree after ${name} that ends at any step`, async () => {
    for (let steps = 0, isDone = false; !isDone; steps++) {
      ok(steps < MAX_STEPS, "the action never ends");
      const user = await openUploader(app);
      const act = await prepare(user);
      isDone = await act(crashAfter(steps, services)).then(() => true, (error) => {
        if (!(error instanceof Crash)) throw error;
        return false;
      });
      for (const seconds of [0, HOUR_SECONDS, 3 * DAY_SECONDS]) {
        await sweepAllUploads(later(services, seconds));
        await sweepWholeStore(later(services, seconds));
      }
      await sweepAllUploads(later(services, 4 * DAY_SECONDS));
      deepStrictEqual(await rowsOf(user.id), await objectsOf(user.id), `${steps} steps`);
    }
    deepStrictEqual(await strayImages(), []);
  });
}

/** The keys and entity tags of the user's rows. */
async function rowsOf(userId: string) {
  const rows = await services.db.selectFrom("uploads").select(["key", "etag"]).where("user_id", "=", userId).execute();
  return rows.map(({ key, etag }) => [key, etag]).sort();
}

/** The keys and entity tags of the user's files, and of the images in the rows. The key of an image names no user. */
async function objectsOf(userId: string) {
  const files = await Array.fromAsync(services.objects.list({ prefix: `uploads/${userId}/` }), ({ key }) => key);
  const rows = await services.db.selectFrom("uploads").select("key").where("user_id", "=", userId)
    .where("purpose", "<>", "file").execute();
  const keys = [...files, ...rows.map(({ key }) => key)];
  const states = await Promise.all(keys.map(async (key) => [key, (await services.objects.head(key))?.etag]));
  return states.sort();
}

/** The keys of images without a row. */
async function strayImages(): Promise<string[]> {
  const rows = await services.db.selectFrom("uploads").select("key").execute();
  const known = rows.map(({ key }) => key.replace(".webp", ""));
  const images = await Array.fromAsync(services.objects.list({ prefix: "images/" }), ({ key }) => key);
  return images.filter((image) => !known.some((key) => image.startsWith(key)));
}
