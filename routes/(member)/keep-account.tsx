import { page } from "fresh";
import { restoreAccount } from "../../lib/operations/account_closing.ts";
import { EMPTY_FORM, submitForm } from "../../lib/http/pages/form.ts";
import { nextPath, withNext } from "../../lib/http/pages/next_path.ts";
import { redirectWithNotice } from "../../lib/http/pages/notice.ts";
import { requirePrincipal, requireUser } from "../../lib/http/principal/require_user.ts";
import { define } from "../../lib/http/state.ts";
import { ButtonFormSchema } from "../../lib/schemas/account.ts";
import { FormId } from "../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { wordsIn } from "../../lib/words/words.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { deletionDueAt } = await requireUser(ctx);
    return deletionDueAt === null ? ctx.redirect(nextPath(ctx) ?? "/dashboard", 303) : page(EMPTY_FORM);
  },
  POST: (ctx) =>
    submitForm(ctx, ButtonFormSchema, async () => {
      await restoreAccount(ctx.state.services, await requirePrincipal(ctx));
      return redirectWithNotice(ctx, nextPath(ctx) ?? "/dashboard", "account_kept");
    }),
});

export default define.page<typeof handler>(async function KeepAccountPage({ data, url, state }) {
  const { closing } = wordsIn(state.language);
  const words = closing.keep;
  const { deletionDueAt } = (await state.currentSession())!.user;
  return (
    <Page title={words.title} isNarrow>
      {deletionDueAt !== null && <p>{words.lead(closing.date(deletionDueAt))}</p>}
      <form method="post" action={withNext("/keep-account", nextPath({ url, state }))}>
        <FormId />
        <FormMessage message={data.message} details={data.details} labels={{}} />
        <button type="submit">{words.submit}</button>
      </form>
      <p>
        <a href="/settings/data/export">{words.download}</a>
      </p>
      <form method="post" action="/logout">
        <button class="secondary" type="submit">{words.logOut}</button>
      </form>
    </Page>
  );
});
