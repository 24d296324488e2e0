import type { Context } from "fresh";
import type { Principal } from "../../../../../lib/access/principal.ts";
import { withAttemptCookies } from "../../../../../lib/web/authentication/attempt_cookies.ts";
import { idpStep, keyInQuery, LINK, providerInQuery } from "../../../../../lib/web/authentication/idp_sign_in.ts";
import { withData } from "../../../../../lib/web/pages/page_data.ts";
import { submitWithProof } from "../../../../../lib/web/pages/proof.ts";
import { backToMethods, showProvenForm } from "../../../../../lib/web/pages/proven_page.ts";
import { renderPage } from "../../../../../lib/web/pages/page_viewer.ts";
import { pageHandlers } from "../../../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../../../lib/web/state.ts";
import { ButtonFormSchema } from "../../../../../lib/sign_in/schema.ts";
import {
  requireLinkable,
  SIGN_IN_METHODS_PAGE,
  startLink,
} from "../../../../../lib/sign_in/providers/identity_link.ts";
import { ActionPage } from "../../../../../lib/ui/account/ActionPage.tsx";
import { OneMomentPage } from "../../../../../lib/ui/OneMomentPage.tsx";
import { textsIn } from "../../../../../lib/texts/texts.ts";

/** Errors that need no message, because the list of sign-in methods shows why the provider cannot be added. */
const EXPLAINED_BY_LIST = ["VALIDATION_FAILED", "EMAIL_NOT_VERIFIED", "IDP_NOT_CONFIGURED"] as const;

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "security" }, {
  GET: (ctx) =>
    showProvenForm(ctx, async (principal) => {
      const provider = providerInQuery(ctx);
      await requireLinkable(ctx.state.services, principal, provider.key);
      return { provider };
    }, backToMethods(ctx, ...EXPLAINED_BY_LIST)),
  async POST(ctx) {
    const options = { redirectOnError: backToMethods(ctx, ...EXPLAINED_BY_LIST) };
    const result = await submitWithProof(
      ctx,
      ButtonFormSchema,
      (_, principal) => leadToProvider(ctx, principal),
      options,
    );
    return await withData(result, () => ({ provider: providerInQuery(ctx) }));
  },
});

/** Responds with a page that leads to the provider, because `form-action` would block a redirect there. */
async function leadToProvider(ctx: Context<State>, principal: Principal): Promise<Response> {
  const { services, language } = ctx.state;
  const key = keyInQuery(ctx.url);
  return await idpStep(ctx, { goal: LINK, key }, async () => {
    const { url, attempt } = await startLink(services, principal, key);
    const content = <OneMomentPage href={url} texts={textsIn(language).frame} />;
    const response = await renderPage(ctx, content, { headers: { Refresh: `0; url=${url}` } });
    return withAttemptCookies(response, ctx.req, attempt, services.config);
  });
}

export default define.page<typeof handler>(function AddIdentityPage({ data, state: { language } }) {
  const catalog = textsIn(language);
  const { settings: { signInMethods: texts }, signIn } = catalog;
  const { key, name: provider } = data.provider;
  return (
    <ActionPage
      title={texts.addTitle({ provider })}
      action={`${SIGN_IN_METHODS_PAGE}/add?${new URLSearchParams({ provider: key })}`}
      data={data}
      submit={signIn.continueWith({ provider })}
      cancel={{ href: SIGN_IN_METHODS_PAGE, text: texts.dontAdd }}
      catalog={catalog}
    >
      <p>{texts.addLead({ provider })}</p>
    </ActionPage>
  );
});
