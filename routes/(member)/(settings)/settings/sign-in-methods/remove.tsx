import { type Context, page } from "fresh";
import { getAccount } from "../../../../../lib/accounts/account.ts";
import { providerName } from "../../../../../lib/accounts/identities.ts";
import { keyInQuery } from "../../../../../lib/web/authentication/idp_sign_in.ts";
import type { Principal } from "../../../../../lib/access/principal.ts";
import { redirectWithNotice } from "../../../../../lib/web/pages/notice.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../../../../lib/web/pages/proof.ts";
import { requirePrincipal } from "../../../../../lib/web/authentication/require_user.ts";
import { limited } from "../../../../../lib/web/middleware/rate_limit.ts";
import { define, type State } from "../../../../../lib/web/state.ts";
import { ButtonFormSchema } from "../../../../../lib/schemas/account.ts";
import { unlinkIdentity } from "../../../../../lib/sign_in/providers/identity.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../lib/sign_in/providers/identity_link.ts";
import { ActionPage } from "../../../../../lib/ui/account/ActionPage.tsx";
import { textsIn } from "../../../../../lib/texts/texts.ts";

export const handler = define.handlers({
  async GET(ctx) {
    if (await findIdentityId(ctx, await requirePrincipal(ctx)) === undefined) {
      return ctx.redirect(SIGN_IN_METHODS_PAGE, 303);
    }
    return await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM);
  },
  POST: limited("security", (ctx) =>
    submitWithProof(ctx, ButtonFormSchema, async (_, principal) => {
      await unlinkIdentity(ctx.state.services, principal, await findIdentityId(ctx, principal) ?? "");
      return redirectWithNotice(ctx, SIGN_IN_METHODS_PAGE, "identity_removed");
    })),
});

/** The id of the person's identity at the provider in the query. */
async function findIdentityId({ url, state }: Context<State>, principal: Principal): Promise<string | undefined> {
  const { identities } = await getAccount(state.services, principal);
  return identities.find(({ provider }) => provider === keyInQuery(url))?.id;
}

export default define.page<typeof handler>(function RemoveIdentityPage({ data, url, state: { language, services } }) {
  const catalogue = textsIn(language);
  const texts = catalogue.settings.signInMethods;
  const key = keyInQuery(url);
  const provider = providerName(services.config, key);
  return (
    <ActionPage
      title={texts.removeTitle(provider)}
      action={`${SIGN_IN_METHODS_PAGE}/remove?${new URLSearchParams({ provider: key })}`}
      data={data}
      submit={texts.remove(provider)}
      isRemoval
      cancel={{ href: SIGN_IN_METHODS_PAGE, text: texts.keep(provider) }}
      catalogue={catalogue}
    >
      <p>{texts.removeLead(provider)}</p>
    </ActionPage>
  );
});
