import { restoreAccount } from "../../../lib/operations/account_closing.ts";
import { ok } from "../../../lib/http/json.ts";
import { parseNoBody } from "../../../lib/http/input/parse.ts";
import { requirePrincipal } from "../../../lib/http/principal/require_user.ts";
import { define } from "../../../lib/http/state.ts";

export const handler = define.handlers({
  async POST(ctx) {
    const principal = await requirePrincipal(ctx);
    await parseNoBody(ctx.req);
    await restoreAccount(ctx.state.services, principal);
    return ok({ success: true, message: "Your account stays" });
  },
});
