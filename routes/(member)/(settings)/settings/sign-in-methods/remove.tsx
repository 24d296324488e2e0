import { providerInQuery } from "../../../../../lib/web/authentication/idp_sign_in.ts";
import { redirectWithNotice } from "../../../../../lib/web/pages/notice.ts";
import { withData } from "../../../../../lib/web/pages/page_data.ts";
import { submitWithProof } from "../../../../../lib/web/pages/proof.ts";
import { backToMethods, showProvenForm } from "../../../../../lib/web/pages/proven_page.ts";
import { pageHandlers } from "../../../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../../../lib/web/state.ts";
import { ButtonFormSchema } from "../../../../../lib/sign_in/schema.ts";
import { getIdentity, unlinkIdentity } from "../../../../../lib/sign_in/providers/identity.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../lib/sign_in/providers/identity_link.ts";
import { ActionPage } from "../../../../../lib/ui/account/ActionPage.tsx";
import { textsIn } from "../../../../../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "security" }, {
  GET: (ctx) =>
    showProvenForm(ctx, async (principal) => {
      const provider = providerInQuery(ctx);
      await getIdentity(ctx.state.services, principal, provider.key);
      return { provider };
    }, backToMethods(ctx, "NOT_FOUND")),
  async POST(ctx) {
    const { services } = ctx.state;
    const provider = providerInQuery(ctx);
    const result = await submitWithProof(ctx, ButtonFormSchema, async (_, principal) => {
      const { id } = await getIdentity(services, principal, provider.key);
      await unlinkIdentity(services, principal, id);
      return redirectWithNotice(ctx, SIGN_IN_METHODS_PAGE, "identity_removed");
    }, {
      errorText: (error, { settings: { signInMethods } }) =>
        error.is("LAST_SIGN_IN_METHOD") && error.data.reason === "required"
          ? signInMethods.required({ provider: provider.name })
          : undefined,
    });
    return await withData(result, () => ({ provider }));
  },
});

export default define.page<typeof handler>(function RemoveIdentityPage({ data, state: { language } }) {
  const catalog = textsIn(language);
  const texts = catalog.settings.signInMethods;
  const { key, name: provider } = data.provider;
  return (
    <ActionPage
      title={texts.removeTitle({ provider })}
      action={`${SIGN_IN_METHODS_PAGE}/remove?${new URLSearchParams({ provider: key })}`}
      data={data}
      submit={texts.removeOf({ provider })}
      isRemoval
      cancel={{ href: SIGN_IN_METHODS_PAGE, text: texts.keep({ provider }) }}
      catalog={catalog}
    >
      <p>{texts.removeLead({ provider })}</p>
    </ActionPage>
  );
});
