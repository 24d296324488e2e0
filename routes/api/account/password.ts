import { parseJson } from "../../../lib/http/input/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { limited } from "../../../lib/http/rate_limit.ts";
import { requirePrincipal } from "../../../lib/http/principal/require_user.ts";
import { define } from "../../../lib/http/state.ts";
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
