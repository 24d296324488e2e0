import { redirectWithNotice } from "../../../../../../lib/web/pages/notice.ts";
import { submitWithProof } from "../../../../../../lib/web/pages/proof.ts";
import { backToMethods, showProvenForm } from "../../../../../../lib/web/pages/proven_page.ts";
import { pageHandlers } from "../../../../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../../../../lib/web/state.ts";
import { ButtonFormSchema } from "../../../../../../lib/sign_in/schema.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../../lib/sign_in/providers/identity_link.ts";
import { requireTotp } from "../../../../../../lib/sign_in/second_factor/recovery_codes.ts";
import { disableTotp } from "../../../../../../lib/sign_in/second_factor/totp_setup.ts";
import { ActionPage } from "../../../../../../lib/ui/account/ActionPage.tsx";
import { textsIn } from "../../../../../../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "security" }, {
  GET: (ctx) =>
    showProvenForm(ctx, (principal) => requireTotp(ctx.state.services, principal), backToMethods(ctx, "NOT_FOUND")),
  POST: (ctx) =>
    submitWithProof(ctx, ButtonFormSchema, async (_, principal) => {
      await disableTotp(ctx.state.services, principal);
      return redirectWithNotice(ctx, SIGN_IN_METHODS_PAGE, "totp_removed");
    }, { redirectOnError: backToMethods(ctx, "NOT_FOUND") }),
});

export default define.page<typeof handler>(function RemoveAuthenticatorPage({ data, state: { language } }) {
  const catalog = textsIn(language);
  const texts = catalog.secondFactor.remove;
  return (
    <ActionPage
      title={texts.title}
      action={`${SIGN_IN_METHODS_PAGE}/authenticator/remove`}
      data={data}
      submit={texts.submit}
      isRemoval
      cancel={{ href: SIGN_IN_METHODS_PAGE, text: texts.cancel }}
      catalog={catalog}
    >
      <p>{texts.lead}</p>
    </ActionPage>
  );
});
