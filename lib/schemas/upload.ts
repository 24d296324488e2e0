import { z } from "zod";
import { atLeast, atMost, line, string } from "./text.ts";

/** What an uploaded image is for. */
export const IMAGE_PURPOSES = ["avatar", "post"] as const;
export type ImagePurpose = typeof IMAGE_PURPOSES[number];

const UploadedFile = z.object({
  name: z.string(),
  contentType: z.string(),
  bytes: z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array),
}, "Must be a file");
export type UploadedFile = z.infer<typeof UploadedFile>;

/** Source: spec, Upload endpoints. */
export const ImageUploadSchema = z.object({
  type: z.enum(IMAGE_PURPOSES, `Must be ${IMAGE_PURPOSES.join(" or ")}`),
  file: UploadedFile,
});
export type ImageUpload = z.infer<typeof ImageUploadSchema>;

/** `type/subtype`, without parameters; wildcards are refused as types that are not allowed. Source: RFC 6838, 4.2. */
const MEDIA_TYPE = /^[a-z0-9*][a-z0-9!#$&^_.+*-]{0,126}\/[a-z0-9*][a-z0-9!#$&^_.+*-]{0,126}$/i;

const WHOLE = "Must be a whole number";

/** Source: spec, Upload endpoints; the size may be left out. Its upper limit is the configuration's. */
export const UploadRequestSchema = z.object({
  filename: line().refine(...atLeast(1)).refine(...atMost(255)),
  contentType: string().regex(MEDIA_TYPE, "Must be a type and a subtype, such as image/png"),
  size: z.number(WHOLE).refine(Number.isInteger, WHOLE).min(1, "Must be at least 1").optional(),
});
export type UploadRequest = z.infer<typeof UploadRequestSchema>;

/** A file that the object store has received but not stored yet. */
const StagedFile = z.object({
  name: z.string(),
  contentType: z.string(),
  sizeBytes: z.number(),
  store: z.custom<(key: string, contentType: string) => Promise<void>>((value) => typeof value === "function"),
}, "Must be a file");
export type StagedFile = z.infer<typeof StagedFile>;

/** The form of the page of uploads. */
export const UploadFormSchema = z.object({ file: StagedFile });

/** A form with one file, which may say for whom its page was made. */
export const FileFormSchema = z.object({ file: UploadedFile, user_id: z.string().optional() });
