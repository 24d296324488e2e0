import { requirePrincipal } from "../../../../lib/web/authentication/require_user.ts";
import { define } from "../../../../lib/web/state.ts";
import { unlinkIdentity } from "../../../../lib/sign_in/providers/identity.ts";

export const handler = define.handlers({
  async DELETE(ctx) {
    await unlinkIdentity(ctx.state.services, await requirePrincipal(ctx), ctx.params.id);
    return new Response(null, { status: 204 });
  },
});
