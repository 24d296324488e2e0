import { page } from "fresh";
import { getAccount } from "../../../../../../lib/accounts/account.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../../../../../lib/http/pages/proof.ts";
import { requirePrincipal } from "../../../../../../lib/http/principal/require_user.ts";
import { define } from "../../../../../../lib/http/state.ts";
import { ButtonFormSchema } from "../../../../../../lib/schemas/account.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../../lib/sign_in/providers/identity_link.ts";
import { startTotp } from "../../../../../../lib/sign_in/second_factor/totp_setup.ts";
import { ProofFields, proofLabels } from "../../../../../../lib/ui/account/ProofFields.tsx";
import { FormId } from "../../../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../../../../../lib/ui/Page.tsx";
import { wordsIn } from "../../../../../../lib/words/words.ts";

const PAGE = `${SIGN_IN_METHODS_PAGE}/authenticator`;

export const handler = define.handlers({
  async GET(ctx) {
    const { email_verified: isVerified, hasTotp } = await getAccount(ctx.state.services, await requirePrincipal(ctx));
    if (!isVerified) return ctx.redirect(SIGN_IN_METHODS_PAGE, 303);
    return await askForProof(ctx) ?? page({ ...EMPTY_PROVEN_FORM, hasTotp });
  },
  async POST(ctx) {
    const { hasTotp } = await getAccount(ctx.state.services, await requirePrincipal(ctx));
    const result = await submitWithProof(ctx, ButtonFormSchema, async (_, principal) => {
      await startTotp(ctx.state.services, principal);
      return ctx.redirect(`${PAGE}/confirm`, 303);
    }, {
      redirectOnError: ({ code }) => code === "EMAIL_NOT_VERIFIED" ? ctx.redirect(SIGN_IN_METHODS_PAGE, 303) : null,
    });
    return result instanceof Response ? result : { ...result, data: { ...result.data, hasTotp } };
  },
});

export default define.page<typeof handler>(function AuthenticatorPage({ data, state: { language } }) {
  const { message, details, proof, hasTotp } = data;
  const { frame, proof: proofWords, secondFactor: { setup: words } } = wordsIn(language);
  return (
    <Page title={words.title} windowTitle={message && frame.titleWithError(words.title)} isNarrow>
      <p>{words.lead}</p>
      {hasTotp && <p>{words.replaces}</p>}
      <form method="post" action={PAGE} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={proofLabels(proofWords)} />
        <ProofFields proof={proof} details={details} words={proofWords} />
        <button type="submit">{words.start}</button>
      </form>
      <p>
        <a href={SIGN_IN_METHODS_PAGE}>{words.cancel}</a>
      </p>
    </Page>
  );
});
