import { type Context, page, type PageResponse } from "fresh";
import CopyToken from "../../../islands/CopyToken.tsx";
import { actorIn, type Principal } from "../../../lib/access/principal.ts";
import type { UploadsSetting } from "../../../lib/config/uploads_setting.ts";
import { parsePageQuery } from "../../../lib/http/parse.ts";
import { redirectWithNotice } from "../../../lib/web/pages/notice.ts";
import { withData } from "../../../lib/web/pages/page_data.ts";
import {
  EMPTY_PROVEN_FORM,
  findMissingProof,
  type ProvenFormState,
  submitWithProof,
} from "../../../lib/web/pages/proof.ts";
import { showOnce, takeShownOnce } from "../../../lib/web/pages/shown_once.ts";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../lib/web/state.ts";
import { type WebhookActForm, WebhookActFormSchema } from "../../../lib/webhooks/schema.ts";
import { cursorOfId, PageSchema } from "../../../lib/schemas/list.ts";
import { Moment } from "../../../lib/ui/account/Origin.tsx";
import { ProofFields, proofLabels } from "../../../lib/ui/account/ProofFields.tsx";
import { FormId } from "../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../lib/ui/form/FormMessage.tsx";
import { PageLinks } from "../../../lib/ui/list/PageLinks.tsx";
import { Times } from "../../../lib/ui/list/Times.tsx";
import { type Language, textsIn } from "../../../lib/texts/texts.ts";
import { type DeliveryPage, listDeliveries, replayDelivery, sendTest } from "../../../lib/webhooks/delivery_list.ts";
import {
  deleteWebhook,
  enableWebhook,
  getWebhook,
  type ListedWebhook,
  rotateSecret,
} from "../../../lib/webhooks/webhook.ts";
import { DeliveryTable } from "./(_components)/DeliveryTable.tsx";
import { WebhookKinds } from "./(_components)/WebhookKinds.tsx";
import { WebhookStatus } from "./(_components)/WebhookStatus.tsx";
import { AdminPage } from "../(_components)/AdminPage.tsx";

const PATH = "/admin/webhooks";
const FORM = "acts";
const PAGE_SIZE = 50;

export const handler = pageHandlers({ who: "admin", whileClosing: "refused", limit: "write" }, {
  async GET(ctx) {
    const { secret, headers } = await takeShownOnce(ctx, `${PATH}/${ctx.params.id}`);
    const form = { ...EMPTY_PROVEN_FORM, proof: await findMissingProof(ctx) };
    return await withWebhook(ctx, page(form, { headers }), secret);
  },
  async POST(ctx) {
    const result = await submitWithProof(ctx, WebhookActFormSchema, (input, principal) => act(ctx, input, principal), {
      errorText: ({ code }, { webhooks }) => code === "TOO_MANY" ? webhooks.tooMany : undefined,
    });
    return await withWebhook(ctx, result, null);
  },
});

async function act(ctx: Context<State>, input: WebhookActForm, principal: Principal): Promise<Response> {
  const { services } = ctx.state;
  const { id } = ctx.params;
  const path = `${PATH}/${id}`;
  const target = { id, by: actorIn(principal) };
  switch (input.action) {
    case "test":
      await sendTest(services, target);
      return redirectWithNotice(ctx, path, "webhook_tested");
    case "enable":
      await enableWebhook(services, target);
      return redirectWithNotice(ctx, path, "webhook_enabled");
    case "delete":
      await deleteWebhook(services, target);
      return redirectWithNotice(ctx, PATH, "webhook_deleted");
    case "rotate": {
      const { secret } = await rotateSecret(services, target);
      return await showOnce(ctx, redirectWithNotice(ctx, path, "webhook_rotated"), { path, secret });
    }
    case undefined:
      await replayDelivery(services, { ...target, delivery: input.replay ?? "" });
      return redirectWithNotice(ctx, path, "webhook_replayed");
  }
}

