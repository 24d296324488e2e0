import { page } from "fresh";
import { getAccount } from "../../../../../../lib/accounts/account.ts";
import { withData } from "../../../../../../lib/web/pages/page_data.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../../../../../lib/web/pages/proof.ts";
import { requirePrincipal } from "../../../../../../lib/web/authentication/require_user.ts";
import { limited } from "../../../../../../lib/web/middleware/rate_limit.ts";
import { define } from "../../../../../../lib/web/state.ts";
import { ButtonFormSchema } from "../../../../../../lib/schemas/account.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../../lib/sign_in/providers/identity_link.ts";
import { startTotp } from "../../../../../../lib/sign_in/second_factor/totp_setup.ts";
import { ActionPage } from "../../../../../../lib/ui/account/ActionPage.tsx";
import { textsIn } from "../../../../../../lib/texts/texts.ts";

const PAGE = `${SIGN_IN_METHODS_PAGE}/authenticator`;

export const handler = define.handlers({
  async GET(ctx) {
    const { email_verified: isVerified, hasTotp } = await getAccount(ctx.state.services, await requirePrincipal(ctx));
    if (!isVerified) return ctx.redirect(SIGN_IN_METHODS_PAGE, 303);
    return await askForProof(ctx) ?? page({ ...EMPTY_PROVEN_FORM, hasTotp });
  },
  POST: limited("security", async (ctx) => {
    const { hasTotp } = await getAccount(ctx.state.services, await requirePrincipal(ctx));
    const result = await submitWithProof(ctx, ButtonFormSchema, async (_, principal) => {
      await startTotp(ctx.state.services, principal);
      return ctx.redirect(`${PAGE}/confirm`, 303);
    }, {
      redirectOnError: ({ code }) => code === "EMAIL_NOT_VERIFIED" ? ctx.redirect(SIGN_IN_METHODS_PAGE, 303) : null,
    });
    return await withData(result, () => ({ hasTotp }));
  }),
});

export default define.page<typeof handler>(function AuthenticatorPage({ data, state: { language } }) {
  const catalogue = textsIn(language);
  const texts = catalogue.secondFactor.setup;
  return (
    <ActionPage
      title={texts.title}
      action={PAGE}
      data={data}
      submit={texts.start}
      cancel={{ href: SIGN_IN_METHODS_PAGE, text: texts.cancel }}
      catalogue={catalogue}
    >
      <p>{texts.lead}</p>
      {data.hasTotp && <p>{texts.replaces}</p>}
    </ActionPage>
  );
});
