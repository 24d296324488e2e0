import { resendVerification } from "../../lib/accounts/email_verification.ts";
import { ok } from "../../lib/http/json.ts";
import { parseJson } from "../../lib/http/parse.ts";
import { define } from "../../lib/http/state.ts";
import { ResendVerificationSchema } from "../../lib/schemas/account.ts";

const LINK_SENT = "If there is an account that waits to be verified, a new link is on its way.";

export const handler = define.handlers({
  async POST(ctx) {
    await resendVerification(ctx.state.services, await parseJson(ctx.req, ResendVerificationSchema));
    return ok({ success: true, message: LINK_SENT });
  },
});
