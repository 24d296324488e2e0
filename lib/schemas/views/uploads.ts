import { z } from "zod";
import { Visibility } from "../upload.ts";
import { Amount, EntityId, listOf, ObjectUrl, one, Success, Time } from "./common.ts";

/** An uploaded file, or one that is expected. */
export const UploadView = z.object({
  id: EntityId,
  key: z.string(),
  url: ObjectUrl,
  filename: z.string(),
  contentType: z.string(),
  size: Amount.nullable().meta({ description: "In bytes; null while it is not known" }),
  purpose: z.enum(["file", "avatar", "post"]),
  visibility: Visibility,
  status: z.enum(["pending", "stored", "refused"]),
  createdAt: Time,
});
export type UploadView = z.infer<typeof UploadView>;

const Size = { width: Amount, height: Amount };

/** A stored image. */
export const ImageView = Success.extend({
  id: EntityId,
  url: ObjectUrl,
  originalName: z.string(),
  size: Amount.meta({ description: "In bytes, as stored" }),
  ...Size,
  variants: z.array(z.object({ url: ObjectUrl, ...Size, size: Amount })).meta({ description: "Narrower copies" }),
});
export type ImageView = z.infer<typeof ImageView>;

/** A URL that accepts one upload. */
export const PresignedUploadView = Success.extend({
  id: EntityId,
  presignedUrl: ObjectUrl.meta({ description: "Send the file here with PUT and the declared `Content-Type`" }),
  uploadUrl: ObjectUrl.meta({ description: "The same as `presignedUrl`" }),
  publicUrl: ObjectUrl.meta({ description: "The address of the file once it is uploaded" }),
  key: z.string(),
  visibility: Visibility,
  expiresIn: Amount.meta({ description: "Seconds until the URL expires" }),
});
export type PresignedUploadView = z.infer<typeof PresignedUploadView>;

/** A link to a private file. */
export const LinkView = z.object({
  url: ObjectUrl.meta({ description: "Opens the file for everyone who has it. Treat it like a password" }),
  expiresAt: Time,
});
export type LinkView = z.infer<typeof LinkView>;

export const OneLink = one(LinkView);
export const UploadList = listOf(UploadView);
export const OneUpload = one(UploadView);
