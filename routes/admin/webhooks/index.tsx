import { page } from "fresh";
import type { UploadsSetting } from "../../../lib/config/uploads_setting.ts";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../lib/web/state.ts";
import { CellTime } from "../../../lib/ui/list/CellTime.tsx";
import { type Column, Table } from "../../../lib/ui/list/Table.tsx";
import { Times } from "../../../lib/ui/list/Times.tsx";
import { type Language, textsIn } from "../../../lib/texts/texts.ts";
import { type ListedWebhook, listWebhooks } from "../../../lib/webhooks/webhook.ts";
import { Isolated } from "../../../lib/ui/Isolated.tsx";
import { AdminPage } from "../(_components)/AdminPage.tsx";
import { WebhookKinds } from "./(_components)/WebhookKinds.tsx";
import { WebhookStatus } from "./(_components)/WebhookStatus.tsx";

const PATH = "/admin/webhooks";
/** How many events of a webhook are named. */
const NAMED_KINDS = 3;

export const handler = pageHandlers({ who: "admin", whileClosing: "refused" }, {
  GET: async (ctx) => page({ webhooks: await listWebhooks(ctx.state.services.db) }),
});

export default define.page<typeof handler>(
  function WebhooksPage({ data: { webhooks }, state: { language, services } }) {
    const { webhooks: texts } = textsIn(language);
    return (
      <AdminPage language={language} title={texts.title}>
        <p>{texts.lead}</p>
        <Times locale={language.locale} />
        <p>
          <a class="button" href={`${PATH}/new`}>{texts.add}</a>
        </p>
        {webhooks.length === 0
          ? <p class="empty">{texts.none}</p>
          : <Table label={texts.title} columns={columnsIn(language, services.config)} entries={webhooks} />}
      </AdminPage>
    );
  },
);

function columnsIn(language: Language, config: UploadsSetting): Column<ListedWebhook>[] {
  const { webhooks: texts } = textsIn(language);
  const { heads } = texts;
  return [
    {
      head: heads.webhook,
      is: "title",
      cell: ({ id, url, kinds }) => (
        <>
          <a class="event row-link" href={`${PATH}/${id}`}>
            <Isolated isLtr>{new URL(url).host}</Isolated>
          </a>
          <p class="meta">
            <WebhookKinds kinds={kinds} most={NAMED_KINDS} config={config} texts={texts} />
          </p>
        </>
      ),
    },
    { head: heads.status, is: "end", cell: (webhook) => <WebhookStatus webhook={webhook} texts={texts} /> },
    {
      head: heads.added,
      label: texts.added,
      cell: ({ createdAt }) => <CellTime date={createdAt} isDay locale={language.locale} />,
    },
  ];
}
