import { type Context, page, type PageResponse } from "fresh";
import RecoveryCodes from "../../../../../../islands/RecoveryCodes.tsx";
import { getAccount } from "../../../../../../lib/accounts/own_account.ts";
import type { Principal } from "../../../../../../lib/access/principal.ts";
import { withData } from "../../../../../../lib/web/pages/page_data.ts";
import { EMPTY_PROVEN_FORM, type ProvenFormState, submitWithProof } from "../../../../../../lib/web/pages/proof.ts";
import { backToMethods, showProvenForm } from "../../../../../../lib/web/pages/proven_page.ts";
import { RECOVERY_CODES_PAGE, redirectToCodes, takeCodes } from "../../../../../../lib/web/pages/recovery_codes.ts";
import { requirePrincipal } from "../../../../../../lib/web/authentication/require_user.ts";
import { nextPath } from "../../../../../../lib/web/pages/next_path.ts";
import { pageHandlers } from "../../../../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../../../../lib/web/state.ts";
import { ButtonFormSchema } from "../../../../../../lib/sign_in/schema.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../../lib/sign_in/providers/identity_link.ts";
import { renewRecoveryCodes, requireTotp } from "../../../../../../lib/sign_in/second_factor/recovery_codes.ts";
import { ActionPage } from "../../../../../../lib/ui/account/ActionPage.tsx";
import { Page } from "../../../../../../lib/ui/Page.tsx";
import { textsIn } from "../../../../../../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "security" }, {
  async GET(ctx) {
    const { codes, headers } = await takeCodes(ctx);
    const find = (principal: Principal) => requireTotp(ctx.state.services, principal);
    const result = codes === null
      ? await showProvenForm(ctx, find, backToMethods(ctx, "NOT_FOUND"))
      : page(EMPTY_PROVEN_FORM, { headers });
    return await withCodes(ctx, result, codes);
  },
  async POST(ctx) {
    const result = await submitWithProof(
      ctx,
      ButtonFormSchema,
      async (_, principal) => await redirectToCodes(ctx, await renewRecoveryCodes(ctx.state.services, principal)),
      { redirectOnError: backToMethods(ctx, "NOT_FOUND") },
    );
    return await withCodes(ctx, result, null);
  },
});

/** Adds new codes, if there are any, and how many old ones are left. */
function withCodes(
  ctx: Context<State>,
  result: Response | PageResponse<ProvenFormState>,
  codes: string[] | null,
) {
  return withData(result, async () => {
    const { email, recoveryCodesLeft } = await getAccount(ctx.state.services, await requirePrincipal(ctx));
    return { email, recoveryCodesLeft, codes };
  });
}

export default define.page<typeof handler>(function RecoveryCodesPage({ data, url, state }) {
  const { email, recoveryCodesLeft, codes } = data;
  const catalog = textsIn(state.language);
  const { recoveryCodes: { file, ...texts }, secondFactor: { section } } = catalog;
  if (codes === null) {
    return (
      <ActionPage
        title={texts.newTitle}
        action={RECOVERY_CODES_PAGE}
        data={data}
        submit={texts.submit}
        cancel={{ href: SIGN_IN_METHODS_PAGE, text: texts.cancel }}
        catalog={catalog}
      >
        <p>{section.codesLeft({ left: recoveryCodesLeft })} {texts.newLead}</p>
      </ActionPage>
    );
  }
  return (
    <Page title={texts.title} styles="/second_factor.css">
      <p>{texts.lead}</p>
      <p>
        <strong>{texts.once}</strong>
      </p>
      <RecoveryCodes
        texts={texts}
        codes={codes}
        file={[file({ email }), ...codes].join("\n")}
      />
      <p class="hint no-print without-scripts">{texts.printHint}</p>
      <p class="no-print">
        <a class="button" href={nextPath({ url, state }) ?? SIGN_IN_METHODS_PAGE}>{texts.done}</a>
      </p>
    </Page>
  );
});
