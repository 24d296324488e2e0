import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { registerUser } from "../support/app/accounts.ts";
import { BASE_URL, openSharedTestApp } from "../support/app/test_app.ts";

const PAGE = "https://pages.example";
const UPLOAD_MAX_BYTES = 1000;
const app = await openSharedTestApp({ CORS_ORIGINS: PAGE, UPLOAD_MAX_BYTES: String(UPLOAD_MAX_BYTES) });
const { client, id: userId } = await registerUser(app, "uploader@example.com");
const stranger = app.client();

async function presign(request: Record<string, unknown> = {}) {
  const body = { filename: "a.png", contentType: "image/png", size: 5, ...request };
  const response = await client.send("POST", "/api/upload/presign", body);
  strictEqual(response.status, 200);
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  return await response.json();
}

/** Sends a request to a URL of the app without a session. */
function send(url: string, init: RequestInit = {}) {
  const headers = { "Content-Type": "image/png", ...init.headers as Record<string, string> };
  return stranger.request(url.slice(BASE_URL.length), { method: "PUT", body: "hello", ...init, headers });
}

async function assertCode(response: Response, status: number, code: string, what: string) {
  const body = await response.json();
  deepStrictEqual([response.status, body.code, body.error], [status, code, body.message], what);
}

Deno.test("a private object has another prefix, and is not served like a public one", async () => {
  const { presignedUrl, publicUrl, key, visibility } = await presign({ visibility: "private" });
  match(key, new RegExp(`^private/${userId}/[0-9a-f-]{36}-a\\.png$`));
  deepStrictEqual([publicUrl, visibility], [`${BASE_URL}/files/${key}`, "private"]);
  strictEqual((await send(presignedUrl)).status, 200);
  strictEqual((await stranger.get(new URL(publicUrl).pathname)).status, 404);
});

Deno.test("everyone can read an object that was uploaded to a presigned URL", async () => {
  const body = await presign({ filename: "../../etc/my photo.png" });
  const { id, presignedUrl, publicUrl, key } = body;
  const urls = { presignedUrl, uploadUrl: presignedUrl, publicUrl };
  deepStrictEqual(body, { success: true, id, ...urls, key, visibility: "public", expiresIn: 300 });
  match(key, new RegExp(`^uploads/${userId}/[0-9a-f-]{36}-\\.\\._\\.\\._etc_my_photo\\.png$`));
  strictEqual(publicUrl, `${BASE_URL}/files/${key}`);
  ok(presignedUrl.startsWith(`${publicUrl}?`));

  strictEqual((await stranger.get(new URL(publicUrl).pathname)).status, 404);
  const stored = await send(presignedUrl);
  deepStrictEqual([stored.status, await stored.text()], [200, ""]);
  const read = await stranger.get(new URL(publicUrl).pathname);
  deepStrictEqual([read.status, await read.text(), read.headers.get("Content-Type")], [200, "hello", "image/png"]);
  strictEqual(read.headers.get("Content-Security-Policy"), "default-src 'none'; sandbox");
});

Deno.test("an upload that is a part or an encoding of its file is refused, by its cause", async () => {
  const { presignedUrl, publicUrl } = await presign();
  await assertCode(
    await send(presignedUrl, { headers: { "Content-Range": "bytes 5-9/10" } }),
    400,
    "VALIDATION_FAILED",
    "",
  );
  const encoded = await send(presignedUrl, { headers: { "Content-Encoding": "gzip" } });
  await assertCode(encoded, 415, "UNSUPPORTED_MEDIA_TYPE", "");
  strictEqual((await stranger.get(new URL(publicUrl).pathname)).status, 404);
  const form = new FormData();
  form.set("type", "avatar");
  const headers = { "Content-Encoding": "gzip" };
  const formResponse = await client.request("/api/upload/image", { method: "POST", body: form, headers });
  await assertCode(formResponse, 415, "UNSUPPORTED_MEDIA_TYPE", "a form");
});

Deno.test("an upload that does not have its declared digest is refused", async () => {
  const { presignedUrl, publicUrl } = await presign();
  const base64 = (algorithm: string, text = "hello") => createHash(algorithm).update(text).digest("base64");
  const headers = (text: string): [name: string, value: string][] => [
    ["Content-MD5", base64("md5", text)],
    ["Content-Digest", `sha-256=:${base64("sha256", text)}:`],
    ["Content-Digest", `unknown=:AA==:, sha-512=:${base64("sha512", text)}:`],
    ["Repr-Digest", `sha-256=:${base64("sha256", text)}:`],
    ["x-amz-checksum-sha256", base64("sha256", text)],
    ["x-amz-checksum-sha1", base64("sha1", text)],
    ["x-amz-checksum-crc32", text === "hello" ? "NhCmhg==" : "AAAAAA=="],
  ];
  for (const [name, value] of headers("other")) {
    await assertCode(await send(presignedUrl, { headers: { [name]: value } }), 400, "VALIDATION_FAILED", name);
    strictEqual((await stranger.get(new URL(publicUrl).pathname)).status, 404, name);
  }
  for (const [name, value] of headers("hello")) {
    strictEqual((await send(presignedUrl, { headers: { [name]: value } })).status, 200, name);
  }
  const mixed = { "Content-MD5": base64("md5"), "x-amz-checksum-sha256": base64("sha256", "other") };
  await assertCode(await send(presignedUrl, { headers: mixed }), 400, "VALIDATION_FAILED", "one of two");
});

