import { page } from "fresh";
import { getAccount } from "../../../../../lib/accounts/account.ts";
import { providerName } from "../../../../../lib/accounts/identities.ts";
import { withAttemptCookies } from "../../../../../lib/web/authentication/attempt_cookies.ts";
import { idpStep, keyInQuery, LINK } from "../../../../../lib/web/authentication/idp_sign_in.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../../../../lib/web/pages/proof.ts";
import { requirePrincipal } from "../../../../../lib/web/authentication/require_user.ts";
import { renderPage } from "../../../../../lib/web/pages/page_viewer.ts";
import { limited } from "../../../../../lib/web/middleware/rate_limit.ts";
import { define } from "../../../../../lib/web/state.ts";
import { ButtonFormSchema } from "../../../../../lib/schemas/account.ts";
import { SIGN_IN_METHODS_PAGE, startLink } from "../../../../../lib/sign_in/providers/identity_link.ts";
import { ActionPage } from "../../../../../lib/ui/account/ActionPage.tsx";
import { OneMomentPage } from "../../../../../lib/ui/OneMomentPage.tsx";
import { textsIn } from "../../../../../lib/texts/texts.ts";

/** Errors that need no message, because the list of sign-in methods shows why the provider cannot be added. */
const EXPLAINED_BY_LIST = ["VALIDATION_FAILED", "EMAIL_NOT_VERIFIED", "IDP_NOT_CONFIGURED"];

export const handler = define.handlers({
  async GET(ctx) {
    const { services } = ctx.state;
    const { identities, email_verified: isVerified } = await getAccount(services, await requirePrincipal(ctx));
    const key = keyInQuery(ctx.url);
    const isLinked = identities.some(({ provider }) => provider === key);
    if (isLinked || !isVerified || !services.providers.has(key)) return ctx.redirect(SIGN_IN_METHODS_PAGE, 303);
    return await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM);
  },
  /** Responds with a page that leads to the provider, because `form-action` would block a redirect there. */
  POST: limited("security", (ctx) =>
    submitWithProof(
      ctx,
      ButtonFormSchema,
      (_, principal) =>
        idpStep(ctx, { goal: LINK, key: keyInQuery(ctx.url) }, async () => {
          const { services, language } = ctx.state;
          const { url, attempt } = await startLink(services, principal, keyInQuery(ctx.url));
          const content = <OneMomentPage href={url} texts={textsIn(language).frame} />;
          const response = await renderPage(ctx, content, { headers: { Refresh: `0; url=${url}` } });
          return withAttemptCookies(response, ctx.req, attempt, services.config);
        }),
      {
        redirectOnError: ({ code }) =>
          EXPLAINED_BY_LIST.includes(code) ? ctx.redirect(SIGN_IN_METHODS_PAGE, 303) : null,
      },
    )),
});

export default define.page<typeof handler>(function AddIdentityPage({ data, url, state: { language, services } }) {
  const catalogue = textsIn(language);
  const { settings: { signInMethods: texts }, signIn } = catalogue;
  const key = keyInQuery(url);
  const provider = providerName(services.config, key);
  return (
    <ActionPage
      title={texts.addTitle(provider)}
      action={`${SIGN_IN_METHODS_PAGE}/add?${new URLSearchParams({ provider: key })}`}
      data={data}
      submit={signIn.continueWith(provider)}
      cancel={{ href: SIGN_IN_METHODS_PAGE, text: texts.dontAdd(provider) }}
      catalogue={catalogue}
    >
      <p>{texts.addLead(provider)}</p>
    </ActionPage>
  );
});
