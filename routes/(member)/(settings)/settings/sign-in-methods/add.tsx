import { type Context, page } from "fresh";
import type { Principal } from "../../../../../lib/access/principal.ts";
import { getAccount } from "../../../../../lib/accounts/own_account.ts";
import { ADD_WAY_PAGE } from "../../../../../lib/sign_in/login_link.ts";
import { requirePrincipal } from "../../../../../lib/web/authentication/require_user.ts";
import { nextPath, pageAfterLogin, withNext } from "../../../../../lib/web/pages/next_path.ts";
import { type IdpLink, IdpLinks } from "../../../../../lib/ui/IdpLinks.tsx";
import { Page } from "../../../../../lib/ui/Page.tsx";
import { withAttemptCookies } from "../../../../../lib/web/authentication/attempt_cookies.ts";
import { idpStep, keyInQuery, LINK, providerInQuery } from "../../../../../lib/web/authentication/idp_sign_in.ts";
import { withData } from "../../../../../lib/web/pages/page_data.ts";
import { EMPTY_PROVEN_FORM, submitWithProof } from "../../../../../lib/web/pages/proof.ts";
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
  async GET(ctx) {
    if (!ctx.url.searchParams.has("provider")) return await chooseWay(ctx);
    const provider = providerInQuery(ctx);
    return await showProvenForm(ctx, async (principal) => {
      await requireLinkable(ctx.state.services, principal, provider.key);
      return { provider };
    }, backToMethods(ctx, ...EXPLAINED_BY_LIST));
  },
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

/** For people who have come with a link that works once. */
async function chooseWay(ctx: Context<State>) {
  const { services } = ctx.state;
  const { identities } = await getAccount(services, await requirePrincipal(ctx));
  const others = services.config.providers.filter(({ key }) => !identities.some(({ provider }) => provider === key));
  const links = others.map(({ key, name }) => ({
    key,
    name,
    href: `${ADD_WAY_PAGE}?${new URLSearchParams({ provider: key })}`,
  }));
  return page({ ...EMPTY_PROVEN_FORM, provider: null, links });
}

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

export default define.page<typeof handler>(function AddIdentityPage({ data, url, state }) {
  const catalog = textsIn(state.language);
  const { settings: { signInMethods: texts }, signIn } = catalog;
  if (data.provider === null) return <ChoicePage links={data.links} next={nextPath({ url, state })} state={state} />;
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

interface ChoiceProps {
  links: IdpLink[];
  next: string | null;
  state: State;
}

function ChoicePage({ links, next, state }: ChoiceProps) {
  const { settings: { signInMethods: { choice: texts } }, signIn } = textsIn(state.language);
  const { config } = state.services;
  return (
    <Page title={texts.title}>
      <p>{texts.lead}</p>
      {config.passkeys.arePossible && (
        <p>
          <a class="button" href={withNext(`${SIGN_IN_METHODS_PAGE}/passkeys/add`, next)}>{texts.passkey}</a>
        </p>
      )}
      <IdpLinks links={links} texts={signIn} />
      {config.signInCodes && <p>{texts.code}</p>}
      <p>
        <a href={next ?? pageAfterLogin(state)}>{texts.later}</a>
      </p>
    </Page>
  );
}
