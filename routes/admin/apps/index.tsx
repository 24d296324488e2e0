import { page } from "fresh";
import { listClients, type ListedClient } from "../../../lib/admin/clients.ts";
import { requireRegistrations } from "../../../lib/config/features.ts";
import { type Language, textsIn } from "../../../lib/texts/texts.ts";
import { DOT, Moment } from "../../../lib/ui/account/Origin.tsx";
import { Row } from "../../../lib/ui/list/Row.tsx";
import { Times } from "../../../lib/ui/list/Times.tsx";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../lib/web/state.ts";
import { Isolated } from "../../../lib/ui/Isolated.tsx";
import { AdminPage } from "../(_components)/AdminPage.tsx";

const PATH = "/admin/apps";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused" }, {
  async GET(ctx) {
    requireRegistrations(ctx.state.services.config);
    return page({ clients: await listClients(ctx.state.services) });
  },
});

export default define.page<typeof handler>(function AppsPage({ data: { clients }, state: { language } }) {
  const { admin: { apps: texts } } = textsIn(language);
  return (
    <AdminPage language={language} title={texts.title}>
      <p>{texts.lead}</p>
      <Times locale={language.locale} />
      {clients.length === 0 ? <p class="empty">{texts.none}</p> : (
        <ul class="rows">
          {clients.map((client) => <App key={client.id} client={client} language={language} />)}
        </ul>
      )}
    </AdminPage>
  );
});

function App({ client, language }: { client: ListedClient; language: Language }) {
  const { admin: { apps: texts }, settings } = textsIn(language);
  const { id, name, isFirstParty, people, grants, lastUsedAt } = client;
  return (
    <Row
      icon="program"
      title={
        <h2>
          <Isolated>{name}</Isolated>
        </h2>
      }
      tag={isFirstParty && <span class="tag good">{settings.apps.firstParty}</span>}
      action={
        <a class="button secondary small" href={`${PATH}/${id}`} aria-label={texts.endOf({ app: name })}>
          {texts.end}
        </a>
      }
    >
      <p class="meta">
        <code>{id}</code>
        {DOT + texts.people({ count: people }) + DOT + settings.apps.signIns({ count: grants })}
      </p>
      <p class="meta">
        {lastUsedAt === null ? texts.unused : (
          <>
            {settings.apps.lastUsed} <Moment date={lastUsedAt} locale={language.locale} />
          </>
        )}
      </p>
    </Row>
  );
}
