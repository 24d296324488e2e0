import { page } from "fresh";
import PasswordField from "../../islands/PasswordField.tsx";
import { register } from "../../lib/accounts/registration.ts";
import { EMPTY_FORM, submitForm } from "../../lib/http/pages/form.ts";
import { redirectWithNotice } from "../../lib/http/pages/notice.ts";
import { countRequest, limited } from "../../lib/http/rate_limit.ts";
import { withSessionCookie } from "../../lib/http/session_cookie.ts";
import { define } from "../../lib/http/state.ts";
import { RegistrationSchema } from "../../lib/schemas/account.ts";
import { EMAIL_LABEL, EmailField } from "../../lib/ui/EmailField.tsx";
import { Field } from "../../lib/ui/Field.tsx";
import { FormId } from "../../lib/ui/FormId.tsx";
import { FormMessage } from "../../lib/ui/FormMessage.tsx";
import { IdpLink } from "../../lib/ui/IdpLink.tsx";
import { Page } from "../../lib/ui/Page.tsx";

const LABELS = { name: "Your name", email: EMAIL_LABEL, password: "Password" };

export const handler = define.handlers({
  GET: () => page(EMPTY_FORM),
  POST: limited("register", (ctx) =>
    submitForm(ctx, RegistrationSchema, async (input) => {
      const { services } = ctx.state;
      await countRequest(ctx);
      const { session } = await register(services, input, await ctx.state.presentedSessionIds());
      return withSessionCookie(redirectWithNotice(ctx, "/dashboard", "registered"), session, services);
    })),
});

export default define.page<typeof handler>(function RegisterPage({ data, state }) {
  const { values, message, details } = data;
  return (
    <Page
      title="Register"
      description="Make an account: a name, an email address and a password are all it takes."
      isNarrow
      hasError={message !== undefined}
    >
      <form method="post" action="/register" novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={LABELS} />
        <Field
          name="name"
          label={LABELS.name}
          autocomplete="name"
          required
          value={values.name}
          errors={details.name}
        />
        <EmailField
          hint="We send one mail there, to confirm that it is yours."
          value={values.email}
          errors={details.email}
        />
        <PasswordField label={LABELS.password} errors={details.password} />
        <button type="submit">Register</button>
      </form>
      <IdpLink name={state.services.config.idp?.name} />
      <ul class="other-ways">
        <li>
          <a href="/login">I have an account already</a>
        </li>
      </ul>
    </Page>
  );
});
