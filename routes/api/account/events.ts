import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { eventView, listEvents } from "../../../lib/activity/event_list.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/account/events", async ({ services, caller: { user, session }, query, ctx }) => {
    const { language } = ctx.state;
    const { events, nextCursor } = await listEvents(services, { ...query, userId: user.id });
    return { data: events.map((event) => eventView(event, { currentSessionId: session?.id, language })), nextCursor };
  }),
});
