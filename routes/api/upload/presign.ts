import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { presignedUploadView, presignUpload } from "../../../lib/uploads/presign.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/upload/presign", async ({ services, caller, input, atCommit }) => {
    const request = { ...input, userId: caller.user.id };
    return presignedUploadView(await presignUpload(services, request, atCommit(presignedUploadView)));
  }),
});
