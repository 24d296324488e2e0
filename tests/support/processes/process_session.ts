import { strictEqual } from "node:assert/strict";
import { PASSWORD } from "../app/accounts.ts";
import type { AppProcess } from "./app_process.ts";

/** A logged-in user of an app that runs in its own process. */
export interface Session {
  /** The session cookie, for requests that do not use this object. */
  cookie: string;
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Sends JSON. */
  post(path: string, body: unknown): Promise<Response>;
  /** Uploads an image as the avatar. */
  uploadAvatar(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<Response>;
}

/** Registers a user, which also opens a session. */
export async function register(app: Pick<AppProcess, "url">, email: string): Promise<Session> {
  const post = (path: string, body: unknown, headers: HeadersInit = {}) =>
    fetch(app.url + path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", ...headers },
    });
  const response = await post("/auth/register", { name: "Ada Lovelace", email, password: PASSWORD });
  strictEqual(response.status, 201, await response.text());
  const cookie = response.headers.getSetCookie()[0].split(";")[0];
  const request: Session["request"] = (path, init = {}) =>
    fetch(app.url + path, { ...init, headers: { Cookie: cookie, ...init.headers } });
  return {
    cookie,
    request,
    post: (path, body) => post(path, body, { Cookie: cookie }),
    uploadAvatar(bytes, contentType) {
      const form = new FormData();
      form.set("type", "avatar");
      form.set("file", new File([bytes], "avatar", { type: contentType }));
      return request("/api/upload/image", { method: "POST", body: form });
    },
  };
}
