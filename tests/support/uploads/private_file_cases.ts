import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { MINUTE_SECONDS, secondsAfter } from "../../../lib/duration.ts";
import { sealLink } from "../../../lib/uploads/private/link_token.ts";
import { registerAdmin } from "../app/admins.ts";
import { createToken } from "../app/api_tokens.ts";
import type { TestApp } from "../app/test_app.ts";
import type { TestClient } from "../app/test_client.ts";
import { openUploader, type Presigned, type Uploader } from "./upload_world.ts";

export const PRIVATE_TEXT = "hello";

/** Someone who asks for a private file, and what the file is for them. */
export interface FileReader {
  client: TestClient;
  headers?: Record<string, string>;
  /** The query of the address. */
  search?: string;
  gets: "the file" | "not found" | "scope missing";
}

/** A private file with content, its owner, and a link to it. */
export interface PrivateFile extends Presigned {
  owner: Uploader;
  /** Returns the query of a link. */
  link(terms?: { seconds?: number; download?: boolean; linkNumber?: number }): Promise<string>;
}

/** Stores a private file, by default of someone new. Only a text is also confirmed: its content may be anything. */
export async function openPrivateFile(
  app: TestApp,
  owner?: Uploader,
  { filename = "a.txt", contentType = "text/plain" } = {},
): Promise<PrivateFile> {
  const by = owner ?? await openUploader(app);
  const size = PRIVATE_TEXT.length;
  const stored = await by.presign({ filename, contentType, size, visibility: "private" });
  strictEqual(await by.put(stored, PRIVATE_TEXT, contentType), 200);
  if (contentType === "text/plain") strictEqual((await by.confirm(stored.id)).status, 200);
  return {
    ...stored,
    owner: by,
    link: async ({ seconds = MINUTE_SECONDS, download = false, linkNumber = 0 } = {}) => {
      const terms = { expiresAt: secondsAfter(app.services.now(), seconds), download };
      return `?link=${await sealLink(app.services, { key: stored.key, linkNumber }, terms)}`;
    },
  };
}

/** Everyone who may ask for the file. */
export async function readersOf(app: TestApp, { owner, link }: PrivateFile): Promise<Record<string, FileReader>> {
  const [stranger, admin, guest] = [await openUploader(app), await registerAdmin(app), app.client()];
  const other = await openPrivateFile(app, owner);
  const read = await createToken(owner.client, { scopes: ["uploads:read"] });
  const write = await createToken(owner.client, { scopes: ["uploads:write", "profile:read"] });
  const strange = await createToken(stranger.client, { scopes: ["uploads:read"] });
  const ruling = await createToken(admin.client, { scopes: ["admin", "uploads:read"] });
  const [search, dead, gone] = [await link(), await link({ seconds: 0 }), await link({ linkNumber: 1 })];
  const [file, nothing] = ["the file", "not found"] as const;
  return {
    "the owner": { client: owner.client, gets: file },
    "the owner's token": { client: guest, headers: read.headers, gets: file },
    "the owner's token without the scope": { client: guest, headers: write.headers, gets: "scope missing" },
    "the same with a link": { client: guest, headers: write.headers, search, gets: "scope missing" },
    "someone else": { client: stranger.client, gets: nothing },
    "someone else's token": { client: guest, headers: strange.headers, gets: nothing },
    "an admin": { client: admin.client, gets: nothing },
    "an admin's token": { client: guest, headers: ruling.headers, gets: nothing },
    "a guest": { client: guest, gets: nothing },
    "a guest with a wrong token": { client: guest, search: "?token=x", gets: nothing },
    "a guest with a link": { client: guest, search, gets: file },
    "someone else with a link": { client: stranger.client, search, gets: file },
    "an admin with a link": { client: admin.client, search, gets: file },
    "the owner with a link": { client: owner.client, search, gets: file },
    "a guest with an expired link": { client: guest, search: dead, gets: nothing },
    "the owner with an expired link": { client: owner.client, search: dead, gets: nothing },
    "a guest with a link of another number": { client: guest, search: gone, gets: nothing },
    "a guest with a link to another file": { client: guest, search: await other.link(), gets: nothing },
    "a guest with an empty link": { client: guest, search: "?link=", gets: nothing },
    "a guest with a changed link": { client: guest, search: search.replace(/.$/, "!"), gets: nothing },
  };
}

