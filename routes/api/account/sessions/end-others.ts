import { endOtherSessions } from "../../../../lib/access/session_list.ts";
import { parseNoBody } from "../../../../lib/http/parse.ts";
import { ok } from "../../../../lib/http/json.ts";
import { requirePrincipal } from "../../../../lib/web/authentication/require_user.ts";
import { define } from "../../../../lib/web/state.ts";

export const handler = define.handlers({
  async POST(ctx) {
    const principal = await requirePrincipal(ctx);
    await parseNoBody(ctx.req);
    return ok({ success: true, ended: await endOtherSessions(ctx.state.services, principal) });
  },
});
