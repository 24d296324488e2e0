import { parseNoBody } from "../../../../lib/http/parse.ts";
import { requireCaller } from "../../../../lib/web/authentication/require_user.ts";
import { define } from "../../../../lib/web/state.ts";
import { deleteUpload } from "../../../../lib/uploads/library.ts";

export const handler = define.handlers({
  async DELETE(ctx) {
    const { user: { id: userId }, token } = await requireCaller(ctx);
    await parseNoBody(ctx.req);
    await deleteUpload(ctx.state.services, { id: ctx.params.id, userId, tokenId: token?.id });
    return new Response(null, { status: 204 });
  },
});
