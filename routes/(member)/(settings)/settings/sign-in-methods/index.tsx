import { page } from "fresh";
import { countWaysIn, getAccount } from "../../../../../lib/accounts/account.ts";
import { identityView } from "../../../../../lib/accounts/identities.ts";
import { onlyProviderName } from "../../../../../lib/http/idp_sign_in.ts";
import { requirePrincipal } from "../../../../../lib/http/principal/require_user.ts";
import { define } from "../../../../../lib/http/state.ts";
import { TotpSection } from "../../../../../lib/ui/account/TotpSection.tsx";
import { IdentityCards } from "../../../../../lib/ui/account/IdentityCards.tsx";
import { FormMessage } from "../../../../../lib/ui/form/FormMessage.tsx";
import { linkRefusalText } from "../../../../../lib/ui/idp_refusal_text.ts";
import { Page } from "../../../../../lib/ui/Page.tsx";
import { wordsIn } from "../../../../../lib/words/words.ts";

export const handler = define.handlers({
  GET: async (ctx) => page(await getAccount(ctx.state.services, await requirePrincipal(ctx))),
});

export default define.page<typeof handler>(function SignInMethodsPage({ data: account, url, state }) {
  const { config } = state.services;
  const { frame, secondFactor, settings: { password, firstPassword, signInMethods: words } } = wordsIn(state.language);
  const { hasPassword, email_verified: isVerified } = account;
  const linked = account.identities.map((identity) => identityView(identity, { account, config }));
  const refusal = url.searchParams.get("error");
  const message = config.providers.length === 0
    ? undefined
    : linkRefusalText(words, { refusal, provider: onlyProviderName(config) });
  return (
    <Page title={words.title} windowTitle={message && frame.titleWithError(words.title)}>
      <FormMessage message={message} details={{}} labels={{}} />
      <p>{words.lead}</p>
      <section class="card">
        <h2>{words.password}</h2>
        <p>{hasPassword ? words.hasPassword : words.noPassword}</p>
        <p>
          <a class="button secondary" href="/settings/password">{(hasPassword ? password : firstPassword).submit}</a>
        </p>
      </section>
      <TotpSection account={account} words={secondFactor.section} />
      <IdentityCards
        linked={linked}
        others={config.providers.filter(({ key }) => !linked.some(({ provider }) => provider === key))}
        isVerified={isVerified}
        isOnlyWay={countWaysIn(account) === 1}
        words={words}
      />
    </Page>
  );
});