/** A way of asking for a file, and the response to someone who may read it. */
interface Asking {
  method?: "HEAD";
  headers(etag: string): Record<string, string>;
  status: number;
  body: string;
}

const ASKING: Record<string, Asking> = {
  "GET": { headers: () => ({}), status: 200, body: PRIVATE_TEXT },
  "HEAD": { method: "HEAD", headers: () => ({}), status: 200, body: "" },
  "a range": { headers: () => ({ Range: "bytes=1-3" }), status: 206, body: PRIVATE_TEXT.slice(1, 4) },
  "a range of this version": {
    headers: (etag) => ({ "Range": "bytes=-2", "If-Range": etag }),
    status: 206,
    body: PRIVATE_TEXT.slice(-2),
  },
  "If-None-Match": { headers: (etag) => ({ "If-None-Match": etag }), status: 304, body: "" },
  "HEAD with If-None-Match": {
    method: "HEAD",
    headers: (etag) => ({ "If-None-Match": etag }),
    status: 304,
    body: "",
  },
};

/**
 * Asks for a private file as every reader in every way, and checks each response. Where the store serves its files
 * itself, it follows the redirect.
 */
export async function assertReaders(
  app: TestApp,
  file: PrivateFile,
  readers: Record<string, FileReader>,
): Promise<void> {
  const path = new URL(file.publicUrl).pathname;
  const { etag } = (await app.services.objects.head(file.key))!;
  for (const [who, { client, headers, search = "", gets }] of Object.entries(readers)) {
    for (const [how, { method, status, body, ...asking }] of Object.entries(ASKING)) {
      const cell = `${who}: ${how}`;
      const init = { method, headers: { ...headers, ...asking.headers(etag) } };
      const response = await client.request(path + search, init);
      if (gets === "scope missing") {
        deepStrictEqual([response.status, response.headers.get("Cache-Control")], [403, "private, no-store"], cell);
        if (method !== "HEAD") strictEqual((await response.json()).code, "SCOPE_MISSING", cell);
        continue;
      }
      assertPrivateHeaders(response, cell);
      if (gets === "not found") {
        const missing = await client.request(path.replace(/.$/, "x") + search, init);
        strictEqual(response.status, 404, cell);
        deepStrictEqual(await comparable(response), await comparable(missing), cell);
        continue;
      }
      const final = await follow(response, { method, headers: asking.headers(etag) });
      deepStrictEqual([final.status, await final.text()], [status, body], cell);
      strictEqual(final.headers.get("ETag"), etag, cell);
    }
  }
}

/** Follows the redirect to a store that serves its files itself. */
export async function follow(response: Response, init: RequestInit): Promise<Response> {
  return response.status === 303 ? await fetch(response.headers.get("Location")!, init) : response;
}

/** The headers that every response at the address of a private file has. */
export function assertPrivateHeaders({ headers }: Response, cell: string): void {
  strictEqual(headers.get("Cache-Control"), "private, no-store", cell);
  strictEqual(headers.get("Cross-Origin-Resource-Policy"), "same-origin", cell);
  strictEqual(headers.get("X-Robots-Tag"), "noindex", cell);
  strictEqual(headers.get("Referrer-Policy"), "no-referrer", cell);
  ok(headers.has("X-Request-Id"), cell);
}

/** What must not show whether a file exists. */
async function comparable(response: Response): Promise<unknown> {
  const own = ["date", "x-request-id"];
  return [response.status, await response.text(), [...response.headers].filter(([name]) => !own.includes(name))];
}
