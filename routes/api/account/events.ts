import { eventView, listEvents } from "../../../lib/activity/event_list.ts";
import { parseQuery } from "../../../lib/http/parse.ts";
import { okList } from "../../../lib/http/json.ts";
import { requireCaller } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { ListSchema } from "../../../lib/schemas/list.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { services, language } = ctx.state;
    const { user, session } = await requireCaller(ctx);
    const query = parseQuery(ctx.url, ListSchema);
    const { events, nextCursor } = await listEvents(services, { ...query, userId: user.id });
    return okList(ctx.url, {
      data: events.map((event) => eventView(event, { currentSessionId: session?.id, language })),
      nextCursor,
    });
  },
});
