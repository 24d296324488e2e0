import { page } from "fresh";
import { requestPasswordReset } from "../lib/sign_in/password_reset.ts";
import { EMPTY_FORM, submitForm } from "../lib/http/pages/form.ts";
import { redirectWithNotice } from "../lib/http/pages/notice.ts";
import { countRequest, limited } from "../lib/http/rate_limit.ts";
import { define } from "../lib/http/state.ts";
import { ForgotPasswordSchema } from "../lib/schemas/account.ts";
import { EmailField } from "../lib/ui/EmailField.tsx";
import { FormId } from "../lib/ui/FormId.tsx";
import { FormMessage } from "../lib/ui/FormMessage.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { wordsIn } from "../lib/words/words.ts";

export const handler = define.handlers({
  GET: () => page(EMPTY_FORM),
  POST: limited("mail", (ctx) =>
    submitForm(ctx, ForgotPasswordSchema, async (input) => {
      await countRequest(ctx);
      await requestPasswordReset(ctx.state.services, input);
      return redirectWithNotice(ctx, "/forgot-password", "reset_sent");
    })),
});

export default define.page<typeof handler>(function ForgotPasswordPage({ data, state }) {
  const { values, message, details } = data;
  const { signIn, frame } = wordsIn(state.language);
  const { title, lead, submit } = signIn.forgot;
  return (
    <Page title={title} windowTitle={message && frame.titleWithError(title)} isNarrow>
      <p>{lead}</p>
      <form method="post" action="/forgot-password" novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={{ email: signIn.email }} />
        <EmailField label={signIn.email} value={values.email} errors={details.email} />
        <button type="submit">{submit}</button>
      </form>
      <ul class="other-ways">
        <li>
          <a href="/login">{signIn.backToLogin}</a>
        </li>
      </ul>
    </Page>
  );
});
