import { deleteToken } from "../../../lib/accounts/tokens/token_list.ts";
import { parseNoBody } from "../../../lib/http/input/parse.ts";
import { requirePrincipal } from "../../../lib/http/principal/require_user.ts";
import { define } from "../../../lib/http/state.ts";

export const handler = define.handlers({
  async DELETE(ctx) {
    const principal = await requirePrincipal(ctx);
    await parseNoBody(ctx.req);
    await deleteToken(ctx.state.services, principal, ctx.params.id);
    return new Response(null, { status: 204 });
  },
});
