import { parseJson } from "../../../lib/http/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { countRequest, limited } from "../../../lib/web/middleware/rate_limit.ts";
import { requirePrincipal } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { EmailChangeSchema } from "../../../lib/schemas/account.ts";
import { requestEmailChange } from "../../../lib/sign_in/email_change.ts";

const LINK_SENT = "An email with a link to confirm the new address is on its way.";

export const handler = define.handlers({
  POST: limited("mail", async (ctx) => {
    const principal = await requirePrincipal(ctx);
    const input = await parseJson(ctx.req, EmailChangeSchema);
    await countRequest(ctx);
    await requestEmailChange(ctx.state.services, principal, input);
    return ok({ success: true, message: LINK_SENT });
  }),
});
