import { type Context, page, type PageResponse } from "fresh";
import type { ComponentChildren } from "preact";
import { findVerificationLink, resendVerification, verifyEmail } from "../lib/sign_in/email_verification.ts";
import { clientOf } from "../lib/web/client.ts";
import { hasMailFolder } from "../lib/web/pages/has_mail_folder.ts";
import { type FormState, linkForm, submitForm } from "../lib/web/pages/form.ts";
import { withData } from "../lib/web/pages/page_data.ts";
import { confirmationPath, loginPath, nextPath, pageAfterLogin, withNext } from "../lib/web/pages/next_path.ts";
import { LINK_PAGE_HEADERS } from "../lib/web/middleware/no_index.ts";
import { redirectWithNotice } from "../lib/web/pages/notice.ts";
import { currentSession } from "../lib/web/authentication/current_session.ts";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";
import { define, type State } from "../lib/web/state.ts";
import { type EmailVerificationForm, EmailVerificationFormSchema } from "../lib/sign_in/schema.ts";
import { EmailField } from "../lib/ui/form/EmailField.tsx";
import { FormId } from "../lib/ui/form/FormId.tsx";
import { FormMessage } from "../lib/ui/form/FormMessage.tsx";
import { OutboxLink } from "../lib/ui/OutboxLink.tsx";
import { ResendLink } from "../lib/ui/account/ResendLink.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { durationText } from "../lib/texts/date_format.ts";
import { type Texts, textsIn } from "../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "everyone", whileClosing: "open", whileWaiting: "open", limit: "guess" }, {
  GET: (ctx) => withLink(ctx, page(linkForm(ctx.url), { headers: LINK_PAGE_HEADERS })),
  async POST(ctx) {
    const result = await submitForm(
      ctx,
      EmailVerificationFormSchema,
      (input) => input.action === "resend" ? resend(ctx, input) : answer(ctx, input),
      {
        policy: ({ action }) => action === "resend" ? "mail" : undefined,
        // Only the first admin must be logged in.
        redirectOnError: ({ code }, values) => {
          if (code !== "UNAUTHENTICATED") return null;
          const { email = "", token = "" } = values;
          return ctx.redirect(loginPath(email, `/verify-email?${new URLSearchParams({ email, token })}`), 303);
        },
      },
    );
    return await withLink(ctx, result);
  },
});

type Resend = Extract<EmailVerificationForm, { action: "resend" }>;

async function resend(ctx: Context<State>, input: Resend): Promise<Response> {
  const next = nextPath(ctx);
  const isExhausted = await resendVerification(ctx.state.services, { ...input, next });
  const path = confirmationPath(input.email, next);
  return redirectWithNotice(ctx, path, isExhausted ? "emails_used_up" : "verification_sent");
}

async function answer(ctx: Context<State>, input: Exclude<EmailVerificationForm, Resend>): Promise<Response> {
  const session = await currentSession(ctx);
  const reject = input.action === "reject";
  const by = { client: clientOf(ctx), currentSessionId: session?.id };
  const next = await verifyEmail(ctx.state.services, { ...input, reject }, by);
  if (reject) return redirectWithNotice(ctx, "/", "account_deleted");
  return session === null
    ? redirectWithNotice(ctx, loginPath(input.email, next), "verified_log_in")
    : redirectWithNotice(ctx, next ?? pageAfterLogin(ctx.state), "verified");
}

/** Adds what the link is about, if there is one, how long links work, and whether emails are on this machine. */
function withLink(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  const { services } = ctx.state;
  return withData(result, async ({ values: { email, token } }) => ({
    link: token ? await findVerificationLink(services, { email, token }) : null,
    hasOutbox: hasMailFolder(services),
    lifetimeSeconds: services.config.verifyTokenTtlSeconds,
  }));
}

export default define.page<typeof handler>(function VerifyEmailPage({ data, url, state }) {
  const texts = textsIn(state.language);
  const { link, values: { token } } = data;
  const next = link?.next ?? nextPath({ url, state });
  if (link?.isValid) return <Question values={data.values} texts={texts.signIn} />;
  if (link?.isConfirmed) {
    const afterLogin = pageAfterLogin(state);
    return <AlreadyConfirmed next={next} afterLogin={afterLogin} isLoggedIn={state.viewer !== null} texts={texts} />;
  }
  const form = { ...data, next, texts };
  if (token || data.message !== undefined) return <Refused {...form} message={data.message ?? texts.errors.deadLink} />;
  const { hasOutbox, lifetimeSeconds } = data;
  const lifetime = durationText(lifetimeSeconds, state.language.locale);
  const isSent = state.notice === "verification_sent";
  return <Unconfirmed {...form} isSent={isSent} lifetime={lifetime} hasOutbox={hasOutbox} />;
});

