import { page } from "fresh";
import { createToken } from "../../../../../lib/accounts/tokens/token_list.ts";
import { redirectWithNotice } from "../../../../../lib/http/pages/notice.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../../../../lib/http/pages/proof.ts";
import { showOnce } from "../../../../../lib/http/pages/shown_once.ts";
import { define } from "../../../../../lib/http/state.ts";
import { ApiTokenFormSchema } from "../../../../../lib/schemas/api_token.ts";
import { ADMIN_SCOPE, SCOPES, TOKEN_DAYS } from "../../../../../lib/schemas/scopes.ts";
import { ProofFields, proofLabels } from "../../../../../lib/ui/account/ProofFields.tsx";
import { Field } from "../../../../../lib/ui/form/Field.tsx";
import { FormId } from "../../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../../../../lib/ui/Page.tsx";
import { wordsIn } from "../../../../../lib/words/words.ts";

const TOKENS_PAGE = "/settings/tokens";

export const handler = define.handlers({
  GET: async (ctx) => await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM),
  POST: (ctx) =>
    submitWithProof(ctx, ApiTokenFormSchema, async ({ tokenName: name, ...input }, principal) => {
      const { token } = await createToken(ctx.state.services, principal, { name, ...input });
      const response = redirectWithNotice(ctx, TOKENS_PAGE, "token_created");
      return await showOnce(ctx, response, { path: TOKENS_PAGE, secret: token });
    }, { errorText: ({ code }, { tokens }) => code === "TOO_MANY" ? tokens.tooMany : undefined }),
});

export default define.page<typeof handler>(async function NewTokenPage({ data, state }) {
  const { values, message, details, proof } = data;
  const { frame, proof: proofWords, tokens: words } = wordsIn(state.language);
  const { user } = (await state.currentSession())!;
  const scopes = SCOPES.filter((scope) => scope !== ADMIN_SCOPE || user.role === "admin");
  const labels = {
    tokenName: words.name,
    scopes: words.permissions,
    expiresInDays: words.days,
    ...proofLabels(proofWords),
  };
  return (
    <Page title={words.createTitle} windowTitle={message && frame.titleWithError(words.createTitle)} isNarrow>
      <form method="post" action={`${TOKENS_PAGE}/new`} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={labels} />
        <Field
          name="tokenName"
          label={labels.tokenName}
          hint={words.nameHint}
          autocomplete="off"
          required
          value={values.tokenName}
          errors={details.tokenName}
        />
        <fieldset id="scopes" tabIndex={-1} aria-describedby={details.scopes && "scopes-error"}>
          <legend>{labels.scopes}</legend>
          {scopes.map((scope) => (
            <label key={scope} class="choice">
              <input type="checkbox" name={scope} defaultChecked={values[scope] !== undefined} />
              {words.scopes[scope]}
            </label>
          ))}
          {details.scopes && <p class="field-error" id="scopes-error">{details.scopes.join(". ")}</p>}
        </fieldset>
        <Field
          name="expiresInDays"
          label={labels.expiresInDays}
          hint={words.daysHint}
          autocomplete="off"
          inputmode="numeric"
          required
          value={values.expiresInDays ?? String(TOKEN_DAYS.default)}
          errors={details.expiresInDays}
        />
        <ProofFields proof={proof} details={details} words={proofWords} />
        <button type="submit">{words.create}</button>
      </form>
      <p>
        <a href={TOKENS_PAGE}>{words.back}</a>
      </p>
    </Page>
  );
});
