import { page } from "fresh";
import { login } from "../../lib/sign_in/login.ts";
import { EMPTY_FORM, submitForm } from "../../lib/http/pages/form.ts";
import { redirectWithNotice } from "../../lib/http/pages/notice.ts";
import { ownPath } from "../../lib/http/pages/own_path.ts";
import { countRequest, limited } from "../../lib/http/rate_limit.ts";
import { withSessionCookie } from "../../lib/http/session_cookie.ts";
import { define } from "../../lib/http/state.ts";
import { LoginSchema } from "../../lib/schemas/account.ts";
import { EMAIL_LABEL, EmailField } from "../../lib/ui/EmailField.tsx";
import { Field } from "../../lib/ui/Field.tsx";
import { FormId } from "../../lib/ui/FormId.tsx";
import { FormMessage } from "../../lib/ui/FormMessage.tsx";
import { idpRefusalText } from "../../lib/ui/idp_refusal_text.ts";
import { IdpLink } from "../../lib/ui/IdpLink.tsx";
import { Page } from "../../lib/ui/Page.tsx";

const LABELS = { email: EMAIL_LABEL, password: "Password" };

export const handler = define.handlers({
  GET: () => page(EMPTY_FORM),
  POST: limited("login", (ctx) =>
    submitForm(ctx, LoginSchema, async (input) => {
      const { services } = ctx.state;
      await countRequest(ctx);
      const { session } = await login(services, input, await ctx.state.presentedSessionIds());
      const next = ownPath(ctx.url.searchParams.get("next"), services.config.baseUrl) ?? "/dashboard";
      return withSessionCookie(redirectWithNotice(ctx, next, "logged_in"), session, services);
    }, {
      // Source: spec, Account rule 6.
      leadOn: ({ code }, { email }) =>
        code === "EMAIL_NOT_VERIFIED"
          ? redirectWithNotice(ctx, `/verify-email?${new URLSearchParams({ email })}`, "verify_first")
          : null,
      whenLimited: "reset your password",
    })),
});

export default define.page<typeof handler>(function LoginPage({ data, url, state }) {
  const { values, message = idpRefusalText(url.searchParams.get("error")), details } = data;
  const next = ownPath(url.searchParams.get("next"), state.services.config.baseUrl);
  return (
    <Page title="Log in" isNarrow hasError={message !== undefined}>
      <form method="post" action={next === null ? "/login" : `/login?${new URLSearchParams({ next })}`} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={LABELS} />
        <EmailField value={values.email} errors={details.email} />
        <Field
          name="password"
          label={LABELS.password}
          type="password"
          autocomplete="current-password"
          required
          errors={details.password}
        />
        <button type="submit">Log in</button>
      </form>
      <IdpLink name={state.services.config.idp?.name} />
      <ul class="other-ways">
        <li>
          <a href="/forgot-password">I forgot my password</a>
        </li>
        <li>
          <a href="/register">I have no account yet</a>
        </li>
      </ul>
    </Page>
  );
});
