import { parseNoBody } from "../../../lib/http/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { countRequest, limited } from "../../../lib/web/middleware/rate_limit.ts";
import { requirePrincipal } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
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
