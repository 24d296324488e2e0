import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { listUploads } from "../../../lib/uploads/library.ts";
import { uploadView } from "../../../lib/uploads/upload.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/uploads", async ({ services, caller, query }) => {
    const { uploads, nextCursor } = await listUploads(services, { ...query, userId: caller.user.id });
    return { data: uploads.map((upload) => uploadView(services, upload)), nextCursor };
  }),
});
