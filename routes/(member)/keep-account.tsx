import { page } from "fresh";
import { restoreAccount } from "../../lib/accounts/account_closing.ts";
import { EMPTY_FORM, submitForm } from "../../lib/web/pages/form.ts";
import { withUser } from "../../lib/web/pages/page_data.ts";
import { nextPath, pageAfterLogin, withNext } from "../../lib/web/pages/next_path.ts";
import { redirectWithNotice } from "../../lib/web/pages/notice.ts";
import { requirePrincipal, requireUser } from "../../lib/web/authentication/require_user.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define } from "../../lib/web/state.ts";
import { ButtonFormSchema } from "../../lib/sign_in/schema.ts";
import { FormId } from "../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { textsIn } from "../../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "member", whileClosing: "open", whileWaiting: "open", limit: "write" }, {
  async GET(ctx) {
    const { deletionDueAt } = await requireUser(ctx);
    if (deletionDueAt === null) return ctx.redirect(nextPath(ctx) ?? pageAfterLogin(ctx.state), 303);
    return await withUser(ctx, page(EMPTY_FORM));
  },
  async POST(ctx) {
    const result = await submitForm(ctx, ButtonFormSchema, async () => {
      await restoreAccount(ctx.state.services, await requirePrincipal(ctx));
      return redirectWithNotice(ctx, nextPath(ctx) ?? pageAfterLogin(ctx.state), "account_kept");
    });
    return await withUser(ctx, result);
  },
});

export default define.page<typeof handler>(function KeepAccountPage({ data, url, state }) {
  const { keep: texts } = textsIn(state.language).closing;
  const { deletionDueAt } = data.user;
  return (
    <Page title={texts.title} isAuth>
      {deletionDueAt !== null && <p>{texts.lead({ date: deletionDueAt })}</p>}
      <form method="post" action={withNext("/keep-account", nextPath({ url, state }))}>
        <FormId />
        <FormMessage message={data.message} details={data.details} labels={{}} />
        <button type="submit">{texts.submit}</button>
      </form>
      <p>
        <a href="/settings/data/export">{texts.download}</a>
      </p>
      <form method="post" action="/logout">
        <button class="secondary" type="submit">{texts.logOut}</button>
      </form>
    </Page>
  );
});
