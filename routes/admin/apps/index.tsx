import { page } from "fresh";
import { listClients, type ListedClient } from "../../../lib/admin/clients.ts";
import { type Language, textsIn } from "../../../lib/texts/texts.ts";
import { CellTime } from "../../../lib/ui/list/CellTime.tsx";
import { type Column, Table } from "../../../lib/ui/list/Table.tsx";
import { Times } from "../../../lib/ui/list/Times.tsx";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../lib/web/state.ts";
import { Isolated } from "../../../lib/ui/Isolated.tsx";
import { AdminPage } from "../(_components)/AdminPage.tsx";

const PATH = "/admin/apps";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused" }, {
  GET: async (ctx) => page({ clients: await listClients(ctx.state.services) }),
});

export default define.page<typeof handler>(function AppsPage({ data: { clients }, state: { language } }) {
  const { admin: { apps: texts } } = textsIn(language);
  return (
    <AdminPage language={language} title={texts.title}>
      <p>{texts.lead}</p>
      <Times locale={language.locale} />
      <p>
        <a class="button" href={`${PATH}/new`}>{texts.add}</a>
      </p>
      {clients.length === 0
        ? <p class="empty">{texts.none}</p>
        : <Table label={texts.title} columns={columnsIn(language)} entries={clients} />}
    </AdminPage>
  );
});

function columnsIn(language: Language): Column<ListedClient>[] {
  const { admin: { apps: texts }, settings } = textsIn(language);
  const { heads } = texts;
  return [
    {
      head: heads.app,
      is: "title",
      cell: ({ id, name, isFirstParty }) => (
        <>
          <a class="event row-link" href={`${PATH}/${id}`}>
            <Isolated>{name}</Isolated>
          </a>{" "}
          {isFirstParty && <span class="tag">{texts.firstParty}</span>}
          <p class="meta">
            <code>{id}</code>
          </p>
        </>
      ),
    },
    { head: heads.people, cell: ({ people }) => texts.people({ count: people }) },
    { head: heads.signIns, cell: ({ grants }) => texts.signIns({ count: grants }) },
    {
      head: heads.lastUsed,
      label: settings.apps.lastUsed,
      cell: ({ lastUsedAt }) => lastUsedAt && <CellTime date={lastUsedAt} isDay locale={language.locale} />,
    },
  ];
}