Deno.test("an upload without a declared size may have any size up to the limit", async () => {
  const { presignedUrl, publicUrl } = await presign({ size: undefined, contentType: "text/plain" });
  const put = (body: string) => send(presignedUrl, { body, headers: { "Content-Type": "text/plain" } });
  await assertCode(await put("a".repeat(UPLOAD_MAX_BYTES + 1)), 413, "PAYLOAD_TOO_LARGE", "too large");
  strictEqual((await stranger.get(new URL(publicUrl).pathname)).status, 404);
  strictEqual((await put("a".repeat(UPLOAD_MAX_BYTES))).status, 200);
  const read = await stranger.get(new URL(publicUrl).pathname);
  strictEqual(read.headers.get("Content-Disposition"), "attachment");
  strictEqual((await read.text()).length, UPLOAD_MAX_BYTES);
});

Deno.test("a presigned URL accepts only its own upload, and stores nothing else", async () => {
  const { presignedUrl, publicUrl } = await presign();
  const other = await presign();
  const cases: [what: string, response: Promise<Response>][] = [
    ["another type", send(presignedUrl, { headers: { "Content-Type": "text/html" } })],
    ["larger", send(presignedUrl, { body: "hello!" })],
    ["smaller", send(presignedUrl, { body: "hell" })],
    ["larger, its size unknown", send(presignedUrl, { body: new Blob(["hello!"]).stream() })],
    ["nothing", send(presignedUrl, { body: null })],
    ["tampered", send(presignedUrl.replace("size=5", "size=6"), { body: "hello!" })],
    ["signed twice", send(`${presignedUrl}&signature=x`)],
    ["another key", send(publicUrl + new URL(other.presignedUrl).search)],
    ["unsigned", send(publicUrl)],
    ["POST", send(presignedUrl, { method: "POST" })],
    ["DELETE", send(presignedUrl, { method: "DELETE", body: null })],
    ["PATCH", send(presignedUrl, { method: "PATCH" })],
  ];
  for (const [what, response] of cases) {
    await assertCode(await response, 403, "FORBIDDEN", what);
    strictEqual((await stranger.get(new URL(publicUrl).pathname)).status, 404, what);
  }
  strictEqual((await send(presignedUrl, { method: "GET", body: null })).status, 403);
  app.advance(300);
  await assertCode(await send(presignedUrl), 403, "FORBIDDEN", "expired");
});

Deno.test("the presign endpoint checks the session, the type, the size and the fields", async () => {
  const post = (body: unknown, by = client) => by.send("POST", "/api/upload/presign", body);
  const good = { filename: "a.png", contentType: "image/png" };
  await assertCode(await post(good, app.client()), 401, "UNAUTHENTICATED", "no session");
  await assertCode(await post({ ...good, contentType: "text/html" }), 400, "FILE_TYPE_NOT_ALLOWED", "HTML");
  await assertCode(await post({ ...good, size: UPLOAD_MAX_BYTES + 1 }), 413, "PAYLOAD_TOO_LARGE", "too large");
  await assertCode(await post({ ...good, size: 0 }), 400, "VALIDATION_FAILED", "no bytes");
  strictEqual((await post({ ...good, filename: "a".repeat(255) })).status, 200);
  await assertCode(await post({ ...good, filename: "a".repeat(256) }), 400, "VALIDATION_FAILED", "too long a name");
  const all = await post({ filename: "", contentType: "png", size: 1.5 });
  deepStrictEqual(Object.keys((await all.json()).details).sort(), ["contentType", "filename", "size"]);
  strictEqual((await client.get("/api/upload/presign")).status, 405);
});

Deno.test("a page of an allowed origin can upload and read the result", async () => {
  const { presignedUrl, publicUrl } = await presign();
  const preflight = (origin: string) =>
    stranger.request(presignedUrl.slice(BASE_URL.length), {
      method: "OPTIONS",
      headers: {
        "Origin": origin,
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "content-type",
      },
    });
  const { status, headers } = await preflight(PAGE);
  strictEqual(status, 204);
  strictEqual(headers.get("Access-Control-Allow-Origin"), PAGE);
  match(headers.get("Access-Control-Allow-Methods")!, /\bPUT\b/);
  strictEqual(
    headers.get("Access-Control-Allow-Headers"),
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, baggage, sentry-trace, traceparent, " +
      "tracestate, X-Requested-With",
  );

  const fromPage = { Origin: PAGE, "Sec-Fetch-Site": "cross-site" };
  const refused = await send(presignedUrl, { body: "hi", headers: fromPage });
  deepStrictEqual([refused.status, refused.headers.get("Access-Control-Allow-Origin")], [403, PAGE]);
  const stored = await send(presignedUrl, { headers: fromPage });
  deepStrictEqual([stored.status, stored.headers.get("Access-Control-Allow-Origin")], [200, PAGE]);
  match(stored.headers.get("Vary")!, /Origin/);
  strictEqual((await stranger.get(new URL(publicUrl).pathname)).headers.get("Access-Control-Allow-Origin"), null);

  const foreign = await preflight("https://evil.example");
  strictEqual(foreign.headers.get("Access-Control-Allow-Origin"), null);
  const evil = await send(presignedUrl, { headers: { Origin: "https://evil.example" } });
  deepStrictEqual([evil.status, evil.headers.get("Access-Control-Allow-Origin")], [403, null]);
});

Deno.test("the log contains no signatures", async () => {
  const { presignedUrl } = await presign();
  await send(presignedUrl);
  const signature = new URL(presignedUrl).searchParams.get("signature")!;
  ok(app.logLines.some((line) => line.includes("signature=[redacted]")));
  ok(!app.logLines.some((line) => line.includes(signature)));
});
