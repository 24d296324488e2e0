import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { listUploads } from "../../../lib/uploads/library.ts";
import { uploadView } from "../../../lib/uploads/upload.ts";
import { UploadList, UploadListSchema } from "../../../lib/uploads/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    operationId: "listUploads",
    uploads: "files",
    summary: "List your uploads",
    description: "Newest first.",
    caller: "uploads:read",
    whileClosing: "refused",
    query: UploadListSchema,
    returns: { 200: UploadList },
    sends: ["Link"],
  }, async ({ services, caller, query }) => {
    const { uploads, nextCursor } = await listUploads(services, { ...query, userId: caller.user.id });
    return { data: uploads.map((upload) => uploadView(services, upload)), nextCursor };
  }),
});
