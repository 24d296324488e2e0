import { page } from "fresh";
import { listEvents } from "../../../../lib/activity/event_list.ts";
import { withNames } from "../../../../lib/authorization_server/connected_apps.ts";
import { parsePageQuery } from "../../../../lib/http/parse.ts";
import { requirePrincipal } from "../../../../lib/web/authentication/require_user.ts";
import { pageHandlers } from "../../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../../lib/web/state.ts";
import { PageSchema } from "../../../../lib/schemas/list.ts";
import { dayName, groupByDay } from "../../../../lib/ui/list/days.ts";
import { EventRow } from "../../(_components)/EventRow.tsx";
import { Times } from "../../../../lib/ui/list/Times.tsx";
import { Page } from "../../../../lib/ui/Page.tsx";
import { textsIn } from "../../../../lib/texts/texts.ts";

const PATH = "/settings/activity";
/** How many events a page shows. */
const PAGE_SIZE = 24;

export const handler = pageHandlers({ who: "member", whileClosing: "refused" }, {
  async GET(ctx) {
    const { cursor } = parsePageQuery(ctx.url, PageSchema);
    const { user, session } = await requirePrincipal(ctx);
    const { services } = ctx.state;
    const { events, nextCursor } = await listEvents(services, { userId: user.id, limit: PAGE_SIZE, cursor });
    return page({
      events: events.map((event) => withNames(event, services.config)),
      nextCursor,
      isFirst: cursor === undefined,
      sessionId: session.id,
      now: services.now(),
    });
  },
});

export default define.page<typeof handler>(function ActivityPage({ data, state: { language } }) {
  const { events, nextCursor, isFirst, sessionId, now } = data;
  const { activity: texts } = textsIn(language);
  return (
    <Page title={texts.title}>
      <p>{texts.lead}</p>
      {events.length === 0 && <p>{texts.noMore}</p>}
      <Times locale={language.locale} />
      {groupByDay(events).map(({ date, entries }) => (
        <section key={date} class="day">
          <h2>{dayName(date, now, language)}</h2>
          <ul class="rows">
            {entries.map((event) => (
              <EventRow
                key={event.id}
                event={event}
                isCurrent={event.sessionId === sessionId}
                isShort
                language={language}
              />
            ))}
          </ul>
        </section>
      ))}
      {(!isFirst || nextCursor) && (
        <nav class="pages" aria-label={texts.pages}>
          {!isFirst && <a class="button secondary" href={PATH}>{texts.newest}</a>}
          {nextCursor && <a class="button secondary" rel="next" href={`${PATH}?cursor=${nextCursor}`}>{texts.older}</a>}
        </nav>
      )}
    </Page>
  );
});
