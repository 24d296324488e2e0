import { restoreAccount } from "../../../lib/closing/account_closing.ts";
import { ok } from "../../../lib/http/json.ts";
import { parseNoBody } from "../../../lib/http/parse.ts";
import { requirePrincipal } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";

export const handler = define.handlers({
  async POST(ctx) {
    const principal = await requirePrincipal(ctx);
    await parseNoBody(ctx.req);
    await restoreAccount(ctx.state.services, principal);
    return ok({ success: true, message: "Your account stays" });
  },
});
