import { type Context, page, type PageResponse } from "fresh";
import { updateProfile } from "../../../../lib/accounts/profile.ts";
import { requireSameUser } from "../../../../lib/web/authentication/require_user.ts";
import { EMPTY_FORM, type FormState, submitForm } from "../../../../lib/web/pages/form.ts";
import { withLanguage } from "../../../../lib/web/pages/language_choice.ts";
import { redirectWithNotice } from "../../../../lib/web/pages/notice.ts";
import { withData, withUser } from "../../../../lib/web/pages/page_data.ts";
import { pageHandlers } from "../../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../../lib/web/state.ts";
import { LanguageFormSchema } from "../../../../lib/accounts/schema.ts";
import { FormId } from "../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../../../lib/ui/Page.tsx";
import { textsIn } from "../../../../lib/texts/texts.ts";

const PATH = "/settings/language";

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "profile" }, {
  GET: (ctx) => withLanguages(ctx, page(EMPTY_FORM)),
  async POST(ctx) {
    const { services } = ctx.state;
    const result = await submitForm(ctx, LanguageFormSchema, async ({ user_id, language }) => {
      const user = await updateProfile(services, await requireSameUser(ctx, user_id), { language });
      return withLanguage(redirectWithNotice(ctx, PATH, "language_saved"), user.language, services.config);
    });
    return await withLanguages(ctx, result);
  },
});

/** Adds the languages to choose from. */
async function withLanguages(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  const { byTag } = ctx.state.services.languages;
  return await withData(await withUser(ctx, result), () => ({ languages: [...byTag.values()] }));
}

export default define.page<typeof handler>(function LanguagePage({ data, state }) {
  const { message, details, user, languages } = data;
  const { frame, settings: { language: texts } } = textsIn(state.language);
  const choices = [{ tag: "", name: texts.automatic }, ...languages];
  return (
    <Page title={texts.title} windowTitle={message && frame.titleWithError({ title: texts.title })}>
      <form method="post" action={PATH} novalidate>
        <FormId />
        <input type="hidden" name="user_id" value={user.id} />
        <FormMessage message={message} details={details} labels={{ language: texts.title }} />
        <fieldset
          id="language"
          tabindex={-1}
          autofocus={details.language !== undefined}
          aria-describedby={details.language && "language-error"}
        >
          <legend>{texts.lead}</legend>
          {choices.map(({ tag, name }) => (
            <label key={tag} class="choice" lang={tag || undefined}>
              <input type="radio" name="language" value={tag} checked={tag === (user.language ?? "")} />
              {name}
            </label>
          ))}
          {details.language && <p class="field-error" id="language-error">{details.language.join(". ")}</p>}
        </fieldset>
        <button type="submit">{texts.submit}</button>
      </form>
    </Page>
  );
});
