import { type Context, page, type PageResponse } from "fresh";
import { actorIn } from "../../../../lib/access/principal.ts";
import { getEmail, retryEmail } from "../../../../lib/admin/emails.ts";
import { redirectWithNotice } from "../../../../lib/web/pages/notice.ts";
import { withData } from "../../../../lib/web/pages/page_data.ts";
import {
  askForProof,
  EMPTY_PROVEN_FORM,
  type ProvenFormState,
  submitWithProof,
} from "../../../../lib/web/pages/proof.ts";
import { pageHandlers } from "../../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../../lib/web/state.ts";
import { ActFormSchema } from "../../../../lib/admin/schema.ts";
import { Times } from "../../../../lib/ui/list/Times.tsx";
import { textsIn } from "../../../../lib/texts/texts.ts";
import { ActForm } from "../../(_components)/ActForm.tsx";
import { MailTable } from "../../(_components)/MailTable.tsx";
import { AdminPage } from "../../(_components)/AdminPage.tsx";

const PATH = "/admin/emails";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused", limit: "write" }, {
  GET: async (ctx) => await askForProof(ctx) ?? await withMail(ctx, page(EMPTY_PROVEN_FORM)),
  async POST(ctx) {
    const result = await submitWithProof(ctx, ActFormSchema, async ({ reason }, principal) => {
      await retryEmail(ctx.state.services, { id: ctx.params.id, by: actorIn(principal), reason });
      return redirectWithNotice(ctx, PATH, "admin_email_retried");
    }, { errorText: ({ code }, { admin }) => code === "EMAIL_GONE" ? admin.mails.gone : undefined });
    return await withMail(ctx, result);
  },
});

function withMail(ctx: Context<State>, result: Response | PageResponse<ProvenFormState>) {
  return withData(result, async () => ({ mail: await getEmail(ctx.state.services.db, ctx.params.id) }));
}

export default define.page<typeof handler>(function RetryPage({ data, state: { language } }) {
  const { mail, message } = data;
  const { admin: { pages, mails: texts } } = textsIn(language);
  const title = texts.retryTitle;
  return (
    <AdminPage language={language} title={title} message={message} back={{ href: PATH, text: pages.emails }}>
      <p>{texts.retryLead}</p>
      <Times locale={language.locale} />
      <MailTable label={pages.emails} mails={[mail]} language={language} />
      <ActForm
        action={`${PATH}/${mail.id}/retry`}
        form={data}
        isReasonRequired={false}
        submit={texts.retry}
        language={language}
      />
    </AdminPage>
  );
});
