import { page } from "fresh";
import { clientOf } from "../lib/http/client.ts";
import { submitForm, tokenForm } from "../lib/http/pages/form.ts";
import { LINK_PAGE_HEADERS } from "../lib/http/pages/no_index.ts";
import { redirectWithNotice } from "../lib/http/pages/notice.ts";
import { define } from "../lib/http/state.ts";
import { LinkTokenSchema } from "../lib/schemas/account.ts";
import { findAlertedAddress, reportNotMe } from "../lib/sign_in/not_me.ts";
import { FormId } from "../lib/ui/form/FormId.tsx";
import { FormMessage } from "../lib/ui/form/FormMessage.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { PRODUCT } from "../lib/words/product.ts";
import { wordsIn } from "../lib/words/words.ts";

export const handler = define.handlers({
  GET: (ctx) => page(tokenForm(ctx.url), { headers: LINK_PAGE_HEADERS }),
  POST: (ctx) =>
    submitForm(ctx, LinkTokenSchema, async ({ token }) => {
      await reportNotMe(ctx.state.services, token, clientOf(ctx));
      return redirectWithNotice(ctx, "/login", "account_secured");
    }),
});

/** Asks before acting, because email scanners follow links. */
export default define.page<typeof handler>(async function NotMePage({ data, state }) {
  const { email: { notMe: words }, errors, frame } = wordsIn(state.language);
  const { token } = data.values;
  const email = token ? await findAlertedAddress(state.services, token) : null;
  const message = email === null ? errors.deadLink : data.message;
  return (
    <Page title={words.title} windowTitle={message && frame.titleWithError(words.title)} isNarrow>
      <FormMessage message={message} details={{}} labels={{}} />
      {email === null
        ? (
          <p>
            <a class="button" href="/forgot-password">{words.deadLink}</a>
          </p>
        )
        : (
          <>
            <p>{words.lead(PRODUCT)}</p>
            <ul>
              {words.steps(email).map((step) => <li key={step}>{step}</li>)}
            </ul>
            <form method="post" action="/not-me">
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
