import { page } from "fresh";
import PasswordField from "../islands/PasswordField.tsx";
import { resetPassword } from "../lib/sign_in/password_reset.ts";
import { linkForm, submitForm } from "../lib/http/pages/form.ts";
import { redirectWithNotice } from "../lib/http/pages/notice.ts";
import { define } from "../lib/http/state.ts";
import { PasswordResetSchema } from "../lib/schemas/account.ts";
import { EmailField } from "../lib/ui/EmailField.tsx";
import { FormId } from "../lib/ui/FormId.tsx";
import { FormMessage } from "../lib/ui/FormMessage.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { PRODUCT } from "../lib/words/product.ts";
import { type Words, wordsIn } from "../lib/words/words.ts";

export const handler = define.handlers({
  GET: (ctx) => page(linkForm(ctx.url), { headers: { "Cache-Control": "no-store" } }),
  POST: (ctx) =>
    submitForm(ctx, PasswordResetSchema, async (input) => {
      await resetPassword(ctx.state.services, input);
      return redirectWithNotice(ctx, "/login", isInvitation(ctx.url) ? "invitation_accepted" : "password_changed");
    }),
});

export default define.page<typeof handler>(function ResetPasswordPage({ data, url, state }) {
  const { values, message, details } = data;
  const { signIn, frame } = wordsIn(state.language);
  if (!values.token) return <MissingLink words={signIn.reset} />;
  const { title, password, submit } = isInvitation(url) ? signIn.invitation : signIn.reset;
  return (
    <Page title={title} windowTitle={message && frame.titleWithError(title)} isNarrow>
      {isInvitation(url) && <p>{signIn.invitation.lead(PRODUCT)}</p>}
      <form method="post" action={isInvitation(url) ? "/reset-password?invitation=true" : "/reset-password"} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={{ email: signIn.email, password }} />
        <input type="hidden" name="token" value={values.token} />
        <EmailField label={signIn.email} readonly value={values.email} errors={details.email} />
        <PasswordField language={state.language} label={password} errors={details.password} />
        <button type="submit">{submit}</button>
      </form>
      <ul class="other-ways">
        <li>
          <a href="/forgot-password">{signIn.reset.newLink}</a>
        </li>
      </ul>
    </Page>
  );
});

/** The link of an invitation differs only in the texts of its page. */
function isInvitation(url: URL): boolean {
  return url.searchParams.has("invitation");
}

function MissingLink({ words }: { words: Words["signIn"]["reset"] }) {
  return (
    <Page title={words.title} isNarrow>
      <p>{words.missingLink}</p>
      <p>
        <a class="button" href="/forgot-password">{words.newLink}</a>
      </p>
    </Page>
  );
}
