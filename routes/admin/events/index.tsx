import { page } from "fresh";
import { showAudit } from "../../../lib/admin/lists.ts";
import { parseFilters } from "../../../lib/http/parse.ts";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../lib/web/state.ts";
import { AuditPageSchema, EVENT_PERIODS } from "../../../lib/admin/schema.ts";
import { eventKindsIn } from "../../../lib/activity/kinds.ts";
import { Choice } from "../../../lib/ui/form/Choice.tsx";
import { Field } from "../../../lib/ui/form/Field.tsx";
import { PageLinks } from "../../../lib/ui/list/PageLinks.tsx";
import { Times } from "../../../lib/ui/list/Times.tsx";
import { eventKindName } from "../../../lib/texts/admin_event_text.ts";
import { isolated } from "../../../lib/texts/isolation.ts";
import { textsIn } from "../../../lib/texts/texts.ts";
import { AuditRow } from "../(_components)/AuditRow.tsx";
import { AdminPage } from "../(_components)/AdminPage.tsx";

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
  const { events, nextCursor, unknown, filters, isFirst } = data;
  const { admin: { pages, list, mails, log: texts, overview } } = textsIn(language);
  const kinds = eventKindsIn(services.config).map((kind): [typeof kind, string] => [
    kind,
    `${eventKindName(language, kind)} (${isolated(kind, language.direction)})`,
  ]);
  const periods = EVENT_PERIODS.map((period): [typeof period, string] => [period, overview[period]]);
  const errorsOf = (field: "user" | "actor") => unknown.includes(field) ? [texts.unknown] : undefined;
  return (
    <AdminPage language={language} title={pages.events}>
      <p>{texts.lead}</p>
      <Times locale={language.locale} />
      <form class="no-print" action={PATH}>
        <Choice name="kind" label={texts.kind} value={filters.kind} options={[["", texts.any], ...kinds]} />
        <Choice
          name="period"
          label={texts.period}
          value={filters.period}
          options={[["", texts.anyTime], ...periods]}
        />
        {(["user", "actor"] as const).map((name) => (
          <Field
            key={name}
            name={name}
            label={texts[name]}
            value={filters[name]}
            autocomplete="off"
            inputmode="text"
            errors={errorsOf(name)}
          />
        ))}
        <button class="secondary" type="submit">{mails.filter}</button>
      </form>
      {events.length === 0 ? <p class="empty">{texts.none}</p> : (
        <ul class="rows">
          {events.map((event) => <AuditRow key={event.id} event={event} language={language} />)}
        </ul>
      )}
      <PageLinks path={PATH} filters={filters} nextCursor={nextCursor} isFirst={isFirst} texts={list} />
    </AdminPage>
  );
});
