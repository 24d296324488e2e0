import { getAccount } from "../../../../../../lib/accounts/own_account.ts";
import { withData } from "../../../../../../lib/web/pages/page_data.ts";
import { submitWithProof } from "../../../../../../lib/web/pages/proof.ts";
import { backToMethods, showProvenForm } from "../../../../../../lib/web/pages/proven_page.ts";
import { requirePrincipal } from "../../../../../../lib/web/authentication/require_user.ts";
import { nextPath, withNext } from "../../../../../../lib/web/pages/next_path.ts";
import { pageHandlers } from "../../../../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../../../../lib/web/state.ts";
import { ButtonFormSchema } from "../../../../../../lib/sign_in/schema.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../../lib/sign_in/providers/identity_link.ts";
import { findReplacedTotp, startTotp } from "../../../../../../lib/sign_in/second_factor/totp_setup.ts";
import { ActionPage } from "../../../../../../lib/ui/account/ActionPage.tsx";
import { textsIn } from "../../../../../../lib/texts/texts.ts";

const PAGE = `${SIGN_IN_METHODS_PAGE}/authenticator`;

export const handler = pageHandlers(
  { who: "member", whileClosing: "refused", whileWaiting: "open", limit: "security" },
  {
    GET: (ctx) =>
      showProvenForm(
        ctx,
        (principal) => findReplacedTotp(ctx.state.services, principal),
        backToMethods(ctx, "EMAIL_NOT_VERIFIED"),
      ),
    async POST(ctx) {
      const { services } = ctx.state;
      const result = await submitWithProof(ctx, ButtonFormSchema, async (_, principal) => {
        await startTotp(services, principal);
        return ctx.redirect(withNext(`${PAGE}/confirm`, nextPath(ctx)), 303);
      }, { redirectOnError: backToMethods(ctx, "EMAIL_NOT_VERIFIED") });
      return await withData(result, async () => {
        const { hasTotp } = await getAccount(services, await requirePrincipal(ctx));
        return { hasTotp };
      });
    },
  },
);

export default define.page<typeof handler>(function AuthenticatorPage({ data, url, state }) {
  const catalog = textsIn(state.language);
  const texts = catalog.secondFactor.setup;
  return (
    <ActionPage
      title={texts.title}
      action={withNext(PAGE, nextPath({ url, state }))}
      data={data}
      submit={texts.start}
      cancel={{ href: SIGN_IN_METHODS_PAGE, text: texts.cancel }}
      catalog={catalog}
    >
      <p>{texts.lead}</p>
      {data.hasTotp && <p>{texts.replaces}</p>}
    </ActionPage>
  );
});
