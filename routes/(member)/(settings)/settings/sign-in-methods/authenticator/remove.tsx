import { page } from "fresh";
import { getAccount } from "../../../../../../lib/accounts/account.ts";
import { redirectWithNotice } from "../../../../../../lib/http/pages/notice.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../../../../../lib/http/pages/proof.ts";
import { requirePrincipal } from "../../../../../../lib/http/principal/require_user.ts";
import { define } from "../../../../../../lib/http/state.ts";
import { ButtonFormSchema } from "../../../../../../lib/schemas/account.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../../lib/sign_in/providers/identity_link.ts";
import { disableTotp } from "../../../../../../lib/sign_in/second_factor/totp_setup.ts";
import { ProofFields, proofLabels } from "../../../../../../lib/ui/account/ProofFields.tsx";
import { FormId } from "../../../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../../../../../lib/ui/Page.tsx";
import { wordsIn } from "../../../../../../lib/words/words.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { hasTotp } = await getAccount(ctx.state.services, await requirePrincipal(ctx));
    if (!hasTotp) return ctx.redirect(SIGN_IN_METHODS_PAGE, 303);
    return await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM);
  },
  POST: (ctx) =>
    submitWithProof(ctx, ButtonFormSchema, async (_, principal) => {
      await disableTotp(ctx.state.services, principal);
      return redirectWithNotice(ctx, SIGN_IN_METHODS_PAGE, "totp_removed");
    }, { redirectOnError: ({ code }) => code === "NOT_FOUND" ? ctx.redirect(SIGN_IN_METHODS_PAGE, 303) : null }),
});

export default define.page<typeof handler>(function RemoveAuthenticatorPage({ data, state: { language } }) {
  const { message, details, proof } = data;
  const { frame, proof: proofWords, secondFactor: { remove: words } } = wordsIn(language);
  return (
    <Page title={words.title} windowTitle={message && frame.titleWithError(words.title)} isNarrow>
      <p>{words.lead}</p>
      <form method="post" action={`${SIGN_IN_METHODS_PAGE}/authenticator/remove`} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={proofLabels(proofWords)} />
        <ProofFields proof={proof} details={details} words={proofWords} />
        <button type="submit">{words.submit}</button>
      </form>
      <p>
        <a href={SIGN_IN_METHODS_PAGE}>{words.cancel}</a>
      </p>
    </Page>
  );
});
