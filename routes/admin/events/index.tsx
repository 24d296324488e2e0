import { page } from "fresh";
import { showAudit } from "../../../lib/admin/lists.ts";
import { parseFilters } from "../../../lib/http/parse.ts";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../lib/web/state.ts";
import { AuditPageSchema, EVENT_PERIODS } from "../../../lib/admin/schema.ts";
import { EMAIL_MAX } from "../../../lib/schemas/credential_rules.ts";
import { groupKinds } from "../../../lib/activity/event_groups.ts";
import { type EventKind, eventKindsIn } from "../../../lib/activity/kinds.ts";
import { Choice } from "../../../lib/ui/form/Choice.tsx";
import { PageLinks } from "../../../lib/ui/list/PageLinks.tsx";
import { SearchForm } from "../../../lib/ui/list/SearchForm.tsx";
import { Times } from "../../../lib/ui/list/Times.tsx";
import { eventKindName } from "../../../lib/texts/admin_event_text.ts";
import { isolated } from "../../../lib/texts/isolation.ts";
import { textsIn } from "../../../lib/texts/texts.ts";
import { AdminPage } from "../(_components)/AdminPage.tsx";
import { AuditTable } from "../(_components)/AuditTable.tsx";

const PATH = "/admin/events";
const PAGE_SIZE = 50;

export const handler = pageHandlers({ who: "admin", whileClosing: "refused" }, {
  async GET(ctx) {
    const { cursor, ...filters } = parseFilters(ctx.url, AuditPageSchema);
    const { data, ...found } = await showAudit(ctx.state.services, { ...filters, cursor, limit: PAGE_SIZE });
    return page({ events: data, ...found, filters, isFirst: cursor === undefined });
  },
});

export default define.page<typeof handler>(function EventsPage({ data, state: { language, services } }) {
  const { events, nextCursor, isUnknown, filters, isFirst } = data;
  const { admin: { pages, list, mails, log: texts, overview } } = textsIn(language);
  const kinds = groupKinds(eventKindsIn(services.config)).map(([group, kinds]): [string, [EventKind, string][]] => [
    texts.groups[group],
    kinds.map((kind) => [kind, `${eventKindName(language, kind)} (${isolated(kind, language.direction)})`]),
  ]);
  const periods = EVENT_PERIODS.map((period): [typeof period, string] => [period, overview[period]]);
  return (
    <AdminPage language={language} title={pages.events}>
      <p>{texts.lead}</p>
      <Times locale={language.locale} />
      <SearchForm
        action={PATH}
        name="who"
        query={filters.who ?? ""}
        maxLength={EMAIL_MAX}
        filters={
          <>
            <Choice
              name="kind"
              label={texts.kind}
              value={filters.kind}
              options={[["", texts.any]]}
              groups={kinds}
              isBare
            />
            <Choice
              name="period"
              label={texts.period}
              value={filters.period}
              options={[["", texts.anyTime], ...periods]}
              isBare
            />
          </>
        }
        texts={{ search: texts.who, find: mails.filter }}
      />
      {events.length === 0
        ? <p class="empty">{isUnknown ? texts.unknown : texts.none}</p>
        : <AuditTable label={pages.events} events={events} language={language} />}
      <PageLinks path={PATH} filters={filters} nextCursor={nextCursor} isFirst={isFirst} texts={list} />
    </AdminPage>
  );
});
