import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { confirmUpload } from "../../../../lib/uploads/confirm.ts";
import { uploadView } from "../../../../lib/uploads/upload.ts";
import { OneUpload } from "../../../../lib/uploads/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "confirmUpload",
    uploads: "files",
    summary: "Confirm an upload",
    description: "Checks what has arrived. Send it after the `PUT` to the presigned URL.",
    caller: "uploads:write",
    whileClosing: "refused",
    returns: { 200: OneUpload },
    errors: ["NOT_FOUND", "NOT_UPLOADED", "FILE_SIGNATURE_MISMATCH"],
    limit: "write",
  }, async ({ services, caller: { user, token }, params: { id } }) => {
    const upload = await confirmUpload(services, { id, userId: user.id, tokenId: token?.id });
    return { data: uploadView(services, upload) };
  }),
});
