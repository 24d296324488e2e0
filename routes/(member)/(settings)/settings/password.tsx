import { type Context, page, type PageResponse } from "fresh";
import PasswordField from "../../../../islands/PasswordField.tsx";
import type { Principal } from "../../../../lib/access/principal.ts";
import { type FormState, submitForm } from "../../../../lib/web/pages/form.ts";
import { withData } from "../../../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../../../lib/web/pages/notice.ts";
import {
  askForProof,
  EMPTY_PROVEN_FORM,
  type ProvenFormState,
  submitWithProof,
  wrongProofText,
} from "../../../../lib/web/pages/proof.ts";
import { requireSameUser, requireUser } from "../../../../lib/web/authentication/require_user.ts";
import { pageHandlers } from "../../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../../lib/web/state.ts";
import { type PasswordChangeForm, PasswordChangeFormSchema } from "../../../../lib/sign_in/schema.ts";
import { changePassword } from "../../../../lib/sign_in/password_change.ts";
import { mayUsePassword } from "../../../../lib/config/passwords_setting.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../lib/sign_in/providers/identity_link.ts";
import { listProofMethods } from "../../../../lib/sign_in/proof.ts";
import type { User } from "../../../../lib/users/user_row.ts";
import { EmailField } from "../../../../lib/ui/form/EmailField.tsx";
import { Field } from "../../../../lib/ui/form/Field.tsx";
import { FormId } from "../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../../../lib/ui/Page.tsx";
import { ProofFields, proofLabels } from "../../../../lib/ui/account/ProofFields.tsx";
import { ShowPassword } from "../../../../lib/ui/form/ShowPassword.tsx";
import { passwordTexts } from "../../../../lib/texts/password_texts.ts";
import { textsIn } from "../../../../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "security" }, {
  async GET(ctx) {
    const account = await findAccount(ctx);
    if (!mayUsePassword(ctx.state.services.config, account.hasPassword ? "open" : "first")) {
      return ctx.redirect(SIGN_IN_METHODS_PAGE, 303);
    }
    const redirect = account.hasPassword ? null : await askForProof(ctx);
    return redirect ?? page({ ...EMPTY_PROVEN_FORM, ...account });
  },
  async POST(ctx) {
    const account = await findAccount(ctx);
    const result = account.hasPassword ? await submitPassword(ctx) : await submitFirstPassword(ctx);
    return await withData(result, (form) => ({ proof: null, ...form, ...account }));
  },
});

/** What the page shows about the account. Without a password, the form adds the first one. */
async function findAccount(ctx: Context<State>): Promise<{ user: User; hasPassword: boolean }> {
  const user = await requireUser(ctx);
  const methods = await listProofMethods(ctx.state.services, user.id);
  return { user, hasPassword: methods.includes("password") };
}

/** The current password in the form is the proof. */
function submitPassword(ctx: Context<State>): Promise<Response | PageResponse<FormState>> {
  return submitForm(ctx, PasswordChangeFormSchema, (input) => change(ctx, input), {
    errorText: (error, texts) => wrongProofText(error, texts.proof),
  });
}

function submitFirstPassword(ctx: Context<State>): Promise<Response | PageResponse<ProvenFormState>> {
  return submitWithProof(ctx, PasswordChangeFormSchema, (input, principal) => change(ctx, input, principal));
}

async function change(
  ctx: Context<State>,
  { password, userId, ...input }: PasswordChangeForm,
  proved?: Principal,
): Promise<Response> {
  const principal = await requireSameUser(ctx, userId);
  await changePassword(ctx.state.services, proved ?? principal, {
    ...input,
    newPassword: password,
    newPasswordField: "password",
  });
  return redirectWithNotice(
    ctx,
    "/settings/password",
    input.keepOthers ? "password_saved" : "password_saved_others_ended",
  );
}

export default define.page<typeof handler>(function PasswordPage({ data, state }) {
  const { user, hasPassword, values, message, details, proof } = data;
  const catalog = textsIn(state.language);
  const { frame, password, proof: proofTexts, settings, signIn } = catalog;
  const texts = hasPassword ? settings.password : settings.firstPassword;
  const labels = {
    currentPassword: proofTexts.password,
    password: settings.newPassword,
    ...proofLabels(proofTexts),
  };
  return (
    <Page title={texts.title} windowTitle={message && frame.titleWithError({ title: texts.title })}>
      <p>{texts.lead}</p>
      <form method="post" action="/settings/password" novalidate>
        <FormId />
        <input type="hidden" name="userId" value={values.userId ?? user.id} />
        <FormMessage message={message} details={details} labels={labels} />
        <EmailField label={signIn.email} readonly value={user.email} />
        {hasPassword && (
          <Field
            name="currentPassword"
            label={labels.currentPassword}
            type="password"
            autocomplete="current-password"
            required
            errors={details.currentPassword}
            button={<ShowPassword texts={password} />}
          />
        )}
        <PasswordField
          texts={passwordTexts(state.language)}
          label={labels.password}
          errors={details.password}
        />
        <ProofFields proof={proof} details={details} texts={catalog} />
        <label class="choice">
          <input type="checkbox" name="keepOthers" checked={values.keepOthers !== undefined} />
          {settings.keepOthers}
        </label>
        <button type="submit">{texts.submit}</button>
      </form>
      {hasPassword && (
        <p>
          <a href={`/forgot-password?${new URLSearchParams({ email: user.email })}`}>{signIn.login.forgot}</a>
        </p>
      )}
    </Page>
  );
});
