import { page } from "fresh";
import { clientOf } from "../lib/http/client.ts";
import { submitForm, tokenForm } from "../lib/http/pages/form.ts";
import { LINK_PAGE_HEADERS } from "../lib/http/pages/no_index.ts";
import { redirectWithNotice } from "../lib/http/pages/notice.ts";
import { define } from "../lib/http/state.ts";
import { LinkTokenSchema } from "../lib/schemas/account.ts";
import { confirmEmailChange, findEmailChange } from "../lib/sign_in/email_change.ts";
import { FormId } from "../lib/ui/form/FormId.tsx";
import { FormMessage } from "../lib/ui/form/FormMessage.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { PRODUCT } from "../lib/words/product.ts";
import { wordsIn } from "../lib/words/words.ts";

export const handler = define.handlers({
  GET: (ctx) => page(tokenForm(ctx.url), { headers: LINK_PAGE_HEADERS }),
  POST: (ctx) =>
    submitForm(ctx, LinkTokenSchema, async ({ token }) => {
      const userId = await confirmEmailChange(ctx.state.services, token, clientOf(ctx));
      const session = await ctx.state.currentSession();
      return session?.user.id === userId
        ? redirectWithNotice(ctx, "/settings/email", "email_changed")
        : redirectWithNotice(ctx, "/login", "email_changed_log_in");
    }),
});

/** Asks before confirming, because email scanners follow links. */
export default define.page<typeof handler>(async function ConfirmEmailPage({ data, state }) {
  const { email: { confirm: words, title: changeTitle }, errors, frame } = wordsIn(state.language);
  const { token } = data.values;
  const email = token ? await findEmailChange(state.services, token) : null;
  const message = data.code === "EMAIL_TAKEN" ? words.taken : email === null ? errors.deadLink : data.message;
  return (
    <Page title={words.title} windowTitle={message && frame.titleWithError(words.title)} isNarrow>
      <FormMessage message={message} details={{}} labels={{}} />
      {email === null || data.code === "EMAIL_TAKEN"
        ? (
          <p>
            <a class="button" href="/settings/email">{changeTitle}</a>
          </p>
        )
        : (
          <>
            <p>{words.question(PRODUCT, email)}</p>
            <p>{words.lead}</p>
            <form method="post" action="/confirm-email">
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
