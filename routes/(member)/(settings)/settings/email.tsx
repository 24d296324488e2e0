import { page } from "fresh";
import { redirectWithNotice } from "../../../../lib/http/pages/notice.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../../../lib/http/pages/proof.ts";
import { countRequest, limited } from "../../../../lib/http/rate_limit.ts";
import { define } from "../../../../lib/http/state.ts";
import { EmailChangeSchema } from "../../../../lib/schemas/account.ts";
import { requestEmailChange } from "../../../../lib/sign_in/email_change.ts";
import { EmailField } from "../../../../lib/ui/form/EmailField.tsx";
import { FormId } from "../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../../../lib/ui/Page.tsx";
import { ProofFields, proofLabels } from "../../../../lib/ui/account/ProofFields.tsx";
import { wordsIn } from "../../../../lib/words/words.ts";

export const handler = define.handlers({
  GET: async (ctx) => await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM),
  POST: limited("mail", (ctx) =>
    submitWithProof(ctx, EmailChangeSchema, async (input, principal) => {
      await countRequest(ctx);
      await requestEmailChange(ctx.state.services, principal, input);
      return redirectWithNotice(ctx, "/settings/email", "email_change_sent");
    })),
});

export default define.page<typeof handler>(async function EmailPage({ data, state }) {
  const { values, message, details, proof } = data;
  const { email: words, frame, proof: proofWords } = wordsIn(state.language);
  const { user } = (await state.currentSession())!;
  return (
    <Page title={words.title} windowTitle={message && frame.titleWithError(words.title)} isNarrow>
      <p>{words.current(user.email)}</p>
      <p>{words.lead}</p>
      <form method="post" action="/settings/email" novalidate>
        <FormId />
        <FormMessage
          message={message}
          details={details}
          labels={{ email: words.newEmail, ...proofLabels(proofWords) }}
        />
        <EmailField label={words.newEmail} value={values.email} errors={details.email} />
        <ProofFields proof={proof} details={details} words={proofWords} />
        <button type="submit">{words.submit}</button>
      </form>
    </Page>
  );
});
