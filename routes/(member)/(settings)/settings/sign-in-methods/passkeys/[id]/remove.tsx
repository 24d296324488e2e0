import { type Context, page, type PageResponse } from "fresh";
import { redirectWithNotice } from "../../../../../../../lib/http/pages/notice.ts";
import {
  askForProof,
  EMPTY_PROVEN_FORM,
  type ProvenFormState,
  submitWithProof,
} from "../../../../../../../lib/http/pages/proof.ts";
import { requirePrincipal } from "../../../../../../../lib/http/principal/require_user.ts";
import { define, type State } from "../../../../../../../lib/http/state.ts";
import { ButtonFormSchema } from "../../../../../../../lib/schemas/account.ts";
import { getPasskey } from "../../../../../../../lib/sign_in/passkeys/passkey.ts";
import { removePasskey } from "../../../../../../../lib/sign_in/passkeys/passkey_removal.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../../../lib/sign_in/providers/identity_link.ts";
import { ProofFields, proofLabels } from "../../../../../../../lib/ui/account/ProofFields.tsx";
import { FormId } from "../../../../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../../../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../../../../../../lib/ui/Page.tsx";
import { wordsIn } from "../../../../../../../lib/words/words.ts";

export const handler = define.handlers({
  GET: async (ctx) => await askForProof(ctx) ?? await withPasskey(ctx, page(EMPTY_PROVEN_FORM)),
  async POST(ctx) {
    const result = await submitWithProof(ctx, ButtonFormSchema, async (_, principal) => {
      await removePasskey(ctx.state.services, principal, ctx.params.id);
      return redirectWithNotice(ctx, SIGN_IN_METHODS_PAGE, "passkey_removed");
    }, {
      redirectOnError: ({ code }) => code === "NOT_FOUND" ? ctx.redirect(SIGN_IN_METHODS_PAGE, 303) : null,
      errorText: ({ code }, { passkeys }) => code === "LAST_SIGN_IN_METHOD" ? passkeys.removal.last : undefined,
    });
    return result instanceof Response ? result : await withPasskey(ctx, result);
  },
});

async function withPasskey(ctx: Context<State>, result: PageResponse<ProvenFormState>) {
  const passkey = await getPasskey(ctx.state.services, await requirePrincipal(ctx), ctx.params.id);
  return { ...result, data: { ...result.data, passkey } };
}

export default define.page<typeof handler>(function RemovePasskeyPage({ data, state: { language } }) {
  const { message, details, proof, passkey: { id, name } } = data;
  const { frame, passkeys: { removal: words }, proof: proofWords } = wordsIn(language);
  const title = words.title(name);
  return (
    <Page title={title} windowTitle={message && frame.titleWithError(title)} isNarrow>
      <p>{words.lead}</p>
      <form method="post" action={`${SIGN_IN_METHODS_PAGE}/passkeys/${id}/remove`} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={proofLabels(proofWords)} />
        <ProofFields proof={proof} details={details} words={proofWords} />
        <button type="submit">{words.submit}</button>
      </form>
      <p>
        <a href={SIGN_IN_METHODS_PAGE}>{words.keep}</a>
      </p>
    </Page>
  );
});
