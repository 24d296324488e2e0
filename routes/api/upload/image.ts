import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { uploadedImageView, uploadImage } from "../../../lib/uploads/image.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/upload/image", async ({ services, caller: { user, token }, input, atCommit }) => {
    const upload = { ...input, userId: user.id, tokenId: token?.id };
    return uploadedImageView(await uploadImage(services, upload, atCommit(uploadedImageView)));
  }),
});
