import { ListSchema } from "../schemas/list.ts";
import { ImageUploadSchema, UploadRequestSchema } from "../schemas/upload.ts";
import { ImageView, OneUpload, PresignedUploadView, UploadList } from "../schemas/views/uploads.ts";
import { operations } from "./operation.ts";

/** Photos and files. */
export const UPLOADS = operations({
  "POST /api/upload/image": {
    summary: "Upload a photo",
    description: "A JPEG, PNG, WebP or GIF of up to 5 MiB. It is stored as WebP.",
    access: "session",
    body: ImageUploadSchema.omit({ file: true }),
    fileField: "file",
    returns: { 200: ImageView },
    errors: ["FILE_TYPE_NOT_ALLOWED", "FILE_SIGNATURE_MISMATCH", "IMAGE_INVALID", "QUOTA_EXCEEDED"],
    isRepeatable: true,
    limit: "image",
  },
  "POST /api/upload/presign": {
    summary: "Get a URL for an upload",
    description: "The URL accepts one file of this type and size.",
    access: "session",
    body: UploadRequestSchema,
    returns: { 200: PresignedUploadView },
    errors: ["FILE_TYPE_NOT_ALLOWED", "QUOTA_EXCEEDED"],
    isRepeatable: true,
    limit: "presign",
  },
  "GET /api/uploads": {
    summary: "List your uploads",
    description: "Newest first.",
    access: "session",
    query: ListSchema,
    returns: { 200: UploadList },
    sends: ["Link"],
  },
  "POST /api/uploads/{id}/confirm": {
    summary: "Confirm an upload",
    description: "Checks what has arrived. Send it after the `PUT` to the presigned URL.",
    access: "session",
    returns: { 200: OneUpload },
    errors: ["NOT_FOUND", "NOT_UPLOADED", "FILE_SIGNATURE_MISMATCH"],
  },
  "DELETE /api/uploads/{id}": {
    summary: "Delete an upload",
    access: "session",
    returns: { 204: null },
    errors: ["NOT_FOUND"],
  },
});
