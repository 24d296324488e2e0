import { page } from "fresh";
import { getAccount, identitiesOf } from "../../../../../lib/accounts/account.ts";
import { passkeyPlace } from "../../../../../lib/http/pages/passkeys.ts";
import { requirePrincipal } from "../../../../../lib/http/principal/require_user.ts";
import { define } from "../../../../../lib/http/state.ts";
import { userHandleOf } from "../../../../../lib/sign_in/passkeys/options.ts";
import { listPasskeys } from "../../../../../lib/sign_in/passkeys/passkey.ts";
import { MAX_PASSKEYS } from "../../../../../lib/sign_in/passkeys/passkey_addition.ts";
import { PasskeyList } from "../../../../../lib/ui/account/PasskeyList.tsx";
import { FormMessage } from "../../../../../lib/ui/form/FormMessage.tsx";
import { linkRefusalText } from "../../../../../lib/ui/idp_refusal_text.ts";
import { Page } from "../../../../../lib/ui/Page.tsx";
import { wordsIn } from "../../../../../lib/words/words.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { services, notice } = ctx.state;
    const principal = await requirePrincipal(ctx);
    return page({
      ...await getAccount(services, principal),
      passkeys: await listPasskeys(services, principal),
      removedBy: notice === "passkey_removed" ? userHandleOf(principal.user.id) : null,
    });
  },
});

export default define.page<typeof handler>(function SignInMethodsPage({ data: account, url, state }) {
  const { config } = state.services;
  const catalogue = wordsIn(state.language);
  const { frame, settings: { password, firstPassword, signInMethods: words } } = catalogue;
  const { hasPassword, isLinked, email_verified: isVerified } = account;
  const refusal = url.searchParams.get("error");
  const message = config.idp && linkRefusalText(words, { refusal, provider: config.idp.name });
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
      <PasskeyList
        passkeys={account.passkeys}
        max={MAX_PASSKEYS}
        place={passkeyPlace({ url, state })}
        removedBy={account.removedBy}
        words={catalogue}
      />
      {identitiesOf(account, config).map(({ id, name }) => (
        <section key={id} class="card">
          <h2>{name}</h2>
          <p>{hasPassword ? words.linked(name) : words.last(name)}</p>
          {hasPassword && (
            <p>
              <a class="button secondary" href="/settings/sign-in-methods/remove">{words.remove(name)}</a>
            </p>
          )}
        </section>
      ))}
      {!isLinked && config.idp && (
        <section class="card">
          <h2>{config.idp.name}</h2>
          <p>{(isVerified ? words.notLinked : words.verifyFirst)(config.idp.name)}</p>
          {isVerified && (
            <p>
              <a class="button secondary" href="/settings/sign-in-methods/add">{words.add(config.idp.name)}</a>
            </p>
          )}
        </section>
      )}
    </Page>
  );
});
