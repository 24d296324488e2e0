import { strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { SECOND_MS, secondsAfter } from "../../../lib/duration.ts";
import type { Visibility } from "../../../lib/uploads/schema.ts";
import type { Services } from "../../../lib/services/services.ts";
import { sweepUploads } from "../../../lib/uploads/due_uploads.ts";
import { sweepStore } from "../../../lib/uploads/store_sweep.ts";
import { type Registered, registerUser } from "../app/accounts.ts";
import { type Color, quarters } from "../images/pictures.ts";
import type { TestApp, UsedApp } from "../app/test_app.ts";

/** A presigned upload, as the API returns it. */
export interface Presigned {
  id: string;
  presignedUrl: string;
  publicUrl: string;
  key: string;
  visibility: Visibility;
}

type ImageSize = [width: number, height: number];

/** Someone who uploads files through the API. */
export interface Uploader extends Registered {
  presign(request?: Record<string, unknown>): Promise<Presigned>;
  /** Sends the content to a presigned URL. Returns the status. */
  put(presigned: Presigned, content?: BodyInit, contentType?: string): Promise<number>;
  confirm(id: string): Promise<Response>;
  delete(id: string): Promise<Response>;
  /** Returns the uploads of the first page. */
  list(): Promise<Record<string, unknown>[]>;
  /** Presigns, uploads and confirms a text. */
  store(content?: string, visibility?: Visibility): Promise<Presigned>;
  /** Uploads an image with colored quarters. One of {@linkcode WIDE} has copies in all widths. */
  image(
    type?: "avatar" | "post",
    size?: ImageSize,
    colors?: Color[],
  ): Promise<{ id: string; url: string; key: string }>;
}

/** The size of an image that is wider than all copies, and quickly converted. */
export const WIDE: ImageSize = [1300, 8];

let uploaders = 0;

/** Registers someone who uploads files, by default public ones. */
export async function openUploader(app: TestApp, visibility?: Visibility): Promise<Uploader> {
  return uploaderOf(app, await registerUser(app, `uploader-${++uploaders}@example.com`), visibility);
}

/** Lets someone who is registered upload files. */
export function uploaderOf(app: UsedApp, user: Registered, usualVisibility: Visibility = "public"): Uploader {
  const { client } = user;
  const uploader: Uploader = {
    ...user,
    async presign(request = {}) {
      app.advance(1 / SECOND_MS); // puts the ids in order
      const body = { filename: "a.txt", contentType: "text/plain", size: 5, visibility: usualVisibility, ...request };
      const response = await client.send("POST", "/api/upload/presign", body);
      strictEqual(response.status, 200, await response.clone().text());
      return await response.json();
    },
    async put({ presignedUrl }, body = "hello", contentType = "text/plain") {
      const init = { method: "PUT", body, headers: { "Content-Type": contentType } };
      const own = presignedUrl.startsWith(app.services.config.baseUrl);
      const response = own
        ? await app.client().request(presignedUrl.slice(app.services.config.baseUrl.length), init)
        : await fetch(presignedUrl, init);
      await response.body?.cancel();
      return response.status;
    },
    confirm: (id) => client.request(`/api/uploads/${id}/confirm`, { method: "POST" }),
    delete: (id) => client.request(`/api/uploads/${id}`, { method: "DELETE" }),
    list: async () => (await (await client.get("/api/uploads")).json()).data,
    async store(content = "hello", visibility = usualVisibility) {
      const presigned = await uploader.presign({ size: content.length, visibility });
      strictEqual(await uploader.put(presigned, content), 200);
      strictEqual((await uploader.confirm(presigned.id)).status, 200);
      return presigned;
    },
    async image(type = "avatar", size, colors) {
      app.advance(1 / SECOND_MS);
      const form = new FormData();
      form.set("type", type);
      form.set(
        "file",
        new Blob([new Uint8Array(await quarters(colors, ...size ?? []).png().toBuffer())], { type: "image/png" }),
        "me.png",
      );
      const response = await client.request("/api/upload/image", { method: "POST", body: form });
      strictEqual(response.status, 200, await response.clone().text());
      const { id, url } = await response.json();
      return { id, url, key: url.slice(url.indexOf("images/")) };
    },
  };
  return uploader;
}

/** Services whose clocks are ahead. The store keeps its own clock, because a bucket compares it with the real time. */
export function later(services: Services, seconds: number): Services {
  const now = () => secondsAfter(services.now(), seconds);
  return { ...services, now, databaseTime: (offset = 0) => sql<Date>`${secondsAfter(now(), offset)}::timestamptz` };
}

/** Runs the sweep of due uploads until nothing is due. */
export async function sweepAllUploads(services: Services): Promise<void> {
  while (await sweepUploads(services) > 0);
}

/** Compares the whole store with the rows. */
export async function sweepWholeStore(services: Services): Promise<void> {
  await services.db.updateTable("store_sweep").set({ next_at: services.databaseTime(), after_key: "" }).execute();
  while (await sweepStore(services) > 0);
}

/** Whether the store has an object with this key. */
export async function isStored({ objects }: Services, key: string): Promise<boolean> {
  return await objects.head(key) !== null;
}

/** Treats all objects as stored after objects had rows, unless they are older than `date`. */
export async function setRowsSince({ db }: Services, date: Date): Promise<void> {
  await db.updateTable("store_sweep").set({ rows_since: date }).execute();
}
