import { type Context, page, type PageResponse } from "fresh";
import { mayUsePassword } from "../lib/config/passwords_setting.ts";
import { requestPasswordReset } from "../lib/sign_in/password_reset.ts";
import { type FormState, linkForm, submitForm } from "../lib/web/pages/form.ts";
import { loginPath, nextPath, withNext } from "../lib/web/pages/next_path.ts";
import { hasMailFolder } from "../lib/web/pages/has_mail_folder.ts";
import { withData } from "../lib/web/pages/page_data.ts";
import { isSentPage, redirectToSent } from "../lib/web/pages/sent_page.ts";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";
import { define, type State } from "../lib/web/state.ts";
import { ForgotPasswordSchema } from "../lib/sign_in/schema.ts";
import { EmailField } from "../lib/ui/form/EmailField.tsx";
import { FormId } from "../lib/ui/form/FormId.tsx";
import { FormMessage } from "../lib/ui/form/FormMessage.tsx";
import { SendAgain } from "../lib/ui/form/SendAgain.tsx";
import { OutboxLink } from "../lib/ui/OutboxLink.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { RequiredProvider } from "./(_components)/RequiredProvider.tsx";
import { durationText } from "../lib/texts/date_format.ts";
import { textsIn } from "../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "everyone", whileClosing: "open", limit: "mail" }, {
  GET(ctx) {
    const form = linkForm(ctx.url);
    return mayUsePassword(ctx.state.services.config, "open")
      ? withOutbox(ctx, page(form))
      : ctx.redirect(loginPath(form.values.email, nextPath(ctx)), 303);
  },
  async POST(ctx) {
    const result = await submitForm(ctx, ForgotPasswordSchema, async (input) => {
      const next = nextPath(ctx);
      const isExhausted = await requestPasswordReset(ctx.state.services, { ...input, next });
      const path = withNext(`/forgot-password?${new URLSearchParams({ email: input.email, sent: "true" })}`, next);
      return redirectToSent(ctx, path, isExhausted ? "emails_used_up" : "reset_sent");
    });
    return await withOutbox(ctx, result);
  },
});

/** Adds whether emails are on this machine, and how long the link in them works. */
function withOutbox(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  const { services } = ctx.state;
  return withData(result, () => ({
    hasOutbox: hasMailFolder(services),
    lifetimeSeconds: services.config.resetTokenTtlSeconds,
  }));
}

export default define.page<typeof handler>(function ForgotPasswordPage({ data, url, state }) {
  const { values: { email }, message, details, hasOutbox, lifetimeSeconds } = data;
  const { signIn, frame } = textsIn(state.language);
  const { title, lead, submit, sent } = signIn.forgot;
  const next = nextPath({ url, state });
  const action = withNext("/forgot-password", next);
  const login = <a href={loginPath(email, next)}>{signIn.backToLogin}</a>;
  if (isSentPage(url) && email && message === undefined) {
    return (
      <Page
        title={signIn.checkEmail}
        isAuth
        below={
          <>
            <a href={action}>{signIn.otherAddress}</a>
            {login}
          </>
        }
      >
        <p>{sent({ email, lifetime: durationText(lifetimeSeconds, state.language.locale) })}</p>
        {hasOutbox && <OutboxLink texts={frame} />}
        <SendAgain action={withNext("/forgot-password?sent=true", next)} email={email} text={signIn.sendAgain} />
      </Page>
    );
  }
  return (
    <Page title={title} windowTitle={message && frame.titleWithError({ title })} isAuth below={login}>
      <p>{lead}</p>
      <form method="post" action={action} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={{ email: signIn.email }} />
        <RequiredProvider form={data} next={next} state={state} />
        <EmailField label={signIn.email} value={email} autofocus errors={details.email} />
        <button type="submit">{submit}</button>
      </form>
    </Page>
  );
});
