import { visibilityOf } from "../../lib/uploads/object_key.ts";
import { getStoredObject, receiveUpload } from "../../lib/uploads/receive.ts";
import { endpoints, plainEndpoint } from "../../lib/web/endpoints/endpoint.ts";
import { objectResponse } from "../../lib/web/files/object_response.ts";
import { incomingUpload } from "../../lib/web/files/object_upload.ts";
import { privateFileResponse } from "../../lib/web/files/private_file.ts";

export const handler = endpoints({
  GET: plainEndpoint("GET /files/{key*}", async (ctx) => {
    const key = ctx.params.key ?? ""; // /files itself has none
    if (visibilityOf(key) === "private") return await privateFileResponse(ctx, key);
    return objectResponse(ctx.req, await getStoredObject(ctx.state.services, key));
  }),
  PUT: plainEndpoint("PUT /files/{key*}", async (ctx) => {
    await receiveUpload(ctx.state.services, incomingUpload(ctx.req, ctx.params.key ?? ""));
    return new Response();
  }),
});
