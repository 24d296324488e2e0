import { ok } from "../../../lib/http/json.ts";
import { parseJson } from "../../../lib/http/input/parse.ts";
import { countRequest, limited } from "../../../lib/http/rate_limit.ts";
import { requireUser } from "../../../lib/http/principal/require_user.ts";
import { define } from "../../../lib/http/state.ts";
import { UploadRequestSchema } from "../../../lib/schemas/upload.ts";
import { presignedUploadView, presignUpload } from "../../../lib/uploads/presign.ts";

export const handler = define.handlers({
  POST: limited("presign", async (ctx) => {
    const { id: userId } = await requireUser(ctx);
    const request = await parseJson(ctx.req, UploadRequestSchema);
    await countRequest(ctx);
    return ok(presignedUploadView(await presignUpload(ctx.state.services, { ...request, userId })));
  }),
});
