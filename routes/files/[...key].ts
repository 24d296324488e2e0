import { objectResponse } from "../../lib/web/files/object_response.ts";
import { incomingUpload } from "../../lib/web/files/object_upload.ts";
import { define } from "../../lib/web/state.ts";
import { receiveUpload } from "../../lib/uploads/receive.ts";
import { getStoredObject } from "../../lib/uploads/stored_object.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const key = ctx.params.key ?? ""; // /files itself has none
    return objectResponse(ctx.req, await getStoredObject(ctx.state.services, key));
  },
  async PUT(ctx) {
    await receiveUpload(ctx.state.services, incomingUpload(ctx.req, ctx.params.key ?? ""));
    return new Response();
  },
});
