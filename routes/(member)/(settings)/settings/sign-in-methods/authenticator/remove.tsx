import { page } from "fresh";
import { getAccount } from "../../../../../../lib/accounts/account.ts";
import { redirectWithNotice } from "../../../../../../lib/web/pages/notice.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../../../../../lib/web/pages/proof.ts";
import { requirePrincipal } from "../../../../../../lib/web/authentication/require_user.ts";
import { limited } from "../../../../../../lib/web/middleware/rate_limit.ts";
import { define } from "../../../../../../lib/web/state.ts";
import { ButtonFormSchema } from "../../../../../../lib/schemas/account.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../../lib/sign_in/providers/identity_link.ts";
import { disableTotp } from "../../../../../../lib/sign_in/second_factor/totp_setup.ts";
import { ActionPage } from "../../../../../../lib/ui/account/ActionPage.tsx";
import { textsIn } from "../../../../../../lib/texts/texts.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { hasTotp } = await getAccount(ctx.state.services, await requirePrincipal(ctx));
    if (!hasTotp) return ctx.redirect(SIGN_IN_METHODS_PAGE, 303);
    return await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM);
  },
  POST: limited("security", (ctx) =>
    submitWithProof(ctx, ButtonFormSchema, async (_, principal) => {
      await disableTotp(ctx.state.services, principal);
      return redirectWithNotice(ctx, SIGN_IN_METHODS_PAGE, "totp_removed");
    }, { redirectOnError: ({ code }) => code === "NOT_FOUND" ? ctx.redirect(SIGN_IN_METHODS_PAGE, 303) : null })),
});

export default define.page<typeof handler>(function RemoveAuthenticatorPage({ data, state: { language } }) {
  const catalogue = textsIn(language);
  const texts = catalogue.secondFactor.remove;
  return (
    <ActionPage
      title={texts.title}
      action={`${SIGN_IN_METHODS_PAGE}/authenticator/remove`}
      data={data}
      submit={texts.submit}
      isRemoval
      cancel={{ href: SIGN_IN_METHODS_PAGE, text: texts.cancel }}
      catalogue={catalogue}
    >
      <p>{texts.lead}</p>
    </ActionPage>
  );
});
