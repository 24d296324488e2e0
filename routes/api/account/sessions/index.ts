import { listSessions, sessionView } from "../../../../lib/accounts/sessions/session_list.ts";
import { ok } from "../../../../lib/http/json.ts";
import { requirePrincipal } from "../../../../lib/http/principal/require_user.ts";
import { define } from "../../../../lib/http/state.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { services, language } = ctx.state;
    const sessions = await listSessions(services, await requirePrincipal(ctx));
    return ok({ data: sessions.map((session) => sessionView(session, language)) });
  },
});
