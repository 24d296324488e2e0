import { page } from "fresh";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../lib/web/state.ts";
import { DOT, Moment } from "../../../lib/ui/account/Origin.tsx";
import { Row } from "../../../lib/ui/list/Row.tsx";
import { Times } from "../../../lib/ui/list/Times.tsx";
import { WebhookStatus } from "./(_components)/WebhookStatus.tsx";
import { type Language, textsIn } from "../../../lib/texts/texts.ts";
import { type ListedWebhook, listWebhooks } from "../../../lib/webhooks/webhook.ts";
import { Isolated } from "../../../lib/ui/Isolated.tsx";
import { AdminPage } from "../(_components)/AdminPage.tsx";

const PATH = "/admin/webhooks";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused" }, {
  GET: async (ctx) => page({ webhooks: await listWebhooks(ctx.state.services.db) }),
});

export default define.page<typeof handler>(function WebhooksPage({ data: { webhooks }, state: { language } }) {
  const { webhooks: texts } = textsIn(language);
  return (
    <AdminPage language={language} title={texts.title}>
      <p>{texts.lead}</p>
      <Times locale={language.locale} />
      <p>
        <a class="button" href={`${PATH}/new`}>{texts.add}</a>
      </p>
      {webhooks.length === 0 ? <p class="empty">{texts.none}</p> : (
        <ul class="rows">
          {webhooks.map((webhook) => <Webhook key={webhook.id} webhook={webhook} language={language} />)}
        </ul>
      )}
    </AdminPage>
  );
});

function Webhook({ webhook, language }: { webhook: ListedWebhook; language: Language }) {
  const { webhooks: texts } = textsIn(language);
  return (
    <Row
      icon="link"
      title={
        <h2>
          <a href={`${PATH}/${webhook.id}`}>
            <Isolated isLtr>{new URL(webhook.url).host}</Isolated>
          </a>
        </h2>
      }
      tag={<WebhookStatus webhook={webhook} texts={texts} />}
    >
      <p class="meta">
        <code>{webhook.kinds.join(", ")}</code>
        {DOT + texts.added} <Moment date={webhook.createdAt} locale={language.locale} />
      </p>
    </Row>
  );
}
