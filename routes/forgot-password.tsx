import { page } from "fresh";
import { requestPasswordReset } from "../lib/sign_in/password_reset.ts";
import { linkForm, submitForm } from "../lib/web/pages/form.ts";
import { nextPath, withNext } from "../lib/web/pages/next_path.ts";
import { redirectWithNotice } from "../lib/web/pages/notice.ts";
import { limited } from "../lib/web/middleware/rate_limit.ts";
import { define } from "../lib/web/state.ts";
import { ForgotPasswordSchema } from "../lib/schemas/account.ts";
import { EmailField } from "../lib/ui/form/EmailField.tsx";
import { FormId } from "../lib/ui/form/FormId.tsx";
import { FormMessage } from "../lib/ui/form/FormMessage.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { textsIn } from "../lib/texts/texts.ts";

export const handler = define.handlers({
  GET: (ctx) => page(linkForm(ctx.url)),
  POST: limited("mail", (ctx) =>
    submitForm(ctx, ForgotPasswordSchema, async (input) => {
      const next = nextPath(ctx);
      const isExhausted = await requestPasswordReset(ctx.state.services, { ...input, next });
      const path = `/forgot-password?${new URLSearchParams({ email: input.email })}`;
      return redirectWithNotice(ctx, withNext(path, next), isExhausted ? "emails_used_up" : "reset_sent");
    })),
}, { whileClosing: "open" });

export default define.page<typeof handler>(function ForgotPasswordPage({ data, url, state }) {
  const { values, message, details } = data;
  const { signIn, frame } = textsIn(state.language);
  const { title, lead, submit } = signIn.forgot;
  const next = nextPath({ url, state });
  return (
    <Page title={title} windowTitle={message && frame.titleWithError(title)} isNarrow>
      <p>{lead}</p>
      <form method="post" action={withNext("/forgot-password", next)} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={{ email: signIn.email }} />
        <EmailField label={signIn.email} value={values.email} errors={details.email} />
        <button type="submit">{submit}</button>
      </form>
      <ul class="other-ways">
        <li>
          <a href={withNext("/login", next)}>{signIn.backToLogin}</a>
        </li>
      </ul>
    </Page>
  );
});
