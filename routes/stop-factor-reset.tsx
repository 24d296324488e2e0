import { page } from "fresh";
import { submitForm, tokenForm } from "../lib/http/pages/form.ts";
import { LINK_PAGE_HEADERS } from "../lib/http/pages/no_index.ts";
import { redirectWithNotice } from "../lib/http/pages/notice.ts";
import { define } from "../lib/http/state.ts";
import { LinkTokenSchema } from "../lib/schemas/account.ts";
import { findWaitingReset, stopFactorReset } from "../lib/sign_in/second_factor/factor_reset.ts";
import { FormId } from "../lib/ui/form/FormId.tsx";
import { FormMessage } from "../lib/ui/form/FormMessage.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { wordsIn } from "../lib/words/words.ts";

export const handler = define.handlers({
  GET: (ctx) => page(tokenForm(ctx.url), { headers: LINK_PAGE_HEADERS }),
  POST: (ctx) =>
    submitForm(ctx, LinkTokenSchema, async ({ token }) => {
      await stopFactorReset(ctx.state.services, token);
      return redirectWithNotice(ctx, "/login", "factor_reset_stopped");
    }),
});

/** Asks before acting, because email scanners follow links. */
export default define.page<typeof handler>(async function StopFactorResetPage({ data, state }) {
  const { errors, frame, secondFactor: { reset, stop: words } } = wordsIn(state.language);
  const { token } = data.values;
  const dueAt = token ? await findWaitingReset(state.services, token) : null;
  const message = dueAt === null ? errors.deadLink : data.message;
  return (
    <Page title={words.title} windowTitle={message && frame.titleWithError(words.title)} isNarrow>
      <FormMessage message={message} details={{}} labels={{}} />
      {dueAt === null
        ? (
          <p>
            <a class="button" href="/login">{reset.deadLink}</a>
          </p>
        )
        : (
          <>
            <p>{words.lead(words.date(dueAt))}</p>
            <p>{words.warning}</p>
            <form method="post" action="/stop-factor-reset">
              <FormId />
              <input type="hidden" name="token" value={token} />
              <button type="submit">{words.submit}</button>
            </form>
          </>
        )}
    </Page>
  );
});
