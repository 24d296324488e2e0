import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { readSettings } from "../config.ts";
import { AppError } from "../errors.ts";
import { IMAGE_MAX_BYTES } from "../schemas/image_rules.ts";
import { ImageUploadSchema } from "../schemas/upload.ts";
import type { ImageConverter, ObjectStore, Services, StoredObject } from "../services.ts";
import { uploadedImageView, uploadImage } from "./image.ts";

const BASE_URL = "http://foyer.test";
const JPEG_SIGNATURE = [0xff, 0xd8, 0xff];
const WEBP = new Uint8Array(7);

/** In-memory services. The converter returns a square of the requested size, and refuses a file that is only a signature. */
function memoryServices() {
  const stored = new Map<string, StoredObject>();
  const objects: Pick<ObjectStore, "put" | "publicUrl"> = {
    put(key, bytes, contentType) {
      stored.set(key, { contentType, sizeBytes: bytes.length });
      return Promise.resolve();
    },
    publicUrl: (key) => `${BASE_URL}/files/${key}`,
  };
  const images: Pick<ImageConverter, "toWebp"> = {
    toWebp(bytes, { maxDimension }) {
      if (bytes.length === JPEG_SIGNATURE.length) return Promise.reject(new AppError("IMAGE_INVALID", "Not an image"));
      return Promise.resolve({ bytes: WEBP, width: maxDimension, height: maxDimension });
    },
  };
  const config = readSettings({ BASE_URL, AVATAR_MAX_DIMENSION: "10", POST_IMAGE_MAX_DIMENSION: "30" });
  return { stored, services: { config, objects, images } as Services };
}

/** A file with a JPEG signature, declared as a JPEG by default. */
function jpeg(sizeBytes: number, { contentType = "image/jpeg", name = "photo.jpg" } = {}) {
  const bytes = new Uint8Array(sizeBytes);
  bytes.set(JPEG_SIGNATURE.slice(0, sizeBytes));
  return { name, contentType, bytes };
}

Deno.test("uploadImage stores the image as WebP, in the size for its purpose", async () => {
  const { services, stored } = memoryServices();
  for (const [type, side] of [["avatar", 10], ["post", 30]] as const) {
    const image = await uploadImage(services, { type, file: jpeg(100, { name: "../my photo.jpg" }) });
    match(image.key, new RegExp(`^images/${type}/[0-9a-f-]{36}\\.webp$`));
    deepStrictEqual(stored.get(image.key), { contentType: "image/webp", sizeBytes: WEBP.length });
    deepStrictEqual(uploadedImageView(image), {
      success: true,
      url: `${BASE_URL}/files/${image.key}`,
      originalName: ".._my_photo.jpg",
      size: WEBP.length,
      width: side,
      height: side,
    });
  }
});

Deno.test("uploadImage accepts 5 MiB but not one byte more", async () => {
  const { services } = memoryServices();
  const upload = (sizeBytes: number) => uploadImage(services, { type: "avatar", file: jpeg(sizeBytes) });
  strictEqual((await upload(5 * 1024 * 1024)).width, 10);
  await rejects(upload(5 * 1024 * 1024 + 1), (error) => error instanceof AppError && error.status === 413);
});

Deno.test("uploadImage checks in order, and stores nothing that fails a check", async () => {
  const { services, stored } = memoryServices();
  const cases = [
    [jpeg(IMAGE_MAX_BYTES + 1, { contentType: "text/html" }), "PAYLOAD_TOO_LARGE"],
    [jpeg(100, { contentType: "image/svg+xml" }), "FILE_TYPE_NOT_ALLOWED"],
    [jpeg(100, { contentType: "image/jpg" }), "FILE_TYPE_NOT_ALLOWED"],
    [jpeg(0, { contentType: "" }), "FILE_TYPE_NOT_ALLOWED"],
    [jpeg(100, { contentType: "image/png" }), "FILE_SIGNATURE_MISMATCH"],
    [jpeg(2), "FILE_SIGNATURE_MISMATCH"],
    [jpeg(0), "FILE_SIGNATURE_MISMATCH"],
    [jpeg(3), "IMAGE_INVALID"],
  ] as const;
  for (const [file, code] of cases) {
    const upload = uploadImage(services, { type: "post", file });
    await rejects(upload, (error) => error instanceof AppError && error.code === code, code);
  }
  strictEqual(stored.size, 0);
});

Deno.test("uploadImage leaves the bytes to its caller", async () => {
  const { services } = memoryServices();
  for (const file of [jpeg(100), jpeg(3)]) {
    const { length } = file.bytes;
    await uploadImage(services, { type: "avatar", file }).catch(() => {});
    strictEqual(file.bytes.length, length);
  }
});

Deno.test("the upload schema names the invalid fields", () => {
  const file = jpeg(100);
  const fieldsOf = (form: unknown) => ImageUploadSchema.safeParse(form).error?.issues.map(({ path }) => path[0]) ?? [];
  deepStrictEqual(fieldsOf({ type: "avatar", file }), []);
  deepStrictEqual(fieldsOf({ type: "Avatar", file }), ["type"]);
  deepStrictEqual(fieldsOf({ type: file, file: "text" }), ["type", "file"]);
  deepStrictEqual(fieldsOf({}), ["type", "file"]);
});
