import { IMAGE_MAX_BYTES } from "../schemas/image_rules.ts";
import { ImageUploadSchema, LinkSchema, UploadListSchema, UploadRequestSchema } from "../schemas/upload.ts";
import { ImageView, OneLink, OneUpload, PresignedUploadView, UploadList } from "../schemas/views/uploads.ts";
import { entries } from "./entry.ts";

/** Photos and files. */
export const UPLOADS = entries({
  "POST /api/upload/image": {
    operationId: "uploadImage",
    summary: "Upload a photo",
    description: "A JPEG, PNG, WebP or GIF of up to 5 MiB. It is stored as WebP.",
    caller: "uploads:write",
    whileClosing: "refused",
    body: ImageUploadSchema,
    file: { field: "file", maxBytes: IMAGE_MAX_BYTES },
    returns: { 200: ImageView },
    errors: ["FILE_TYPE_NOT_ALLOWED", "FILE_SIGNATURE_MISMATCH", "IMAGE_INVALID", "QUOTA_EXCEEDED"],
    isRepeatable: true,
    limit: "image",
  },
  "POST /api/upload/presign": {
    operationId: "presignUpload",
    summary: "Get a URL for an upload",
    description: "The URL accepts one file of this type and size.",
    caller: "uploads:write",
    whileClosing: "refused",
    body: UploadRequestSchema,
    returns: { 200: PresignedUploadView },
    errors: ["FILE_TYPE_NOT_ALLOWED", "QUOTA_EXCEEDED"],
    isRepeatable: true,
    limit: "presign",
  },
  "GET /api/uploads": {
    operationId: "listUploads",
    summary: "List your uploads",
    description: "Newest first.",
    caller: "uploads:read",
    whileClosing: "refused",
    query: UploadListSchema,
    returns: { 200: UploadList },
    sends: ["Link"],
  },
  "POST /api/uploads/{id}/confirm": {
    operationId: "confirmUpload",
    summary: "Confirm an upload",
    description: "Checks what has arrived. Send it after the `PUT` to the presigned URL.",
    caller: "uploads:write",
    whileClosing: "refused",
    returns: { 200: OneUpload },
    errors: ["NOT_FOUND", "NOT_UPLOADED", "FILE_SIGNATURE_MISMATCH"],
    limit: "write",
  },
  "POST /api/uploads/{id}/link": {
    operationId: "createUploadLink",
    summary: "Make a link to a private file",
    description:
      "Everyone who has the link can read the file until it expires or is revoked. So a token that can make links can read " +
      "all private files.",
    caller: "uploads:write",
    whileClosing: "refused",
    body: LinkSchema,
    bodyIsOptional: true,
    returns: { 200: OneLink },
    errors: ["NOT_FOUND", "NOT_UPLOADED"],
    isRepeatable: true,
    limit: "link",
  },
  "DELETE /api/uploads/{id}/links": {
    operationId: "revokeUploadLinks",
    summary: "Revoke all links to a private file",
    description: "No link that was made so far opens the file again.",
    caller: "uploads:write",
    whileClosing: "refused",
    returns: { 204: null },
    errors: ["NOT_FOUND", "VALIDATION_FAILED"],
    limit: "write",
  },
  "DELETE /api/uploads/{id}": {
    operationId: "deleteUpload",
    summary: "Delete an upload",
    caller: "uploads:write",
    whileClosing: "refused",
    returns: { 204: null },
    errors: ["NOT_FOUND"],
    limit: "write",
  },
});
