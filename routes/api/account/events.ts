import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { eventView, listEvents } from "../../../lib/activity/event_list.ts";
import { ListSchema } from "../../../lib/schemas/list.ts";
import { EventList } from "../../../lib/accounts/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    operationId: "listEvents",
    summary: "List what happened to your account",
    description: "Newest first.",
    caller: "account:read",
    whileClosing: "refused",
    query: ListSchema,
    returns: { 200: EventList },
    sends: ["Link"],
  }, async ({ services, caller: { user, session }, query, ctx }) => {
    const { language } = ctx.state;
    const { events, nextCursor } = await listEvents(services, { ...query, userId: user.id });
    return { data: events.map((event) => eventView(event, { currentSessionId: session?.id, language })), nextCursor };
  }),
});
