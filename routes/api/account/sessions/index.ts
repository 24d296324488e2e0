import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { listSessions, sessionView } from "../../../../lib/access/session_list.ts";
import { ListSchema, pageOf } from "../../../../lib/schemas/list.ts";
import { SessionList } from "../../../../lib/accounts/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    operationId: "listSessions",
    summary: "List your sessions",
    description: "The most recently seen first.",
    caller: "session",
    whileClosing: "refused",
    query: ListSchema,
    returns: { 200: SessionList },
    sends: ["Link"],
  }, async ({ services, caller, query, ctx }) => {
    const { language } = ctx.state;
    const sessions = await listSessions(services, caller);
    return pageOf(sessions.map((session) => sessionView(session, language)), query);
  }),
});
