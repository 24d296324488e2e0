import { visibilityOf } from "../../lib/uploads/object_key.ts";
import { getStoredObject, receiveUpload } from "../../lib/uploads/receive.ts";
import { endpoints, plainEndpoint } from "../../lib/web/endpoints/endpoint.ts";
import { objectResponse } from "../../lib/web/files/object_response.ts";
import { incomingUpload } from "../../lib/web/files/object_upload.ts";
import { privateFileResponse } from "../../lib/web/files/private_file.ts";

export const handler = endpoints({
  GET: plainEndpoint({
    operationId: "downloadFile",
    isUndocumented: true, // addresses come from uploads
    uploads: "photos",
    summary: "Download a file",
    caller: "public",
    tokens: "uploads:read",
    whileClosing: "open",
    returns: { 200: null },
  }, async (ctx) => {
    const key = ctx.params.key ?? ""; // /files itself has none
    if (visibilityOf(key) === "private") return await privateFileResponse(ctx, key);
    return objectResponse(ctx.req, await getStoredObject(ctx.state.services, key));
  }),
  PUT: plainEndpoint({
    operationId: "uploadFile",
    isUndocumented: true,
    uploads: "files",
    summary: "Upload a file to a presigned URL",
    caller: "public",
    tokens: "uploads:write",
    whileClosing: "open",
    errors: ["UPLOAD_IN_PROGRESS"],
    limit: { none: "A presigned URL accepts one file, and getting one is limited" },
    returns: { 200: null },
  }, async (ctx) => {
    await receiveUpload(ctx.state.services, incomingUpload(ctx.req, ctx.params.key ?? ""));
    return new Response();
  }),
});
