import { type Context, page } from "fresh";
import CopyToken from "../../../../../../islands/CopyToken.tsx";
import {
  askForProof,
  EMPTY_PROVEN_FORM,
  findMissingProof,
  submitWithProof,
} from "../../../../../../lib/web/pages/proof.ts";
import { withData } from "../../../../../../lib/web/pages/page_data.ts";
import { redirectToCodes } from "../../../../../../lib/web/pages/recovery_codes.ts";
import { requirePrincipal } from "../../../../../../lib/web/authentication/require_user.ts";
import { withNotice } from "../../../../../../lib/web/pages/notice.ts";
import { nextPath, withNext } from "../../../../../../lib/web/pages/next_path.ts";
import { pageHandlers } from "../../../../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../../../../lib/web/state.ts";
import { SecondFactorSchema } from "../../../../../../lib/sign_in/schema.ts";
import type { TotpSetupView } from "../../../../../../lib/sign_in/second_factor/schema.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../../lib/sign_in/providers/identity_link.ts";
import { confirmTotp, findPendingTotp } from "../../../../../../lib/sign_in/second_factor/totp_setup.ts";
import { ProofFields, proofLabels } from "../../../../../../lib/ui/account/ProofFields.tsx";
import { Field } from "../../../../../../lib/ui/form/Field.tsx";
import { FormId } from "../../../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../../../../../lib/ui/Page.tsx";
import { type Texts, textsIn } from "../../../../../../lib/texts/texts.ts";

const START_PAGE = `${SIGN_IN_METHODS_PAGE}/authenticator`;

export const handler = pageHandlers({ who: "member", whileClosing: "refused", whileWaiting: "open", limit: "proof" }, {
  async GET(ctx) {
    return await withData(await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM), async () => {
      const setup = await findSetup(ctx);
      return setup === null ? ctx.redirect(withNext(START_PAGE, nextPath(ctx)), 303) : { setup };
    });
  },
  async POST(ctx) {
    const { services } = ctx.state;
    const result = await submitWithProof(
      ctx,
      SecondFactorSchema,
      async ({ code }, principal) => {
        const codes = await confirmTotp(services, principal, code);
        return withNotice(await redirectToCodes(ctx, codes), "totp_added", services.config);
      },
      { errorText: ({ code }, { secondFactor }) => code === "PROOF_WRONG" ? secondFactor.setup.wrong : undefined },
    );
    return await withData(result, async () => ({ setup: await findSetup(ctx) }));
  },
});

/** The key is shown only to a person who has recently proved who they are. */
async function findSetup(ctx: Context<State>): Promise<TotpSetupView | null> {
  if (await findMissingProof(ctx) !== null) return null;
  return await findPendingTotp(ctx.state.services, await requirePrincipal(ctx));
}

export default define.page<typeof handler>(function ConfirmAuthenticatorPage({ data, url, state }) {
  const { values, message, proof, setup } = data;
  const catalog = textsIn(state.language);
  const next = nextPath({ url, state });
  const { frame, proof: proofTexts, secondFactor: { setup: texts } } = catalog;
  const isExpired = setup === null && proof === null;
  const details = isExpired ? {} : data.details; // The code is no longer what is wrong.
  return (
    <Page
      title={texts.title}
      windowTitle={message && frame.titleWithError({ title: texts.title })}
      styles="/second_factor.css"
    >
      {setup !== null && <TotpKey setup={setup} texts={texts} />}
      <form method="post" action={withNext(`${START_PAGE}/confirm`, next)} novalidate>
        <FormId />
        <FormMessage
          message={isExpired ? texts.expired : message}
          details={details}
          labels={{ code: texts.code, ...proofLabels(proofTexts) }}
        />
        <Field
          name="code"
          label={texts.code}
          hint={texts.codeHint}
          value={proof === null ? undefined : values.code}
          autocomplete="one-time-code"
          inputmode="numeric"
          isCode
          required
          errors={details.code}
        />
        <ProofFields proof={proof} details={details} texts={catalog} />
        <button type="submit">{texts.submit}</button>
      </form>
      <p>
        <a href={isExpired ? withNext(START_PAGE, next) : SIGN_IN_METHODS_PAGE}>
          {isExpired ? texts.startAgain : texts.cancel}
        </a>
      </p>
    </Page>
  );
});

/**
 * What people give to their authenticator app: a QR code, and the same as text for those who cannot scan it. Nobody
 * scans their own phone, so the link to the app comes first there.
 */
function TotpKey({ setup, texts }: { setup: TotpSetupView; texts: Texts["secondFactor"]["setup"] }) {
  const { copy, copied, copyFailed } = texts;
  return (
    <div class="totp">
      <p>{texts.scan}</p>
      {/* The code is drawn by us, from characters that we have encoded. */}
      <div class="qr-code" role="img" aria-label={texts.qr} dangerouslySetInnerHTML={{ __html: setup.qr }} />
      <p class="open-app">
        <a href={setup.uri}>{texts.openApp}</a>
      </p>
      <p>{texts.secret}</p>
      <CopyToken texts={{ copy, copied, copyFailed }} token={setup.secret.replaceAll(/.{4}(?=.)/g, "$& ")} />
    </div>
  );
}
