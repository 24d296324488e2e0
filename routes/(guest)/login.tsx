import { type Context, page, type PageResponse } from "fresh";
import { canRegister } from "../../lib/accounts/admission.ts";
import { mayUsePassword } from "../../lib/config/passwords_setting.ts";
import { login } from "../../lib/sign_in/login.ts";
import { sessionClientOf } from "../../lib/web/client.ts";
import { refusedProviderName, requiredLink, signInLinks } from "../../lib/web/authentication/idp_sign_in.ts";
import { lastUsedWay, providerWay } from "../../lib/web/authentication/last_used.ts";
import { type FormState, linkForm, submitForm } from "../../lib/web/pages/form.ts";
import { loginLimitText } from "../../lib/web/pages/login_limit.ts";
import { moveOn } from "../../lib/web/pages/leaves.tsx";
import { straightToProvider } from "../../lib/web/pages/straight_to_provider.ts";
import { withData } from "../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../lib/web/pages/notice.ts";
import { destinationOf } from "../../lib/web/pages/destination.ts";
import { confirmationPath, nextPath, withEmail, withNext } from "../../lib/web/pages/next_path.ts";
import { isPasskeyLogin, PASSKEY_LOGIN_PATH, passkeyPlace, submitPasskeyLogin } from "../../lib/web/pages/passkeys.ts";
import { KEEP_ACCOUNT_PAGE } from "../../lib/web/middleware/closing_account.ts";
import { redirectSignedIn } from "../../lib/web/authentication/sign_in_response.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../lib/web/state.ts";
import { LoginSchema } from "../../lib/sign_in/schema.ts";
import { LAST_USED_ID, LastUsed } from "../../lib/ui/account/LastUsed.tsx";
import { PasskeyRequest } from "../../lib/ui/account/PasskeyRequest.tsx";
import { EmailField } from "../../lib/ui/form/EmailField.tsx";
import { Field } from "../../lib/ui/form/Field.tsx";
import { FormId } from "../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../lib/ui/form/FormMessage.tsx";
import { idpRefusalText } from "../../lib/ui/idp_refusal_text.ts";
import { IdpLinks } from "../../lib/ui/IdpLinks.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { Or } from "../../lib/ui/form/Or.tsx";
import { ShowPassword } from "../../lib/ui/form/ShowPassword.tsx";
import { type Texts, textsIn } from "../../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "guest", whileClosing: "refused", limit: "login" }, {
  GET: async (ctx) => await straightToProvider(ctx) ?? withWaysIn(ctx, page(linkForm(ctx.url))),
  async POST(ctx) {
    const result = await (isPasskeyLogin(ctx.url) ? submitPasskeyLogin(ctx) : submitPassword(ctx));
    return await leadToProvider(ctx, result) ?? await withWaysIn(ctx, result);
  },
});

/** Leads on to the provider that the address needs, also if the password is missing. It gets the address as a hint. */
async function leadToProvider(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  if (result instanceof Response) return null;
  const link = requiredLink(ctx.state.services.config, result.data.values.email, nextPath(ctx));
  if (link === null) return null;
  return await moveOn(ctx, link.href, textsIn(ctx.state.language).signIn.continueWith({ provider: link.name }));
}

function submitPassword(ctx: Context<State>) {
  return submitForm(ctx, LoginSchema, async (input) => {
    const { session } = await login(ctx.state.services, input, await sessionClientOf(ctx));
    return redirectSignedIn(ctx, session, { next: nextPath(ctx) });
  }, {
    // Source: docs/rules.md, Email verification.
    redirectOnError: ({ code }, { email }) => code === "EMAIL_NOT_VERIFIED" ? verifyFirst(ctx, email) : null,
    errorText: (error) => loginLimitText(error, ctx.state),
  });
}

function verifyFirst(ctx: Context<State>, email: string): Response {
  return redirectWithNotice(ctx, confirmationPath(email, nextPath(ctx)), "verify_first");
}

/** Adds the other ways in, which depend on the configuration. */
function withWaysIn(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  const { config } = ctx.state.services;
  return withData(result, ({ values: { email } }) => ({
    place: passkeyPlace(ctx),
    lastUsed: lastUsedWay(ctx.req, config),
    providers: signInLinks(config, nextPath(ctx), email),
    refusedBy: refusedProviderName(config, ctx.url),
    hasPasswords: mayUsePassword(config, "open"),
    hasCodes: config.signInCodes,
    isOpen: canRegister(config),
  }));
}

