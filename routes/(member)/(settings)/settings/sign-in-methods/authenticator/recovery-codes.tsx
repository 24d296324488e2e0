import { type Context, page } from "fresh";
import RecoveryCodes from "../../../../../../islands/RecoveryCodes.tsx";
import { getAccount } from "../../../../../../lib/accounts/account.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../../../../../lib/http/pages/proof.ts";
import { RECOVERY_CODES_PAGE, redirectToCodes, takeCodes } from "../../../../../../lib/http/pages/recovery_codes.ts";
import { requirePrincipal } from "../../../../../../lib/http/principal/require_user.ts";
import { define, type State } from "../../../../../../lib/http/state.ts";
import { ButtonFormSchema } from "../../../../../../lib/schemas/account.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../../lib/sign_in/providers/identity_link.ts";
import { renewRecoveryCodes } from "../../../../../../lib/sign_in/second_factor/recovery_codes.ts";
import { ActionPage } from "../../../../../../lib/ui/account/ActionPage.tsx";
import { Page } from "../../../../../../lib/ui/Page.tsx";
import { PRODUCT } from "../../../../../../lib/words/product.ts";
import { wordsIn } from "../../../../../../lib/words/words.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { email, hasTotp, recoveryCodesLeft } = await findAccount(ctx);
    const data = { ...EMPTY_PROVEN_FORM, email, recoveryCodesLeft };
    const { codes, headers } = await takeCodes(ctx);
    if (codes !== null) return page({ ...data, codes }, { headers });
    if (!hasTotp) return ctx.redirect(SIGN_IN_METHODS_PAGE, 303);
    return await askForProof(ctx) ?? page({ ...data, codes });
  },
  async POST(ctx) {
    const { email, recoveryCodesLeft } = await findAccount(ctx);
    const result = await submitWithProof(
      ctx,
      ButtonFormSchema,
      async (_, principal) => await redirectToCodes(ctx, await renewRecoveryCodes(ctx.state.services, principal)),
      { redirectOnError: ({ code }) => code === "NOT_FOUND" ? ctx.redirect(SIGN_IN_METHODS_PAGE, 303) : null },
    );
    if (result instanceof Response) return result;
    return { ...result, data: { ...result.data, email, recoveryCodesLeft, codes: null } };
  },
});

async function findAccount(ctx: Context<State>) {
  return await getAccount(ctx.state.services, await requirePrincipal(ctx));
}

export default define.page<typeof handler>(function RecoveryCodesPage({ data, state: { language } }) {
  const { email, recoveryCodesLeft, codes } = data;
  const catalogue = wordsIn(language);
  const { recoveryCodes: words, secondFactor: { section } } = catalogue;
  if (codes === null) {
    return (
      <ActionPage
        title={words.newTitle}
        action={RECOVERY_CODES_PAGE}
        data={data}
        submit={words.submit}
        cancel={{ href: SIGN_IN_METHODS_PAGE, text: words.cancel }}
        catalogue={catalogue}
      >
        <p>{section.codesLeft(recoveryCodesLeft)} {words.newLead}</p>
      </ActionPage>
    );
  }
  return (
    <Page title={words.title} isNarrow>
      <p>{words.lead}</p>
      <p>
        <strong>{words.once}</strong>
      </p>
      <RecoveryCodes language={language} codes={codes} file={[words.file(PRODUCT, email), ...codes].join("\n")} />
      <p class="no-print">
        <a class="button" href={SIGN_IN_METHODS_PAGE}>{words.done}</a>
      </p>
    </Page>
  );
});
