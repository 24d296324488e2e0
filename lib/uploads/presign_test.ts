import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { readSettings } from "../config/config.ts";
import { AppError } from "../errors/errors.ts";
import { type UploadRequest, UploadRequestSchema } from "./schema.ts";
import type { ObjectStore, UploadGrant } from "../services/object_store.ts";
import type { Services } from "../services/services.ts";
import { openUploadDatabase } from "../../tests/support/uploads/upload_database.ts";
import { formFileMaxBytes } from "./file.ts";
import { presignedUploadView, presignUpload } from "./presign.ts";

const database = await openUploadDatabase();
const MEBIBYTE = 1024 * 1024;
const REQUEST: UploadRequest = { filename: "a.png", contentType: "image/png", visibility: "public" };

function memoryServices() {
  const grants: (UploadGrant & { expiresInSeconds: number })[] = [];
  const objects: Pick<ObjectStore, "presignPut" | "publicUrl"> = {
    presignPut(grant, expiresInSeconds) {
      grants.push({ ...grant, expiresInSeconds });
      return Promise.resolve(`https://store.test/${grant.key}?signed`);
    },
    publicUrl: (key) => `https://store.test/${key}`,
  };
  const config = readSettings({ UPLOAD_MAX_BYTES: "1000" });
  return { grants, services: { ...database, config, objects } as Services };
}

Deno.test("presignUpload returns one URL under two names", async () => {
  const { services, grants } = memoryServices();
  const upload = await presignUpload(services, { ...REQUEST, size: 1000, userId: "u1" });
  match(upload.key, /^uploads\/u1\/[0-9a-f-]{36}-a\.png$/);
  deepStrictEqual(grants, [{ key: upload.key, contentType: "image/png", sizeBytes: 1000, expiresInSeconds: 300 }]);
  const { presignedUrl, key } = upload;
  const publicUrl = `https://store.test/${key}`;
  deepStrictEqual(presignedUploadView(upload), {
    success: true,
    id: upload.id,
    presignedUrl,
    uploadUrl: presignedUrl,
    publicUrl,
    key,
    visibility: "public",
    expiresIn: 300,
  });
});

Deno.test("a file name cannot change the user's prefix of the key", async () => {
  const { services } = memoryServices();
  for (
    const filename of ["../../etc/passwd", "a/b\\c", "a".repeat(255), ".", "..", "...", "😀", "%2e%2e%2f", "a b?c#d"]
  ) {
    for (const [visibility, folder] of [["public", "uploads"], ["private", "private"]] as const) {
      const { key } = await presignUpload(services, { ...REQUEST, filename, visibility, userId: "u1" });
      match(key, new RegExp(`^${folder}/u1/[0-9a-f-]{36}-[A-Za-z0-9._-]{1,100}$`), filename);
    }
  }
});

Deno.test("types that a browser could run are refused, and all other types are accepted", async () => {
  const { services, grants } = memoryServices();
  const presign = (contentType: string) => presignUpload(services, { ...REQUEST, contentType, userId: "u1" });
  const refused = ["text/html", "TEXT/HTML", "application/xhtml+xml", "image/svg+xml", "image/svg", "text/xml"];
  refused.push("application/xml", "application/xml-dtd", "application/rss+xml", "application/mathml+xml", "text/xsl");
  refused.push("text/javascript", "application/javascript", "application/x-javascript", "text/javascript1.5");
  refused.push("text/ecmascript", "application/ecmascript", "text/jscript", "text/livescript", "text/vbscript");
  refused.push("application/x-ecmascript", "application/vnd.wap.xhtml+xml", "multipart/related", "text/x-component");
  refused.push("text/xml+x", "text/x.html", "multipart/x-mixed-replace", "unknown/unknown", "application/unknown");
  refused.push("Application/Unknown", "UNKNOWN/UNKNOWN", "*/*", "text/*", "*/plain", "image/p*", "**/*");
  refused.push("application/x-unknown-content-type", "application/x-vnd.mozilla.guess-from-ext");
  for (const type of refused) {
    await rejects(presign(type), { code: "FILE_TYPE_NOT_ALLOWED" }, type);
  }
  strictEqual(grants.length, 0);
  const allowed = ["image/png", "application/pdf", "text/plain", "text/csv", "application/json", "video/mp4"];
  allowed.push("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/octet-stream");
  allowed.push("application/x-unknown", "application/vnd.unknown", "text/unknown", "unknown/png");
  for (const type of allowed) await presign(type);
});

Deno.test("a declared size above the configured limit is too large", async () => {
  const { services } = memoryServices();
  for (const size of [1001, 2 ** 53, 1e308]) {
    const tooLarge = presignUpload(services, { ...UploadRequestSchema.parse({ ...REQUEST, size }), userId: "u1" });
    await rejects(tooLarge, (error) => error instanceof AppError && error.status === 413);
  }
});

Deno.test("the schema reports the field that is wrong", () => {
  const fieldsOf = (changes: Record<string, unknown>) =>
    UploadRequestSchema.safeParse({ ...REQUEST, ...changes }).error?.issues.map(({ path }) => path[0]) ?? [];
  for (const filename of ["a", "😀".repeat(255)]) deepStrictEqual(fieldsOf({ filename }), []);
  for (const filename of ["", "a".repeat(256), "a\0b", "a\nb", "\ud800", 7, null, undefined]) {
    deepStrictEqual(fieldsOf({ filename }), ["filename"], String(filename));
  }
  for (const contentType of ["a/b", "Image/PNG", "application/x.y-z+json"]) {
    deepStrictEqual(fieldsOf({ contentType }), []);
  }
  const types = [
    "",
    "png",
    "image/",
    "/png",
    "image/png; q=1",
    "a/b/c",
    " image/png",
    "image/png\n",
    "a/b,c/d",
    "é/b",
    "*/*;q=1",
  ];
  for (const contentType of [...types, `a/${"b".repeat(128)}`, "*", ["a/b"], undefined]) {
    deepStrictEqual(fieldsOf({ contentType }), ["contentType"], String(contentType));
  }
  for (const size of [1, 5_000_000, undefined]) deepStrictEqual(fieldsOf({ size }), []);
  for (const visibility of ["public", "private", undefined]) deepStrictEqual(fieldsOf({ visibility }), []);
  for (const visibility of ["", "PRIVATE", "secret", null, true, ["private"]]) {
    deepStrictEqual(fieldsOf({ visibility }), ["visibility"], String(visibility));
  }
  for (const size of [0, -1, 1.5, "5", null, NaN, Infinity]) {
    deepStrictEqual(fieldsOf({ size }), ["size"], String(size));
  }
});

Deno.test("the size limit of forms stays at 25 MiB even if direct uploads may be larger", () => {
  for (const [uploadMaxBytes, formMaxBytes] of [[1000, 1000], [100 * MEBIBYTE, 25 * MEBIBYTE]]) {
    strictEqual(formFileMaxBytes({ config: { uploadMaxBytes } } as Services), formMaxBytes);
  }
});
