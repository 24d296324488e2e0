import { page } from "fresh";
import { DEFAULT_IDENTITY, getAccount } from "../../../../../lib/accounts/account.ts";
import { idpStep, LINK, withAttemptCookies } from "../../../../../lib/http/idp_sign_in.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../../../../lib/http/pages/proof.ts";
import { requirePrincipal } from "../../../../../lib/http/principal/require_user.ts";
import { define } from "../../../../../lib/http/state.ts";
import { ButtonFormSchema } from "../../../../../lib/schemas/account.ts";
import { SIGN_IN_METHODS_PAGE, startLink } from "../../../../../lib/sign_in/providers/identity_link.ts";
import { ProofFields, proofLabels } from "../../../../../lib/ui/account/ProofFields.tsx";
import { FormId } from "../../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../../lib/ui/form/FormMessage.tsx";
import { OneMomentPage } from "../../../../../lib/ui/OneMomentPage.tsx";
import { Page } from "../../../../../lib/ui/Page.tsx";
import { wordsIn } from "../../../../../lib/words/words.ts";

/** What the list of sign-in methods shows by itself. */
const SHOWN_BY_LIST = ["VALIDATION_FAILED", "EMAIL_NOT_VERIFIED", "IDP_NOT_CONFIGURED"];

export const handler = define.handlers({
  async GET(ctx) {
    const { services } = ctx.state;
    const { isLinked, email_verified: isVerified } = await getAccount(services, await requirePrincipal(ctx));
    if (isLinked || !isVerified || services.idp === null) return ctx.redirect(SIGN_IN_METHODS_PAGE, 303);
    return await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM);
  },
  /** Responds with a page that leads to the provider, because `form-action` would block a redirect there. */
  POST: (ctx) =>
    submitWithProof(ctx, ButtonFormSchema, (_, principal) =>
      idpStep(ctx, LINK, async () => {
        const { services, language } = ctx.state;
        const { url, attempt } = await startLink(services, principal, DEFAULT_IDENTITY);
        const content = <OneMomentPage href={url} words={wordsIn(language).frame} />;
        const response = await ctx.render(content, { headers: { Refresh: `0; url=${url}` } });
        return withAttemptCookies(response, attempt, services.config);
      }), {
      redirectOnError: ({ code }) => SHOWN_BY_LIST.includes(code) ? ctx.redirect(SIGN_IN_METHODS_PAGE, 303) : null,
    }),
});

export default define.page<typeof handler>(function AddIdentityPage({ data, state: { language, services } }) {
  const { message, details, proof } = data;
  const { frame, proof: proofWords, settings: { signInMethods: words }, signIn } = wordsIn(language);
  const provider = services.config.idp?.name ?? DEFAULT_IDENTITY;
  const title = words.addTitle(provider);
  return (
    <Page title={title} windowTitle={message && frame.titleWithError(title)} isNarrow>
      <p>{words.addLead(provider)}</p>
      <form method="post" action={`${SIGN_IN_METHODS_PAGE}/add`} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={proofLabels(proofWords)} />
        <ProofFields proof={proof} details={details} words={proofWords} />
        <button type="submit">{signIn.continueWith(provider)}</button>
      </form>
      <p>
        <a href={SIGN_IN_METHODS_PAGE}>{words.dontAdd(provider)}</a>
      </p>
    </Page>
  );
});
