import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { confirmUpload } from "../../../../lib/uploads/confirm.ts";
import { uploadView } from "../../../../lib/uploads/upload.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/uploads/{id}/confirm", async ({ services, caller: { user, token }, params: { id } }) => {
    const upload = await confirmUpload(services, { id, userId: user.id, tokenId: token?.id });
    return { data: uploadView(services, upload) };
  }),
});
