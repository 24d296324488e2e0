import { clientOf } from "../../lib/web/client.ts";
import { parseJson } from "../../lib/http/parse.ts";
import { ok } from "../../lib/http/json.ts";
import { define } from "../../lib/web/state.ts";
import { LinkTokenSchema } from "../../lib/schemas/account.ts";
import { confirmEmailChange } from "../../lib/sign_in/email_change.ts";

export const handler = define.handlers({
  async POST(ctx) {
    const { token } = await parseJson(ctx.req, LinkTokenSchema);
    await confirmEmailChange(ctx.state.services, token, clientOf(ctx));
    return ok({ success: true, message: "Email address changed" });
  },
});
