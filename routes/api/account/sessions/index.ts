import { listSessions, sessionView } from "../../../../lib/accounts/sessions/session_list.ts";
import { parseQuery } from "../../../../lib/http/input/parse.ts";
import { okList } from "../../../../lib/http/json.ts";
import { requirePrincipal } from "../../../../lib/http/principal/require_user.ts";
import { define } from "../../../../lib/http/state.ts";
import { ListSchema, pageOf } from "../../../../lib/schemas/list.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { services, language } = ctx.state;
    const principal = await requirePrincipal(ctx);
    const query = parseQuery(ctx.url, ListSchema);
    const sessions = await listSessions(services, principal);
    return okList(ctx.url, pageOf(sessions.map((session) => sessionView(session, language)), query));
  },
});
