import { parseNoBody } from "../../../lib/http/input/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { countRequest, limited } from "../../../lib/http/rate_limit.ts";
import { requirePrincipal } from "../../../lib/http/principal/require_user.ts";
import { define } from "../../../lib/http/state.ts";
import { sendReauthenticationCode } from "../../../lib/sign_in/step_up.ts";

export const handler = define.handlers({
  POST: limited("mail", async (ctx) => {
    const principal = await requirePrincipal(ctx);
    await parseNoBody(ctx.req);
    await countRequest(ctx);
    await sendReauthenticationCode(ctx.state.services, principal);
    return ok({ success: true, message: "A code is on its way to your email address" });
  }),
});
