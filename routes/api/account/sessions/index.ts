import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { listSessions, sessionView } from "../../../../lib/access/session_list.ts";
import { pageOf } from "../../../../lib/schemas/list.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/account/sessions", async ({ services, caller, query, ctx }) => {
    const { language } = ctx.state;
    const sessions = await listSessions(services, caller);
    return pageOf(sessions.map((session) => sessionView(session, language)), query);
  }),
});
