import { page } from "fresh";
import PasswordField from "../islands/PasswordField.tsx";
import { resetPassword } from "../lib/accounts/password_reset.ts";
import { linkForm, submitForm } from "../lib/http/form.ts";
import { redirectWithNotice } from "../lib/http/notice.ts";
import { define } from "../lib/http/state.ts";
import { PasswordResetSchema } from "../lib/schemas/account.ts";
import { EMAIL_LABEL, EmailField } from "../lib/ui/EmailField.tsx";
import { FormId } from "../lib/ui/FormId.tsx";
import { FormMessage } from "../lib/ui/FormMessage.tsx";
import { Page } from "../lib/ui/Page.tsx";

const LABELS = { email: EMAIL_LABEL, password: "New password" };

export const handler = define.handlers({
  GET: (ctx) => page(linkForm(ctx.url), { headers: { "Cache-Control": "no-store" } }),
  POST: (ctx) =>
    submitForm(ctx, PasswordResetSchema, async (input) => {
      await resetPassword(ctx.state.services, input);
      return redirectWithNotice(ctx, "/login", "password_changed");
    }),
});

export default define.page<typeof handler>(function ResetPasswordPage({ data: { values, message, details } }) {
  if (!values.token) return <MissingLink />;
  return (
    <Page title="Choose a new password" isNarrow hasError={message !== undefined}>
      <form method="post" action="/reset-password" novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={LABELS} />
        <input type="hidden" name="token" value={values.token} />
        <EmailField readonly value={values.email} errors={details.email} />
        <PasswordField label={LABELS.password} errors={details.password} />
        <button type="submit">Set the new password</button>
      </form>
      <ul class="other-ways">
        <li>
          <a href="/forgot-password">Send me a new link</a>
        </li>
      </ul>
    </Page>
  );
});

function MissingLink() {
  return (
    <Page title="Choose a new password" isNarrow>
      <p>This page needs the link that we mailed to you. Each link works once, and only the newest one does.</p>
      <p>
        <a class="button" href="/forgot-password">Send me a new link</a>
      </p>
    </Page>
  );
}
