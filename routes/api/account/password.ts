import { parseJson } from "../../../lib/http/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { limited } from "../../../lib/web/middleware/rate_limit.ts";
import { requirePrincipal } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { PasswordChangeSchema } from "../../../lib/schemas/account.ts";
import { changePassword } from "../../../lib/sign_in/password_change.ts";

export const handler = define.handlers({
  PUT: limited("proof", async (ctx) => {
    const principal = await requirePrincipal(ctx);
    const change = await parseJson(ctx.req, PasswordChangeSchema);
    await changePassword(ctx.state.services, principal, change);
    return ok({ success: true, message: "Password changed" });
  }),
});
