import { type Context, page } from "fresh";
import { sessionClientOf } from "../../lib/web/client.ts";
import { linkForm, retryAfterMinutes, submitForm } from "../../lib/web/pages/form.ts";
import { loginLimitText } from "../../lib/web/pages/login_limit.ts";
import { loginPath, nextPath, withNext } from "../../lib/web/pages/next_path.ts";
import { isSentPage, redirectToSent } from "../../lib/web/pages/sent_page.ts";
import { findLoginRequest, withLoginRequest } from "../../lib/web/authentication/login_request.ts";
import { redirectSignedIn } from "../../lib/web/authentication/sign_in_response.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../lib/web/state.ts";
import { type CodeLogin, CodeLoginFormSchema, type SignInCodeRequest } from "../../lib/sign_in/schema.ts";
import { requireSignInCodes } from "../../lib/config/features.ts";
import { logInWithCode, sendSignInCode } from "../../lib/sign_in/code_login.ts";
import { EmailField } from "../../lib/ui/form/EmailField.tsx";
import { Field } from "../../lib/ui/form/Field.tsx";
import { FormId } from "../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../lib/ui/form/FormMessage.tsx";
import { SendAgain } from "../../lib/ui/form/SendAgain.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { RequiredProvider } from "../(_components)/RequiredProvider.tsx";
import { textsIn } from "../../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "guest", whileClosing: "refused", limit: "login" }, {
  GET(ctx) {
    requireSignInCodes(ctx.state.services.config);
    return page(linkForm(ctx.url));
  },
  POST(ctx) {
    requireSignInCodes(ctx.state.services.config);
    return submitForm(
      ctx,
      CodeLoginFormSchema,
      (input) => input.action === "send" ? sendCode(ctx, input) : logIn(ctx, input),
      {
        policy: ({ action }) => action === "send" ? "mail" : undefined,
        field: "code",
        errorText: (error, texts, { action }) =>
          error.code === "INVALID_CREDENTIALS"
            ? texts.proof.wrong.code
            : error.code === "RATE_LIMITED"
            ? action === "send"
              ? texts.signIn.loginCode.tooManySent({ minutes: retryAfterMinutes(error) })
              : loginLimitText(error, ctx.state)
            : undefined,
      },
    );
  },
});

async function sendCode(ctx: Context<State>, input: SignInCodeRequest): Promise<Response> {
  const { services } = ctx.state;
  const browser = { requestToken: findLoginRequest(ctx.req, services.config), next: nextPath(ctx) };
  const { isExhausted, requestToken } = await sendSignInCode(services, input, browser);
  const path = withNext(`/login-code?${new URLSearchParams({ email: input.email, sent: "true" })}`, nextPath(ctx));
  const response = redirectToSent(ctx, path, isExhausted ? "codes_used_up" : "login_code_sent");
  return withLoginRequest(response, requestToken, services.config);
}

async function logIn(ctx: Context<State>, input: CodeLogin): Promise<Response> {
  const { session } = await logInWithCode(ctx.state.services, input, await sessionClientOf(ctx));
  return redirectSignedIn(ctx, session, { next: nextPath(ctx) });
}

export default define.page<typeof handler>(function LoginCodePage({ data, url, state }) {
  const { values, message, details } = data;
  const { signIn, frame, proof } = textsIn(state.language);
  const texts = signIn.loginCode;
  const next = nextPath({ url, state });
  const hasAddress = Boolean(values.email) && details.email === undefined;
  const isSent = hasAddress && (values.action === "verify" || isSentPage(url));
  const title = isSent ? signIn.checkEmail : texts.title;
  const labels = { email: signIn.email, code: proof.code };
  const action = withNext("/login-code", next);
  return (
    <Page
      title={title}
      windowTitle={message && frame.titleWithError({ title })}
      isAuth
      below={
        <>
          {isSent && <a href={action}>{signIn.otherAddress}</a>}
          <a href={loginPath(values.email, next)}>{signIn.backToLogin}</a>
        </>
      }
    >
      <p>{isSent ? texts.sent({ email: values.email }) : texts.lead}</p>
      <form method="post" action={action} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={labels} />
        <RequiredProvider form={data} next={next} state={state} />
        {isSent
          ? (
            <>
              <input type="hidden" name="email" value={values.email} />
              <Field
                name="code"
                label={labels.code}
                hint={proof.codeHint}
                autocomplete="one-time-code"
                inputmode="numeric"
                isCode
                required
                autofocus
                errors={details.code}
              />
              <button type="submit" name="action" value="verify">{signIn.login.submit}</button>
            </>
          )
          : (
            <>
              <EmailField label={labels.email} value={values.email} autofocus errors={details.email} />
              <button type="submit" name="action" value="send">{proof.sendCode}</button>
            </>
          )}
      </form>
      {isSent && (
        <SendAgain action={withNext("/login-code?sent=true", next)} email={values.email} text={signIn.sendAgain} />
      )}
    </Page>
  );
});