export default define.page<typeof handler>(function LoginPage({ data, url, state }) {
  const { language } = state;
  const { place, lastUsed, providers, refusedBy, hasPasswords, hasCodes, isOpen } = data;
  const { signIn, frame, password, passkeys } = textsIn(language);
  const labels = { email: signIn.email, password: signIn.password };
  const refusal = url.searchParams.get("error");
  const idpRefusal = providers.length === 0
    ? undefined
    : idpRefusalText(signIn, { refusal, provider: refusedBy, hasPasswords });
  const { values, message = idpRefusal, details } = data;
  const next = nextPath({ url, state });
  const destination = destinationOf(next, state.services.config);
  const hasForm = hasPasswords || hasCodes;
  const emailField = (
    <EmailField
      label={labels.email}
      autocomplete="username webauthn"
      value={values.email}
      autofocus={!hasPasswords || !values.email}
      errors={details.email}
    />
  );
  const isLast = (way: string) => lastUsed === way;
  return (
    <Page
      title={signIn.login.heading}
      windowTitle={message ? frame.titleWithError({ title: signIn.login.title }) : signIn.login.title}
      isAuth
      below={
        <OtherWays
          hasCodes={hasCodes && hasPasswords}
          isLastCode={isLast("code")}
          isOpen={isOpen}
          email={values.email}
          next={next}
          texts={signIn}
        />
      }
    >
      {destination !== null && <p>{signIn.login.destination({ destination })}</p>}
      {next === KEEP_ACCOUNT_PAGE && <p>{signIn.login.toKeep}</p>}
      {message !== undefined && <FormMessage message={message} details={details} labels={labels} />}
      {providers.length > 0 && (
        <IdpLinks
          links={providers}
          lastUsed={providers.find(({ key }) => isLast(providerWay(key)))?.key}
          texts={signIn}
        />
      )}
      <form method="post" action={withNext(PASSKEY_LOGIN_PATH, next)}>
        <FormId />
        <PasskeyRequest
          kind="get"
          name="credential"
          label={passkeys.logIn}
          lastUsed={isLast("passkey") ? signIn.lastUsed : undefined}
          or={providers.length === 0 && hasForm ? signIn.or : undefined}
          isSubmitButton
          hasAutofill={hasForm}
          isSecondary
          place={place}
          problems={passkeys.problems}
        />
      </form>
      {providers.length > 0 && hasForm && <Or text={signIn.or} />}
      {!hasPasswords && hasCodes && (
        <form method="post" action={withNext("/login-code", next)} novalidate>
          <FormId />
          {emailField}
          <button type="submit" name="action" value="send" aria-describedby={isLast("code") ? LAST_USED_ID : undefined}>
            {signIn.loginCode.link}
            {isLast("code") && <LastUsed text={signIn.lastUsed} />}
          </button>
        </form>
      )}
      {hasPasswords && (
        <form method="post" action={withNext("/login", next)} novalidate>
          <FormId />
          {emailField}
          <Field
            name="password"
            label={labels.password}
            type="password"
            autocomplete="current-password"
            required
            autofocus={Boolean(values.email)}
            errors={details.password}
            aside={<a href={withNext(withEmail("/forgot-password", values.email), next)}>{signIn.login.forgot}</a>}
            button={<ShowPassword texts={password} />}
          />
          <button type="submit" aria-describedby={isLast("password") ? LAST_USED_ID : undefined}>
            {signIn.login.submit}
            {isLast("password") && <LastUsed text={signIn.lastUsed} />}
          </button>
        </form>
      )}
    </Page>
  );
});

interface OtherWaysProps {
  hasCodes: boolean;
  isLastCode: boolean;
  isOpen: boolean;
  /** What has been typed. */
  email: string | undefined;
  next: string | null;
  texts: Texts["signIn"];
}

/** The ways to log in and to register on other pages. */
function OtherWays(
  { hasCodes, isLastCode, isOpen, email, next, texts: { login, loginCode, lastUsed } }: OtherWaysProps,
) {
  return (
    <>
      {isOpen && (
        <span>
          {login.newHere} <a href={withNext("/register", next)}>{login.createAccount}</a>
        </span>
      )}
      {hasCodes && (
        <span>
          <a
            href={withNext(withEmail("/login-code", email), next)}
            aria-describedby={isLastCode ? LAST_USED_ID : undefined}
          >
            {loginCode.link}
          </a>{" "}
          {isLastCode && <LastUsed text={lastUsed} />}
        </span>
      )}
    </>
  );
}
