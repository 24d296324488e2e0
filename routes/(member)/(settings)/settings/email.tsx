import { type Context, page, type PageResponse } from "fresh";
import { linkForm } from "../../../../lib/web/pages/form.ts";
import { withData, withUser } from "../../../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../../../lib/web/pages/notice.ts";
import {
  askForProof,
  EMPTY_PROVEN_FORM,
  type ProvenFormState,
  submitWithProof,
} from "../../../../lib/web/pages/proof.ts";
import { limited } from "../../../../lib/web/middleware/rate_limit.ts";
import { define, type State } from "../../../../lib/web/state.ts";
import { EmailChangeSchema } from "../../../../lib/schemas/account.ts";
import { requestEmailChange } from "../../../../lib/sign_in/email_change.ts";
import { EmailField } from "../../../../lib/ui/form/EmailField.tsx";
import { FormId } from "../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../../../lib/ui/Page.tsx";
import { ProofFields, proofLabels } from "../../../../lib/ui/account/ProofFields.tsx";
import { textsIn } from "../../../../lib/texts/texts.ts";

export const handler = define.handlers({
  GET: async (ctx) => await withAccount(ctx, await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM)),
  POST: limited("mail", async (ctx) => {
    const result = await submitWithProof(ctx, EmailChangeSchema, async (input, principal) => {
      await requestEmailChange(ctx.state.services, principal, input);
      const path = `/settings/email?${new URLSearchParams({ email: input.email })}`;
      return redirectWithNotice(ctx, path, "email_change_sent");
    });
    return await withAccount(ctx, result);
  }),
});

/** Adds the address that the person has, and the domains of those that they may get. */
async function withAccount(ctx: Context<State>, result: Response | PageResponse<ProvenFormState>) {
  const { allowedEmailDomains: domains } = ctx.state.services.config;
  return await withData(await withUser(ctx, result), () => ({ domains }));
}

export default define.page<typeof handler>(function EmailPage({ data, url, state }) {
  const { values, message, details, proof, user, domains } = data;
  const catalogue = textsIn(state.language);
  const { email: texts, frame, proof: proofTexts, signIn } = catalogue;
  // Only together with the notice: a link alone must not make the page claim this.
  const sentTo = state.notice === "email_change_sent" && linkForm(url).values.email;
  return (
    <Page title={texts.title} windowTitle={message && frame.titleWithError(texts.title)} isNarrow>
      <p>{texts.current(user.email)}</p>
      <p>{sentTo ? texts.sentTo({ to: sentTo, from: user.email }) : texts.lead}</p>
      <form method="post" action="/settings/email" novalidate>
        <FormId />
        <FormMessage
          message={message}
          details={details}
          labels={{ email: texts.newEmail, ...proofLabels(proofTexts) }}
        />
        <EmailField
          label={texts.newEmail}
          autocomplete="email"
          hint={domains.length > 0 ? signIn.emailDomains(domains) : undefined}
          value={values.email}
          errors={details.email}
        />
        <ProofFields proof={proof} details={details} texts={catalogue} />
        <button type="submit">{texts.submit}</button>
      </form>
    </Page>
  );
});
