import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { presignedUploadView, presignUpload } from "../../../lib/uploads/presign.ts";
import { PresignedUploadView, UploadRequestSchema } from "../../../lib/uploads/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "presignUpload",
    uploads: "files",
    summary: "Get a URL for an upload",
    description: "The URL accepts one file of this type and size.",
    caller: "uploads:write",
    whileClosing: "refused",
    body: UploadRequestSchema,
    returns: { 200: PresignedUploadView },
    errors: ["FILE_TYPE_NOT_ALLOWED", "QUOTA_EXCEEDED"],
    isRepeatable: true,
    limit: "presign",
  }, async ({ services, caller, input, atCommit }) => {
    const request = { ...input, userId: caller.user.id };
    return presignedUploadView(await presignUpload(services, request, atCommit(presignedUploadView)));
  }),
});
