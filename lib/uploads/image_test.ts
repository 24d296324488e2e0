import { deepStrictEqual, match, partialDeepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { readSettings } from "../config/config.ts";
import { AppError } from "../errors/errors.ts";
import { IMAGE_MAX_BYTES } from "./rules.ts";
import { ImageUploadSchema } from "./schema.ts";
import type { ObjectStore, StoredObject } from "../services/object_store.ts";
import type { ImageConverter, Services } from "../services/services.ts";
import { openUploadDatabase } from "../../tests/support/uploads/upload_database.ts";
import { uploadedImageView, uploadImage } from "./image.ts";
import { objectKeys } from "./object_key.ts";

const database = await openUploadDatabase();
const BASE_URL = "http://foyer.test";
const JPEG_SIGNATURE = [0xff, 0xd8, 0xff];
const WEBP = new Uint8Array(7);
/** The name of the file of an image that is only a signature. */
const ONLY_SIGNATURE = "3";

/**
 * In-memory services. The converter returns a square of the requested size with all smaller copies, and refuses a file
 * that is only a signature.
 */
function memoryServices() {
  const stored = new Map<string, StoredObject>();
  const objects: Pick<ObjectStore, "putAll" | "publicUrl"> = {
    putAll(files) {
      for (const { key, bytes, contentType } of files) {
        stored.set(key, { contentType, sizeBytes: bytes.length, etag: '"e"', modifiedAt: new Date() });
      }
      return Promise.resolve(files.map(() => '"e"'));
    },
    publicUrl: (key) => `${BASE_URL}/files/${key}`,
  };
  const owners: unknown[] = [];
  const images: Pick<ImageConverter, "toWebp"> = {
    toWebp({ file }, { maxDimension, variantWidths = [], owner }) {
      owners.push(owner);
      if (file === ONLY_SIGNATURE) {
        return Promise.reject(new AppError("IMAGE_INVALID", { reason: "undecodable" }));
      }
      const squareOf = (side: number) => ({ bytes: WEBP, width: side, height: side });
      const variants = variantWidths.filter((width) => width < maxDimension).map(squareOf);
      return Promise.resolve({ ...squareOf(maxDimension), variants });
    },
  };
  const config = readSettings({ BASE_URL, AVATAR_MAX_DIMENSION: "600", POST_IMAGE_MAX_DIMENSION: "700" });
  return { stored, owners, services: { ...database, config, objects, images } as Services };
}

/** A file with a JPEG signature, declared as a JPEG by default. */
function jpeg(sizeBytes: number, { contentType = "image/jpeg", name = "photo.jpg" } = {}) {
  const start = Uint8Array.from(JPEG_SIGNATURE.slice(0, sizeBytes));
  return { name, contentType, image: { sizeBytes, start, file: String(sizeBytes) } };
}

Deno.test("uploadImage stores the image as WebP, in the size for its purpose", async () => {
  const { services, stored, owners } = memoryServices();
  for (const [type, side, widths] of [["avatar", 600, [128, 512]], ["post", 700, [640]]] as const) {
    const image = await uploadImage(services, { userId: "u1", type, file: jpeg(100, { name: "../my photo.jpg" }) });
    match(image.key, new RegExp(`^images/${type}/[0-9a-f-]{36}\\.webp$`));
    partialDeepStrictEqual(stored.get(image.key), { contentType: "image/webp", sizeBytes: WEBP.length });
    deepStrictEqual(uploadedImageView(image), {
      success: true,
      id: image.id,
      url: `${BASE_URL}/files/${image.key}`,
      originalName: ".._my_photo.jpg",
      size: WEBP.length,
      width: side,
      height: side,
      variants: widths.map((width) => ({
        url: `${BASE_URL}/files/${image.key.replace(".webp", `-${width}.webp`)}`,
        width,
        height: width,
        size: WEBP.length,
      })),
    });
    deepStrictEqual([...stored.keys()].at(-1), image.key, "the image is stored after its copies");
    deepStrictEqual(new Set(objectKeys(image.key).slice(0, widths.length + 1)), new Set(stored.keys()));
    stored.clear();
  }
  deepStrictEqual(owners, ["u1", "u1"], "users take turns");
});

Deno.test("uploadImage accepts 5 MiB but not one byte more", async () => {
  const { services } = memoryServices();
  const upload = (sizeBytes: number) => uploadImage(services, { userId: "u1", type: "avatar", file: jpeg(sizeBytes) });
  strictEqual((await upload(5 * 1024 * 1024)).width, 600);
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
    const upload = uploadImage(services, { userId: "u1", type: "post", file });
    await rejects(upload, (error) => error instanceof AppError && error.code === code, code);
  }
  strictEqual(stored.size, 0);
});

Deno.test("the upload schema names the invalid fields", () => {
  const file = jpeg(100);
  const fieldsOf = (form: unknown) => ImageUploadSchema.safeParse(form).error?.issues.map(({ path }) => path[0]) ?? [];
  deepStrictEqual(fieldsOf({ type: "avatar", file }), []);
  deepStrictEqual(fieldsOf({ type: "Avatar", file }), ["type"]);
  deepStrictEqual(fieldsOf({ type: file, file: "text" }), ["type", "file"]);
  deepStrictEqual(fieldsOf({}), ["type", "file"]);
});
