import { requestPasswordReset } from "../../lib/accounts/password_reset.ts";
import { ok } from "../../lib/http/json.ts";
import { parseJson } from "../../lib/http/parse.ts";
import { define } from "../../lib/http/state.ts";
import { ForgotPasswordSchema } from "../../lib/schemas/account.ts";

const LINK_SENT = "If there is an account with this address, a link to set a new password is on its way.";

export const handler = define.handlers({
  async POST(ctx) {
    await requestPasswordReset(ctx.state.services, await parseJson(ctx.req, ForgotPasswordSchema));
    return ok({ success: true, message: LINK_SENT });
  },
});
