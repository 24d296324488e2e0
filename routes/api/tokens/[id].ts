import { deleteToken } from "../../../lib/access/token_list.ts";
import { parseNoBody } from "../../../lib/http/parse.ts";
import { requirePrincipal } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";

export const handler = define.handlers({
  async DELETE(ctx) {
    const principal = await requirePrincipal(ctx);
    await parseNoBody(ctx.req);
    await deleteToken(ctx.state.services, principal, ctx.params.id);
    return new Response(null, { status: 204 });
  },
});