function withWebhook(
  ctx: Context<State>,
  result: Response | PageResponse<ProvenFormState>,
  secret: string | null,
) {
  return withData(result, async () => {
    const { services: { db } } = ctx.state;
    const { cursor } = parsePageQuery(ctx.url, PageSchema);
    const { id } = ctx.params;
    return {
      webhook: await getWebhook(db, id),
      log: await listDeliveries(db, { webhookId: id, limit: PAGE_SIZE, after: cursor }),
      isFirst: cursor === undefined,
      secret,
    };
  });
}

export default define.page<typeof handler>(function WebhookPage({ data, state: { language, services } }) {
  const { webhook, log, isFirst, secret, message, details, proof } = data;
  const catalog = textsIn(language);
  const { proof: proofTexts, webhooks: texts } = catalog;
  const title = new URL(webhook.url).host;
  return (
    <AdminPage language={language} title={title} isName message={message} back={{ href: PATH, text: texts.back }}>
      <Times locale={language.locale} />
      <FormMessage message={message} details={details} labels={proofLabels(proofTexts)} />
      {secret !== null && (
        <section class="card callout good" aria-labelledby="new-secret">
          <h2 id="new-secret">{texts.newSecret}</h2>
          <p>{texts.neverAgain}</p>
          <CopyToken texts={texts.copySecret} token={secret} />
        </section>
      )}
      <Facts webhook={webhook} config={services.config} language={language} />
      <section class="card" aria-labelledby="acts-title">
        <h2 id="acts-title">{texts.acts}</h2>
        <form id={FORM} method="post" action={`${PATH}/${webhook.id}`} novalidate>
          <FormId />
          <ProofFields proof={proof} details={details} texts={catalog} />
          <div class="actions">
            <button class="secondary" type="submit" name="action" value="test">{texts.test}</button>
            <button class="secondary" type="submit" name="action" value="rotate">{texts.rotate}</button>
            {webhook.disabledAt !== null && (
              <button class="secondary" type="submit" name="action" value="enable">{texts.enable}</button>
            )}
            <button class="danger" type="submit" name="action" value="delete">{texts.delete}</button>
          </div>
          <p class="hint">{texts.rotateHint}</p>
        </form>
      </section>
      <Log id={webhook.id} log={log} isFirst={isFirst} language={language} />
    </AdminPage>
  );
});

function Facts({ webhook, config, language }: { webhook: ListedWebhook; config: UploadsSetting; language: Language }) {
  const { url, kinds, createdAt, failingSince, disabledAt, disabledBecause } = webhook;
  const { webhooks: texts } = textsIn(language);
  const [label, since] = disabledAt === null ? [texts.failingSince, failingSince] : [texts.offSince, disabledAt];
  return (
    <>
      <p>
        <code>{url}</code> <WebhookStatus webhook={webhook} texts={texts} />
      </p>
      {disabledBecause !== null && <p>{texts.because[disabledBecause]}</p>}
      <p class="meta">
        {texts.added} <Moment date={createdAt} locale={language.locale} />
      </p>
      {since !== null && (
        <p class="meta">
          {label} <Moment date={since} locale={language.locale} />
        </p>
      )}
      <p class="meta">
        {texts.kinds}: <WebhookKinds kinds={kinds} config={config} texts={texts} />
      </p>
    </>
  );
}

function Log({ id, log: { deliveries, next }, isFirst, language }: {
  id: string;
  log: DeliveryPage;
  isFirst: boolean;
  language: Language;
}) {
  const { webhooks: texts } = textsIn(language);
  return (
    <>
      <h2>{texts.deliveries}</h2>
      {deliveries.length === 0
        ? <p class="empty">{texts.noDeliveries}</p>
        : <DeliveryTable deliveries={deliveries} form={FORM} language={language} />}
      <PageLinks
        path={`${PATH}/${id}`}
        filters={{}}
        nextCursor={next && cursorOfId(next)}
        isFirst={isFirst}
        texts={texts}
      />
    </>
  );
}
