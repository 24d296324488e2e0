import { page } from "fresh";
import { issueApiToken } from "../../../../../lib/access/token_list.ts";
import { withUser } from "../../../../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../../../../lib/web/pages/notice.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../../../../lib/web/pages/proof.ts";
import { showOnce } from "../../../../../lib/web/pages/shown_once.ts";
import { pageHandlers } from "../../../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../../../lib/web/state.ts";
import { ApiTokenFormSchema } from "../../../../../lib/access/schema.ts";
import { ADMIN_SCOPE, SCOPES, TOKEN_DAYS } from "../../../../../lib/schemas/scopes.ts";
import { ProofFields, proofLabels } from "../../../../../lib/ui/account/ProofFields.tsx";
import { Field } from "../../../../../lib/ui/form/Field.tsx";
import { FormId } from "../../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../../../../lib/ui/Page.tsx";
import { textsIn } from "../../../../../lib/texts/texts.ts";
import { tokenScopeTexts } from "../../../(_components)/token_scopes.ts";

const TOKENS_PAGE = "/settings/tokens";

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "security" }, {
  GET: async (ctx) => withUser(ctx, await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM)),
  async POST(ctx) {
    const result = await submitWithProof(ctx, ApiTokenFormSchema, async ({ tokenName: name, ...input }, principal) => {
      const { token } = await issueApiToken(ctx.state.services, principal, { name, ...input });
      const response = redirectWithNotice(ctx, TOKENS_PAGE, "token_created");
      return await showOnce(ctx, response, { path: TOKENS_PAGE, secret: token });
    }, { errorText: ({ code }, { tokens }) => code === "TOO_MANY" ? tokens.tooMany : undefined });
    return await withUser(ctx, result);
  },
});

export default define.page<typeof handler>(function NewTokenPage({ data, state }) {
  const { values, message, details, proof, user } = data;
  const catalog = textsIn(state.language);
  const { frame, proof: proofTexts, tokens: texts } = catalog;
  const { config } = state.services;
  const scopes = SCOPES.filter((scope) => scope !== ADMIN_SCOPE || user.role === "admin");
  const labels = {
    tokenName: texts.name,
    scopes: texts.permissions,
    expiresInDays: texts.days,
    ...proofLabels(proofTexts),
  };
  return (
    <Page
      title={texts.createTitle}
      windowTitle={message && frame.titleWithError({ title: texts.createTitle })}
      back={{ href: TOKENS_PAGE, text: texts.title }}
    >
      <form method="post" action={`${TOKENS_PAGE}/new`} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={labels} />
        <Field
          name="tokenName"
          label={labels.tokenName}
          hint={texts.nameHint}
          autocomplete="off"
          required
          value={values.tokenName}
          errors={details.tokenName}
        />
        <fieldset
          id="scopes"
          tabindex={-1}
          autofocus={details.scopes !== undefined}
          aria-describedby={details.scopes && "scopes-error"}
        >
          <legend>{labels.scopes}</legend>
          {tokenScopeTexts(scopes, { config, texts }).map(([scope, text]) => (
            <label key={scope} class="choice">
              <input type="checkbox" name={scope} checked={values[scope] !== undefined} />
              {text}
            </label>
          ))}
          {details.scopes && <p class="field-error" id="scopes-error">{details.scopes.join(". ")}</p>}
        </fieldset>
        <Field
          name="expiresInDays"
          label={labels.expiresInDays}
          hint={texts.daysHint}
          autocomplete="off"
          inputmode="numeric"
          required
          value={values.expiresInDays ?? String(TOKEN_DAYS.default)}
          errors={details.expiresInDays}
        />
        <ProofFields proof={proof} details={details} texts={catalog} />
        <button type="submit">{texts.create}</button>
      </form>
    </Page>
  );
});
