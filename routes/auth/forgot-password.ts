import { requestPasswordReset } from "../../lib/sign_in/password_reset.ts";
import { ok } from "../../lib/http/json.ts";
import { parseJson } from "../../lib/http/parse.ts";
import { countRequest, limited } from "../../lib/web/middleware/rate_limit.ts";
import { define } from "../../lib/web/state.ts";
import { ForgotPasswordSchema } from "../../lib/schemas/account.ts";

const LINK_SENT = "If an account uses this address, an email with a link to reset the password is on its way.";

export const handler = define.handlers({
  POST: limited("mail", async (ctx) => {
    const input = await parseJson(ctx.req, ForgotPasswordSchema);
    await countRequest(ctx);
    await requestPasswordReset(ctx.state.services, input);
    return ok({ success: true, message: LINK_SENT });
  }),
});
