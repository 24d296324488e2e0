import { resetPassword } from "../../lib/sign_in/password_reset.ts";
import { clientOf } from "../../lib/web/client.ts";
import { ok } from "../../lib/http/json.ts";
import { parseJson } from "../../lib/http/parse.ts";
import { define } from "../../lib/web/state.ts";
import { PasswordResetSchema } from "../../lib/schemas/account.ts";

const PASSWORD_SET = "Password updated. You can log in now.";

export const handler = define.handlers({
  async POST(ctx) {
    await resetPassword(ctx.state.services, await parseJson(ctx.req, PasswordResetSchema), clientOf(ctx));
    return ok({ success: true, message: PASSWORD_SET });
  },
});
