import { parseJson } from "../../../lib/http/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { countRequest, limited } from "../../../lib/web/middleware/rate_limit.ts";
import { define } from "../../../lib/web/state.ts";
import { SignInCodeRequestSchema } from "../../../lib/schemas/account.ts";
import { sendSignInCode } from "../../../lib/sign_in/code_login.ts";

const CODE_SENT = "If an account uses this address, an email with a code is on its way.";

export const handler = define.handlers({
  POST: limited("mail", async (ctx) => {
    const input = await parseJson(ctx.req, SignInCodeRequestSchema);
    await countRequest(ctx);
    await sendSignInCode(ctx.state.services, input);
    return ok({ success: true, message: CODE_SENT });
  }),
});
