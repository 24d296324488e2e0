import { page } from "fresh";
import { clientOf } from "../lib/http/client.ts";
import { submitForm, tokenForm } from "../lib/http/pages/form.ts";
import { LINK_PAGE_HEADERS } from "../lib/http/pages/no_index.ts";
import { redirectWithNotice } from "../lib/http/pages/notice.ts";
import { define } from "../lib/http/state.ts";
import { LinkTokenSchema } from "../lib/schemas/account.ts";
import { findFactorReset, startFactorReset } from "../lib/sign_in/second_factor/factor_reset.ts";
import { FormId } from "../lib/ui/form/FormId.tsx";
import { FormMessage } from "../lib/ui/form/FormMessage.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { wordsIn } from "../lib/words/words.ts";

export const handler = define.handlers({
  GET: (ctx) => page(tokenForm(ctx.url), { headers: LINK_PAGE_HEADERS }),
  POST: (ctx) =>
    submitForm(ctx, LinkTokenSchema, async ({ token }) => {
      await startFactorReset(ctx.state.services, token, clientOf(ctx));
      return redirectWithNotice(ctx, "/login", "factor_reset_started");
    }),
});

/** Asks before acting, because email scanners follow links. */
export default define.page<typeof handler>(async function FactorResetPage({ data, state }) {
  const { emails, errors, frame, secondFactor: { reset: words } } = wordsIn(state.language);
  const { services } = state;
  const { token } = data.values;
  const email = token ? await findFactorReset(services, token) : null;
  const message = email === null ? errors.deadLink : data.message;
  return (
    <Page title={words.title} windowTitle={message && frame.titleWithError(words.title)} isNarrow>
      <FormMessage message={message} details={{}} labels={{}} />
      {email === null
        ? (
          <p>
            <a class="button" href="/login">{words.deadLink}</a>
          </p>
        )
        : (
          <>
            <p>{words.lead(emails.lifetime(services.config.factorResetSeconds))}</p>
            <p>{words.email(email)} {words.found}</p>
            <form method="post" action="/factor-reset">
              <FormId />
              <input type="hidden" name="token" value={token} />
              <button type="submit">{words.submit}</button>
            </form>
            <p class="hint">{words.hint}</p>
          </>
        )}
    </Page>
  );
});
