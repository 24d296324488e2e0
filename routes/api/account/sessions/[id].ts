import { endOwnSession } from "../../../../lib/access/session_list.ts";
import { requirePrincipal } from "../../../../lib/web/authentication/require_user.ts";
import { withoutSessionCookie } from "../../../../lib/web/authentication/session_cookie.ts";
import { define } from "../../../../lib/web/state.ts";

export const handler = define.handlers({
  async DELETE(ctx) {
    const { services } = ctx.state;
    const principal = await requirePrincipal(ctx);
    await endOwnSession(services, principal, ctx.params.id);
    const response = new Response(null, { status: 204 });
    return ctx.params.id === principal.session.id ? withoutSessionCookie(response, services) : response;
  },
});
