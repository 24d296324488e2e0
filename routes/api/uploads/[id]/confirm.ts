import { parseNoBody } from "../../../../lib/http/parse.ts";
import { ok } from "../../../../lib/http/json.ts";
import { requireCaller } from "../../../../lib/web/authentication/require_user.ts";
import { define } from "../../../../lib/web/state.ts";
import { confirmUpload } from "../../../../lib/uploads/confirm.ts";
import { uploadView } from "../../../../lib/uploads/upload.ts";

export const handler = define.handlers({
  async POST(ctx) {
    const { services } = ctx.state;
    const { user: { id: userId }, token } = await requireCaller(ctx);
    await parseNoBody(ctx.req);
    const upload = await confirmUpload(services, { id: ctx.params.id, userId, tokenId: token?.id });
    return ok({ data: uploadView(services, upload) });
  },
});
