import { ok } from "../../../lib/http/json.ts";
import { decodeJson, readJson } from "../../../lib/http/parse.ts";
import { runOncePerKey } from "../../../lib/web/idempotency/idempotency_key.ts";
import { countRequest, limited } from "../../../lib/web/middleware/rate_limit.ts";
import { requireUser } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { UploadRequestSchema } from "../../../lib/schemas/upload.ts";
import { type PresignedUpload, presignedUploadView, presignUpload } from "../../../lib/uploads/presign.ts";

export const handler = define.handlers({
  POST: limited("presign", async (ctx) => {
    const { id: userId } = await requireUser(ctx);
    const body = await readJson(ctx.req);
    return await runOncePerKey(ctx, { userId, body }, async (answerAtCommit) => {
      const request = decodeJson(body, UploadRequestSchema);
      await countRequest(ctx);
      const respond = (upload: PresignedUpload) => ok(presignedUploadView(upload));
      return respond(await presignUpload(ctx.state.services, { ...request, userId }, answerAtCommit(respond)));
    });
  }),
});
