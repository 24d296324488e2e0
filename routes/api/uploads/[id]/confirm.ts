import { parseNoBody } from "../../../../lib/http/input/parse.ts";
import { ok } from "../../../../lib/http/json.ts";
import { requireUser } from "../../../../lib/http/principal/require_user.ts";
import { define } from "../../../../lib/http/state.ts";
import { confirmUpload } from "../../../../lib/uploads/confirm.ts";
import { uploadView } from "../../../../lib/uploads/upload.ts";

export const handler = define.handlers({
  async POST(ctx) {
    const { services } = ctx.state;
    const { id: userId } = await requireUser(ctx);
    await parseNoBody(ctx.req);
    const upload = await confirmUpload(services, { id: ctx.params.id, userId });
    return ok({ data: uploadView(services, upload) });
  },
});
