import { page } from "fresh";
import { requestPasswordReset } from "../lib/sign_in/password_reset.ts";
import { EMPTY_FORM, submitForm } from "../lib/http/pages/form.ts";
import { redirectWithNotice } from "../lib/http/pages/notice.ts";
import { countRequest, limited } from "../lib/http/rate_limit.ts";
import { define } from "../lib/http/state.ts";
import { ForgotPasswordSchema } from "../lib/schemas/account.ts";
import { EMAIL_LABEL, EmailField } from "../lib/ui/EmailField.tsx";
import { FormId } from "../lib/ui/FormId.tsx";
import { FormMessage } from "../lib/ui/FormMessage.tsx";
import { Page } from "../lib/ui/Page.tsx";

const LABELS = { email: EMAIL_LABEL };

export const handler = define.handlers({
  GET: () => page(EMPTY_FORM),
  POST: limited("mail", (ctx) =>
    submitForm(ctx, ForgotPasswordSchema, async (input) => {
      await countRequest(ctx);
      await requestPasswordReset(ctx.state.services, input);
      return redirectWithNotice(ctx, "/forgot-password", "reset_sent");
    })),
});

export default define.page<typeof handler>(function ForgotPasswordPage({ data: { values, message, details } }) {
  return (
    <Page title="Forgot your password?" isNarrow hasError={message !== undefined}>
      <p>Tell us your address, and we mail you a link with which you choose a new password.</p>
      <form method="post" action="/forgot-password" novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={LABELS} />
        <EmailField value={values.email} errors={details.email} />
        <button type="submit">Send me a link</button>
      </form>
      <ul class="other-ways">
        <li>
          <a href="/login">Back to the login</a>
        </li>
      </ul>
    </Page>
  );
});
