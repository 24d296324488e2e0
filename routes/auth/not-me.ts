import { clientOf } from "../../lib/web/client.ts";
import { parseJson } from "../../lib/http/parse.ts";
import { ok } from "../../lib/http/json.ts";
import { define } from "../../lib/web/state.ts";
import { LinkTokenSchema } from "../../lib/schemas/account.ts";
import { reportNotMe } from "../../lib/sign_in/not_me.ts";

const SECURED = "Your account is secure. An email with a link to choose a new password is on its way.";

export const handler = define.handlers({
  async POST(ctx) {
    const { token } = await parseJson(ctx.req, LinkTokenSchema);
    await reportNotMe(ctx.state.services, token, clientOf(ctx));
    return ok({ success: true, message: SECURED });
  },
});
