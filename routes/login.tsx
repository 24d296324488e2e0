import { page } from "fresh";
import { Head } from "fresh/runtime";
import { login } from "../lib/accounts/login.ts";
import { EMPTY_FORM, submitForm } from "../lib/http/form.ts";
import { loginOrigin } from "../lib/http/login_origin.ts";
import { withSessionCookie } from "../lib/http/session_cookie.ts";
import { define } from "../lib/http/state.ts";
import { LoginSchema } from "../lib/schemas/account.ts";
import { Field } from "../lib/ui/Field.tsx";
import { FormMessage } from "../lib/ui/FormMessage.tsx";
import { idpRefusalText } from "../lib/ui/idp_refusal_text.ts";
import { IdpLink } from "../lib/ui/IdpLink.tsx";

export const handler = define.handlers({
  GET: () => page(EMPTY_FORM),
  POST: (ctx) =>
    submitForm(ctx, LoginSchema, async (input) => {
      const { session } = await login(ctx.state.services, input, await loginOrigin(ctx));
      return withSessionCookie(ctx.redirect("/", 303), session, ctx.state.services);
    }),
});

export default define.page<typeof handler>(function LoginPage({ data, url, state }) {
  const { values, message = idpRefusalText(url.searchParams.get("error")), details } = data;
  return (
    <main class="narrow">
      <Head>
        <title>Log in · Foyer</title>
      </Head>
      <h1>Log in</h1>
      <form method="post" action="/login" novalidate>
        <FormMessage message={message} details={details} />
        <Field
          name="email"
          label="Email address"
          type="email"
          autocomplete="username"
          required
          value={values.email}
          errors={details.email}
        />
        <Field
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          required
          errors={details.password}
        />
        <button type="submit">Log in</button>
      </form>
      <IdpLink name={state.services.config.idp?.name} />
    </main>
  );
});
