import { page } from "fresh";
import { actorIn } from "../../../lib/access/principal.ts";
import { redirectWithNotice } from "../../../lib/web/pages/notice.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../../lib/web/pages/proof.ts";
import { showOnce } from "../../../lib/web/pages/shown_once.ts";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../lib/web/state.ts";
import { webhookFormSchema } from "../../../lib/webhooks/schema.ts";
import { groupKinds } from "../../../lib/activity/event_groups.ts";
import { eventKindsIn } from "../../../lib/activity/kinds.ts";
import { ProofFields, proofLabels } from "../../../lib/ui/account/ProofFields.tsx";
import { Field } from "../../../lib/ui/form/Field.tsx";
import { FormId } from "../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../lib/ui/form/FormMessage.tsx";
import { eventKindName } from "../../../lib/texts/admin_event_text.ts";
import { textsIn } from "../../../lib/texts/texts.ts";
import { createWebhook } from "../../../lib/webhooks/webhook.ts";
import { AdminPage } from "../(_components)/AdminPage.tsx";

const PATH = "/admin/webhooks";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused", limit: "write" }, {
  GET: async (ctx) => await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM),
  POST: (ctx) =>
    submitWithProof(ctx, webhookFormSchema(eventKindsIn(ctx.state.services.config)), async (input, principal) => {
      const { webhook, secret } = await createWebhook(ctx.state.services, { ...input, by: actorIn(principal) });
      const path = `${PATH}/${webhook.id}`;
      return await showOnce(ctx, redirectWithNotice(ctx, path, "webhook_added"), { path, secret });
    }, { errorText: ({ code }, { webhooks }) => code === "TOO_MANY" ? webhooks.tooMany : undefined }),
});

export default define.page<typeof handler>(function NewWebhookPage({ data, state: { language, services } }) {
  const { values, message, details, proof } = data;
  const catalog = textsIn(language);
  const { admin, proof: proofTexts, webhooks: texts } = catalog;
  const labels = { url: texts.url, kinds: texts.kinds, ...proofLabels(proofTexts) };
  return (
    <AdminPage
      language={language}
      title={texts.addTitle}
      message={message}
      back={{ href: PATH, text: texts.back }}
    >
      <form method="post" action={`${PATH}/new`} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={labels} />
        <Field
          name="url"
          type="url"
          label={labels.url}
          hint={texts.urlHint}
          autocomplete="off"
          required
          value={values.url}
          errors={details.url}
        />
        <fieldset
          id="kinds"
          tabindex={-1}
          autofocus={details.kinds !== undefined}
          aria-describedby={details.kinds && "kinds-error"}
        >
          <legend>{labels.kinds}</legend>
          <label class="choice">
            <input type="checkbox" name="every" checked={values.every !== undefined} aria-describedby="every-hint" />
            <span>{texts.every}</span>
          </label>
          <p class="hint" id="every-hint">{texts.everyHint}</p>
          <div class="kinds">
            {groupKinds(eventKindsIn(services.config)).map(([group, kinds]) => (
              <details
                key={group}
                open={kinds.some((kind) => values[kind] !== undefined)}
              >
                <summary>{admin.log.groups[group]}</summary>
                <div role="group" aria-label={admin.log.groups[group]}>
                  {kinds.map((kind) => (
                    <label key={kind} class="choice">
                      <input type="checkbox" name={kind} checked={values[kind] !== undefined} />
                      <span>
                        {eventKindName(language, kind)} <code>{kind}</code>
                      </span>
                    </label>
                  ))}
                </div>
              </details>
            ))}
          </div>
          {details.kinds && <p class="field-error" id="kinds-error">{details.kinds.join(". ")}</p>}
        </fieldset>
        <ProofFields proof={proof} details={details} texts={catalog} />
        <button type="submit">{texts.add}</button>
      </form>
    </AdminPage>
  );
});
