import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { uploadedImageView, uploadImage } from "../../../lib/uploads/image.ts";
import { ImageUploadSchema, ImageView } from "../../../lib/uploads/schema.ts";
import { IMAGE_MAX_BYTES } from "../../../lib/uploads/rules.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "uploadImage",
    uploads: "photos",
    summary: "Upload a photo",
    description: "A JPEG, PNG, WebP or GIF of up to 5 MiB. It is stored as WebP. It becomes the avatar with " +
      "`PUT /api/profile` and its `url`.",
    caller: "uploads:write",
    whileClosing: "refused",
    body: ImageUploadSchema,
    file: { field: "file", maxBytes: IMAGE_MAX_BYTES },
    returns: { 200: ImageView },
    errors: ["FILE_TYPE_NOT_ALLOWED", "FILE_SIGNATURE_MISMATCH", "IMAGE_INVALID", "QUOTA_EXCEEDED"],
    isRepeatable: true,
    limit: "image",
  }, async ({ services, caller: { user, token }, input, atCommit }) => {
    const upload = { ...input, userId: user.id, tokenId: token?.id };
    return uploadedImageView(await uploadImage(services, upload, atCommit(uploadedImageView)));
  }),
});
