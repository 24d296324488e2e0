import { endOtherSessions } from "../../../../lib/accounts/sessions/session_list.ts";
import { parseNoBody } from "../../../../lib/http/input/parse.ts";
import { ok } from "../../../../lib/http/json.ts";
import { requirePrincipal } from "../../../../lib/http/principal/require_user.ts";
import { define } from "../../../../lib/http/state.ts";

export const handler = define.handlers({
  async POST(ctx) {
    const principal = await requirePrincipal(ctx);
    await parseNoBody(ctx.req);
    return ok({ success: true, ended: await endOtherSessions(ctx.state.services, principal) });
  },
});
