import { resendVerification } from "../../lib/sign_in/email_verification.ts";
import { ok } from "../../lib/http/json.ts";
import { parseJson } from "../../lib/http/parse.ts";
import { countRequest, limited } from "../../lib/web/middleware/rate_limit.ts";
import { define } from "../../lib/web/state.ts";
import { ResendVerificationSchema } from "../../lib/schemas/account.ts";

const LINK_SENT = "If this address still needs to be verified, an email with a new link is on its way.";

export const handler = define.handlers({
  POST: limited("mail", async (ctx) => {
    const input = await parseJson(ctx.req, ResendVerificationSchema);
    await countRequest(ctx);
    await resendVerification(ctx.state.services, input);
    return ok({ success: true, message: LINK_SENT });
  }),
});
