import { z } from "zod";

/** Source: spec, Limits. */
export const IMAGE_MAX_BYTES = 5 * 1024 * 1024;

/** What an uploaded image is for. */
export const IMAGE_PURPOSES = ["avatar", "post"] as const;
export type ImagePurpose = typeof IMAGE_PURPOSES[number];

const UploadedFile = z.object({
  name: z.string(),
  contentType: z.string(),
  bytes: z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array),
}, "Must be a file");

/** Source: spec, Upload endpoints. */
export const ImageUploadSchema = z.object({
  type: z.enum(IMAGE_PURPOSES, `Must be ${IMAGE_PURPOSES.join(" or ")}`),
  file: UploadedFile,
});
export type ImageUpload = z.infer<typeof ImageUploadSchema>;
