import { ok } from "../../../lib/http/json.ts";
import { parseNoBody } from "../../../lib/http/parse.ts";
import { requirePrincipal } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { disableTotp, startTotp } from "../../../lib/sign_in/second_factor/totp_setup.ts";

export const handler = define.handlers({
  async POST(ctx) {
    const principal = await requirePrincipal(ctx);
    await parseNoBody(ctx.req);
    return ok(await startTotp(ctx.state.services, principal));
  },
  async DELETE(ctx) {
    const principal = await requirePrincipal(ctx);
    await parseNoBody(ctx.req);
    await disableTotp(ctx.state.services, principal);
    return new Response(null, { status: 204 });
  },
});
