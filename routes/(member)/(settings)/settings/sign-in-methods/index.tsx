import { page } from "fresh";
import { getAccount, identitiesOf } from "../../../../../lib/accounts/account.ts";
import { requirePrincipal } from "../../../../../lib/http/principal/require_user.ts";
import { define } from "../../../../../lib/http/state.ts";
import { FormMessage } from "../../../../../lib/ui/form/FormMessage.tsx";
import { linkRefusalText } from "../../../../../lib/ui/idp_refusal_text.ts";
import { Page } from "../../../../../lib/ui/Page.tsx";
import { wordsIn } from "../../../../../lib/words/words.ts";

export const handler = define.handlers({
  GET: async (ctx) => page(await getAccount(ctx.state.services, await requirePrincipal(ctx))),
});

export default define.page<typeof handler>(function SignInMethodsPage({ data: account, url, state }) {
  const { config } = state.services;
  const { frame, settings: { password, firstPassword, signInMethods: words } } = wordsIn(state.language);
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
