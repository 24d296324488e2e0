import { page } from "fresh";
import { mayUsePassword } from "../../../../../lib/config/passwords_setting.ts";
import { requiredProvider } from "../../../../../lib/config/sign_in_domains.ts";
import { countWaysIn, getAccount } from "../../../../../lib/accounts/own_account.ts";
import { identityView } from "../../../../../lib/accounts/identities.ts";
import { refusedProviderName } from "../../../../../lib/web/authentication/idp_sign_in.ts";
import { passkeyPlace } from "../../../../../lib/web/pages/passkeys.ts";
import { requirePrincipal } from "../../../../../lib/web/authentication/require_user.ts";
import { pageHandlers } from "../../../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../../../lib/web/state.ts";
import { userHandleOf } from "../../../../../lib/sign_in/passkeys/options.ts";
import { listPasskeys } from "../../../../../lib/sign_in/passkeys/passkey.ts";
import { MAX_PASSKEYS } from "../../../../../lib/sign_in/passkeys/passkey_addition.ts";
import { PasskeyList } from "../../../../../lib/ui/account/PasskeyList.tsx";
import { TotpSection } from "../../../../../lib/ui/account/TotpSection.tsx";
import { IdentityCards } from "../../../../../lib/ui/account/IdentityCards.tsx";
import { FormMessage } from "../../../../../lib/ui/form/FormMessage.tsx";
import { linkRefusalText } from "../../../../../lib/ui/idp_refusal_text.ts";
import { Page } from "../../../../../lib/ui/Page.tsx";
import { textsIn } from "../../../../../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "member", whileClosing: "refused" }, {
  async GET(ctx) {
    const { services, notice } = ctx.state;
    const { config } = services;
    const principal = await requirePrincipal(ctx);
    const account = await getAccount(services, principal);
    const linked = account.identities.map((identity) => identityView(identity, { account, config }));
    return page({
      ...account,
      linked,
      others: config.providers.filter(({ key }) => !linked.some(({ provider }) => provider === key)),
      requiredProvider: requiredProvider(config, account.email),
      isOnlyWay: countWaysIn(account, services) === 1,
      hasProviders: config.providers.length > 0,
      refusedBy: refusedProviderName(config, ctx.url),
      passkeys: await listPasskeys(services, principal),
      removedBy: notice === "passkey_removed" ? userHandleOf(principal.user.id) : null,
    });
  },
});

export default define.page<typeof handler>(function SignInMethodsPage({ data: account, url, state }) {
  const catalog = textsIn(state.language);
  const { frame, secondFactor, settings: { password, firstPassword, signInMethods: texts } } = catalog;
  const { hasPassword, email_verified: isVerified } = account;
  const refusal = url.searchParams.get("error");
  const message = account.hasProviders ? linkRefusalText(texts, { refusal, provider: account.refusedBy }) : undefined;
  return (
    <Page title={texts.title} windowTitle={message && frame.titleWithError({ title: texts.title })}>
      <FormMessage message={message} details={{}} labels={{}} />
      {mayUsePassword(state.services.config, hasPassword ? "open" : "first") && (
        <section class="card">
          <h2>{texts.password}</h2>
          <p>{hasPassword ? texts.hasPassword : texts.noPassword}</p>
          <p>
            <a class="button secondary" href="/settings/password">{(hasPassword ? password : firstPassword).submit}</a>
          </p>
        </section>
      )}
      <PasskeyList
        passkeys={account.passkeys}
        max={MAX_PASSKEYS}
        place={passkeyPlace({ url, state })}
        removedBy={account.removedBy}
        language={state.language}
      />
      <TotpSection account={account} texts={secondFactor.section} />
      <IdentityCards
        linked={account.linked}
        others={account.others}
        isVerified={isVerified}
        requiredProvider={account.requiredProvider}
        isOnlyWay={account.isOnlyWay}
        hasFirstPasswords={mayUsePassword(state.services.config, "first")}
        texts={texts}
      />
    </Page>
  );
});
