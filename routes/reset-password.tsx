import { type Context, page, type PageResponse } from "fresh";
import PasswordField from "../islands/PasswordField.tsx";
import { mayUsePassword } from "../lib/config/passwords_setting.ts";
import { isLoginLinkValid, LOGIN_LINK_PAGE } from "../lib/sign_in/login_link.ts";
import { findPasswordLink, resetPassword } from "../lib/sign_in/password_reset.ts";
import { redirectSignedIn } from "../lib/web/authentication/sign_in_response.ts";
import { sessionClientOf } from "../lib/web/client.ts";
import { type FormState, linkForm, submitForm } from "../lib/web/pages/form.ts";
import { redirectToProviderOfLink } from "../lib/web/pages/provider_of_link.ts";
import { withData } from "../lib/web/pages/page_data.ts";
import { loginPath, withNext } from "../lib/web/pages/next_path.ts";
import { LINK_PAGE_HEADERS } from "../lib/web/middleware/no_index.ts";
import { redirectWithNotice, withNotice } from "../lib/web/pages/notice.ts";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";
import { define, type State } from "../lib/web/state.ts";
import { PasswordResetSchema } from "../lib/sign_in/schema.ts";
import { EmailField } from "../lib/ui/form/EmailField.tsx";
import { FormId } from "../lib/ui/form/FormId.tsx";
import { FormMessage } from "../lib/ui/form/FormMessage.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { passwordTexts } from "../lib/texts/password_texts.ts";
import { type Texts, textsIn } from "../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "everyone", whileClosing: "open", limit: "guess" }, {
  async GET(ctx) {
    const form = linkForm(ctx.url);
    const provider = await redirectToProviderOfLink(ctx, form);
    if (provider !== null) return provider;
    if (await opensWithoutPassword(ctx, form)) return ctx.redirect(LOGIN_LINK_PAGE + ctx.url.search, 303);
    if (!mayUsePassword(ctx.state.services.config, "open")) return ctx.redirect("/login", 303);
    return withLink(ctx, page(form, { headers: LINK_PAGE_HEADERS }));
  },
  async POST(ctx) {
    const result = await submitForm(ctx, PasswordResetSchema, async (input) => {
      const { services } = ctx.state;
      const { next, session, isAccepted } = await resetPassword(services, input, await sessionClientOf(ctx));
      if (session === null) return redirectWithNotice(ctx, loginPath(input.email, next), "password_changed");
      const notice = "methods" in session
        ? "password_reset_step"
        : isAccepted
        ? "invitation_accepted"
        : "password_reset";
      return withNotice(redirectSignedIn(ctx, session, { next }), notice, services.config);
    });
    return await withLink(ctx, result);
  },
});

/** Whether the link is older than PASSWORDS, and for someone invited: then it opens the account without a password. */
async function opensWithoutPassword({ url, state: { services } }: Context<State>, { values }: FormState) {
  if (mayUsePassword(services.config, "first")) return false;
  const { email, token } = values;
  return isInvitation(url) || await isLoginLinkValid(services, { email, token });
}

/** Adds what the link is about, if there is one. */
function withLink(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  return withData(result, async ({ values: { email, token } }) => ({
    link: token ? await findPasswordLink(ctx.state.services, { email, token }) : null,
  }));
}

export default define.page<typeof handler>(function ResetPasswordPage({ data, url, state }) {
  const { values, message, details, link } = data;
  const texts = textsIn(state.language);
  const { signIn, frame } = texts;
  const { email, token } = values;
  if (!token) return <MissingLink texts={signIn.reset} />;
  const { title, password, submit } = isInvitation(url) ? signIn.invitation : signIn.reset;
  if (!link?.isValid) return <DeadLink title={title} email={email} next={link?.next ?? null} texts={texts} />;
  if (!link.isAllowed) return <RefusedLink title={title} email={email} next={link.next ?? null} texts={texts} />;
  return (
    <Page
      title={title}
      windowTitle={message && frame.titleWithError({ title })}
      isAuth
      below={<a href={`/forgot-password?${new URLSearchParams({ email })}`}>{signIn.reset.newLink}</a>}
    >
      {isInvitation(url) && <p>{signIn.invitation.lead}</p>}
      <form method="post" action={isInvitation(url) ? "/reset-password?invitation=true" : "/reset-password"} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={{ email: signIn.email, password }} />
        <input type="hidden" name="token" value={token} />
        <EmailField label={signIn.email} readonly value={email} errors={details.email} />
        <PasswordField
          texts={passwordTexts(state.language)}
          label={password}
          errors={details.password}
        />
        <button type="submit">{submit}</button>
      </form>
    </Page>
  );
});

/** The link of an invitation differs only in the texts of its page. */
function isInvitation(url: URL): boolean {
  return url.searchParams.has("invitation");
}

function MissingLink({ texts }: { texts: Texts["signIn"]["reset"] }) {
  return (
    <Page title={texts.title} isAuth>
      <p>{texts.missingLink}</p>
      <a class="button" href="/forgot-password">{texts.newLink}</a>
    </Page>
  );
}

/** Says before anyone chooses a password that the account gets none anymore. */
function RefusedLink({ title, email, next, texts: { errors, frame, signIn } }: DeadLinkProps) {
  return (
    <Page title={title} windowTitle={frame.titleWithError({ title })} isAuth>
      <FormMessage message={errors.byCode.PASSWORDS_OFF} details={{}} labels={{}} />
      <a class="button" href={loginPath(email, next)}>{signIn.login.title}</a>
    </Page>
  );
}

interface DeadLinkProps {
  title: string;
  /** The address in the link. */
  email: string;
  /** The page to go to after logging in. */
  next: string | null;
  texts: Texts;
}

/** Says so before anyone chooses a password, and offers a new link. */
function DeadLink({ title, email, next, texts: { errors, frame, signIn } }: DeadLinkProps) {
  return (
    <Page title={title} windowTitle={frame.titleWithError({ title })} isAuth>
      <form method="post" action={withNext("/forgot-password", next)} novalidate>
        <FormId />
        <FormMessage message={errors.deadLink} details={{}} labels={{}} />
        <EmailField label={signIn.email} value={email} />
        <button type="submit">{signIn.reset.newLink}</button>
      </form>
    </Page>
  );
}
