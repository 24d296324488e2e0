import { page } from "fresh";
import PasswordField from "../../islands/PasswordField.tsx";
import { register } from "../../lib/accounts/registration.ts";
import { EMPTY_FORM, submitForm } from "../../lib/http/pages/form.ts";
import { nextPath, withNext } from "../../lib/http/pages/next_path.ts";
import { redirectWithNotice } from "../../lib/http/pages/notice.ts";
import { countRequest, limited } from "../../lib/http/rate_limit.ts";
import { withSessionCookie } from "../../lib/http/session_cookie.ts";
import { define } from "../../lib/http/state.ts";
import { RegistrationSchema } from "../../lib/schemas/account.ts";
import { EmailField } from "../../lib/ui/EmailField.tsx";
import { Field } from "../../lib/ui/Field.tsx";
import { FormId } from "../../lib/ui/FormId.tsx";
import { FormMessage } from "../../lib/ui/FormMessage.tsx";
import { IdpLink } from "../../lib/ui/IdpLink.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { wordsIn } from "../../lib/words/words.ts";

export const handler = define.handlers({
  GET: () => page(EMPTY_FORM),
  POST: limited("register", (ctx) =>
    submitForm(ctx, RegistrationSchema, async (input) => {
      const { services } = ctx.state;
      await countRequest(ctx);
      const { session } = await register(services, input, await ctx.state.presentedSessionIds());
      return withSessionCookie(redirectWithNotice(ctx, nextPath(ctx) ?? "/dashboard", "registered"), session, services);
    })),
});

export default define.page<typeof handler>(function RegisterPage({ data, url, state }) {
  const { values, message, details } = data;
  const { signIn, frame } = wordsIn(state.language);
  const { title, description, name, emailHint, submit, logIn } = signIn.register;
  const labels = { name, email: signIn.email, password: signIn.password };
  const { idp } = state.services.config;
  const next = nextPath({ url, state });
  return (
    <Page
      title={title}
      windowTitle={message && frame.titleWithError(title)}
      description={description}
      isNarrow
    >
      <form method="post" action={withNext("/register", next)} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={labels} />
        <Field
          name="name"
          label={labels.name}
          autocomplete="name"
          required
          value={values.name}
          errors={details.name}
        />
        <EmailField label={labels.email} hint={emailHint} value={values.email} errors={details.email} />
        <PasswordField language={state.language} label={labels.password} errors={details.password} />
        <button type="submit">{submit}</button>
      </form>
      {idp && <IdpLink href={withNext("/auth/idp", next)} text={signIn.continueWith(idp.name)} />}
      <ul class="other-ways">
        <li>
          <a href={withNext("/login", next)}>{logIn}</a>
        </li>
      </ul>
    </Page>
  );
});
