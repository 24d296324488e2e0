import { listSessions, sessionView } from "../../../../lib/access/session_list.ts";
import { parseQuery } from "../../../../lib/http/parse.ts";
import { okList } from "../../../../lib/http/json.ts";
import { requirePrincipal } from "../../../../lib/web/authentication/require_user.ts";
import { define } from "../../../../lib/web/state.ts";
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