interface AlreadyConfirmedProps {
  next: string | null;
  afterLogin: string;
  isLoggedIn: boolean;
  texts: Texts;
}

/** For a link that no longer works, because the address has been confirmed. Shows the next step. */
function AlreadyConfirmed(
  { next, afterLogin, isLoggedIn, texts: { frame, signIn: { verify, login } } }: AlreadyConfirmedProps,
) {
  return (
    <Page title={verify.alreadyTitle} isAuth>
      <p>{isLoggedIn ? verify.alreadyDone : verify.alreadyLogIn}</p>
      <p>
        {isLoggedIn
          ? <a class="button" href={next ?? afterLogin}>{frame.continue}</a>
          : <a class="button" href={withNext("/login", next)}>{login.submit}</a>}
      </p>
    </Page>
  );
}

interface QuestionProps {
  values: FormState["values"];
  texts: Texts["signIn"];
}

/** Asks before confirming, because email scanners follow links. */
function Question({ values, texts: { verify } }: QuestionProps) {
  // Both forms share one id, so of two quick clicks only the first counts.
  const formId = crypto.randomUUID();
  return (
    <Page title={verify.title} isAuth>
      <p>{verify.question({ email: values.email })}</p>
      <Answer values={values} formId={formId}>
        <button type="submit" name="action" value="verify">{verify.confirm}</button>
      </Answer>
      <Answer values={values} formId={formId}>
        <button class="secondary" type="submit" name="action" value="reject">{verify.reject}</button>
      </Answer>
      <p class="hint">{verify.rejectHint}</p>
    </Page>
  );
}

interface AnswerProps extends Pick<FormState, "values"> {
  formId: string;
  /** The button of the answer. */
  children: ComponentChildren;
}

function Answer({ values, formId, children }: AnswerProps) {
  return (
    <form method="post" action="/verify-email">
      <FormId value={formId} />
      <input type="hidden" name="email" value={values.email} />
      <input type="hidden" name="token" value={values.token} />
      {children}
    </form>
  );
}

interface FormProps extends FormState {
  /** The page to go to after confirming the address and logging in. */
  next: string | null;
  texts: Texts;
}

/** Shows why the link, the answer or the request for a new link was refused. */
function Refused(form: FormProps) {
  const { frame, signIn: { verify } } = form.texts;
  return (
    <Page title={verify.title} windowTitle={frame.titleWithError({ title: verify.title })} isAuth>
      <ResendForm {...form} />
    </Page>
  );
}

interface UnconfirmedProps extends FormProps {
  /** Whether the person has just asked for a new link. */
  isSent: boolean;
  /** How long links work. */
  lifetime: string;
  hasOutbox: boolean;
}

/** For people who arrive without a link. Says what has been emailed, and offers a new link. */
function Unconfirmed({ isSent, lifetime, hasOutbox, ...form }: UnconfirmedProps) {
  const { values: { email }, next, texts: { frame, signIn } } = form;
  const { verify } = signIn;
  const sentBefore = email ? verify.sentBefore({ email, lifetime }) : verify.sentToYouBefore({ lifetime });
  return (
    <Page title={isSent ? verify.checkTitle : verify.title} isAuth>
      <p>{isSent ? verify.arriving : sentBefore}</p>
      {hasOutbox && <OutboxLink texts={frame} />}
      {isSent && <h2>{verify.nothing}</h2>}
      {email
        ? <ResendLink email={email} action={withNext("/verify-email", next)} texts={signIn} />
        : <ResendForm {...form} />}
    </Page>
  );
}

function ResendForm({ values, message, details, next, texts: { signIn } }: FormProps) {
  return (
    <form method="post" action={withNext("/verify-email", next)} novalidate>
      <FormId />
      <FormMessage message={message} details={details} labels={{ email: signIn.email }} />
      <EmailField label={signIn.email} value={values.email} errors={details.email} />
      <button type="submit" name="action" value="resend">{signIn.verify.resend}</button>
    </form>
  );
}
