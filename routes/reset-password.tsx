import { page } from "fresh";
import PasswordField from "../islands/PasswordField.tsx";
import { resetPassword } from "../lib/sign_in/password_reset.ts";
import { linkForm, submitForm } from "../lib/http/pages/form.ts";
import { redirectWithNotice } from "../lib/http/pages/notice.ts";
import { define } from "../lib/http/state.ts";
import { PasswordResetSchema } from "../lib/schemas/account.ts";
import { EMAIL_LABEL, EmailField } from "../lib/ui/EmailField.tsx";
import { FormId } from "../lib/ui/FormId.tsx";
import { FormMessage } from "../lib/ui/FormMessage.tsx";
import { Page } from "../lib/ui/Page.tsx";

const RESET = { title: "Choose a new password", password: "New password", button: "Set the new password" };
const INVITATION = { title: "Accept your invitation", password: "Password", button: "Save password" };

export const handler = define.handlers({
  GET: (ctx) => page(linkForm(ctx.url), { headers: { "Cache-Control": "no-store" } }),
  POST: (ctx) =>
    submitForm(ctx, PasswordResetSchema, async (input) => {
      await resetPassword(ctx.state.services, input);
      return redirectWithNotice(ctx, "/login", isInvitation(ctx.url) ? "invitation_accepted" : "password_changed");
    }),
});

export default define.page<typeof handler>(function ResetPasswordPage({ data, url }) {
  const { values, message, details } = data;
  if (!values.token) return <MissingLink />;
  const words = isInvitation(url) ? INVITATION : RESET;
  return (
    <Page title={words.title} isNarrow hasError={message !== undefined}>
      {isInvitation(url) && <p>Choose a password to start using your account.</p>}
      <form method="post" action={isInvitation(url) ? "/reset-password?invitation=true" : "/reset-password"} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={{ email: EMAIL_LABEL, password: words.password }} />
        <input type="hidden" name="token" value={values.token} />
        <EmailField readonly value={values.email} errors={details.email} />
        <PasswordField label={words.password} errors={details.password} />
        <button type="submit">{words.button}</button>
      </form>
      <ul class="other-ways">
        <li>
          <a href="/forgot-password">Send me a new link</a>
        </li>
      </ul>
    </Page>
  );
});

/** The link of an invitation says so; only words depend on it. */
function isInvitation(url: URL): boolean {
  return url.searchParams.has("invitation");
}

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
