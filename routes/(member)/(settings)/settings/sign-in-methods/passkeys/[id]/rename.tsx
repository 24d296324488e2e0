import { type Context, page, type PageResponse } from "fresh";
import { EMPTY_FORM, type FormState, submitForm } from "../../../../../../../lib/web/pages/form.ts";
import { withData } from "../../../../../../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../../../../../../lib/web/pages/notice.ts";
import { requirePrincipal } from "../../../../../../../lib/web/authentication/require_user.ts";
import { pageHandlers } from "../../../../../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../../../../../lib/web/state.ts";
import { PasskeyRenameFormSchema } from "../../../../../../../lib/sign_in/passkeys/schema.ts";
import { getPasskey, renamePasskey } from "../../../../../../../lib/sign_in/passkeys/passkey.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../../../lib/sign_in/providers/identity_link.ts";
import { Field } from "../../../../../../../lib/ui/form/Field.tsx";
import { FormId } from "../../../../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../../../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../../../../../../lib/ui/Page.tsx";
import { textsIn } from "../../../../../../../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "write" }, {
  GET: (ctx) => withPasskey(ctx, page(EMPTY_FORM)),
  async POST(ctx) {
    const { services } = ctx.state;
    const result = await submitForm(ctx, PasskeyRenameFormSchema, async ({ passkeyName: name }) => {
      await renamePasskey(services, await requirePrincipal(ctx), { id: ctx.params.id, name });
      return redirectWithNotice(ctx, SIGN_IN_METHODS_PAGE, "passkey_renamed");
    });
    return await withPasskey(ctx, result);
  },
});

function withPasskey(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  return withData(result, async () => ({
    passkey: await getPasskey(ctx.state.services, await requirePrincipal(ctx), ctx.params.id),
  }));
}

export default define.page<typeof handler>(function RenamePasskeyPage({ data, state: { language } }) {
  const { values, message, details, passkey: { id, name } } = data;
  const { frame, passkeys: { renaming: texts, addition }, settings } = textsIn(language);
  return (
    <Page
      title={texts.title}
      windowTitle={message && frame.titleWithError({ title: texts.title })}
      back={{ href: SIGN_IN_METHODS_PAGE, text: settings.signInMethods.title }}
    >
      <form method="post" action={`${SIGN_IN_METHODS_PAGE}/passkeys/${id}/rename`} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={{ passkeyName: addition.name }} />
        <Field
          name="passkeyName"
          label={addition.name}
          autocomplete="off"
          required
          value={values.passkeyName ?? name}
          errors={details.passkeyName}
        />
        <button type="submit">{texts.submit}</button>
      </form>
    </Page>
  );
});
