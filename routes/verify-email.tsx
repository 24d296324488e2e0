import { page } from "fresh";
import type { ComponentChildren } from "preact";
import { resendVerification, verifyEmail } from "../lib/accounts/email_verification.ts";
import { hasMailFolder } from "../lib/http/pages/mail_folder.ts";
import { type FormState, linkForm, submitForm } from "../lib/http/pages/form.ts";
import { redirectWithNotice } from "../lib/http/pages/notice.ts";
import { countRequest, limited } from "../lib/http/rate_limit.ts";
import { define } from "../lib/http/state.ts";
import { EmailVerificationFormSchema } from "../lib/schemas/account.ts";
import { EmailField } from "../lib/ui/EmailField.tsx";
import { FormId } from "../lib/ui/FormId.tsx";
import { FormMessage } from "../lib/ui/FormMessage.tsx";
import { OutboxLink } from "../lib/ui/OutboxLink.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { PRODUCT } from "../lib/words/product.ts";
import { type Words, wordsIn } from "../lib/words/words.ts";

export const handler = define.handlers({
  GET: (ctx) => page(linkForm(ctx.url), { headers: { "Cache-Control": "no-store" } }),
  POST: limited("mail", (ctx) =>
    submitForm(ctx, EmailVerificationFormSchema, async (input) => {
      const { services } = ctx.state;
      if (input.action === "resend") {
        await countRequest(ctx);
        await resendVerification(services, input);
        return redirectWithNotice(
          ctx,
          `/verify-email?${new URLSearchParams({ email: input.email })}`,
          "verification_sent",
        );
      }
      const session = await ctx.state.currentSession();
      const reject = input.action === "reject";
      await verifyEmail(services, { ...input, reject }, session?.id);
      if (reject) return redirectWithNotice(ctx, "/", "account_deleted");
      return session === null
        ? redirectWithNotice(ctx, "/login", "verified_log_in")
        : redirectWithNotice(ctx, "/dashboard", "verified");
    })),
});

export default define.page<typeof handler>(function VerifyEmailPage({ data, state }) {
  const words = wordsIn(state.language);
  if (data.message !== undefined) return <Refused {...data} words={words} />;
  if (data.values.token) return <Question values={data.values} words={words.signIn} />;
  return <CheckEmail {...data} words={words} hasOutbox={hasMailFolder(state.services)} />;
});

interface QuestionProps {
  values: FormState["values"];
  words: Words["signIn"];
}

/** Asks before confirming, because email scanners follow links. */
function Question({ values, words: { verify } }: QuestionProps) {
  // Both forms share one id, so of two quick clicks only the first counts.
  const formId = crypto.randomUUID();
  return (
    <Page title={verify.title} isNarrow>
      <p>{verify.question(PRODUCT, values.email)}</p>
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
  words: Words;
}

/** Shows why the answer or the request for a new link was refused. */
function Refused(form: FormProps) {
  const { frame, signIn: { verify } } = form.words;
  return (
    <Page title={verify.title} windowTitle={frame.titleWithError(verify.title)} isNarrow>
      <ResendForm {...form} />
    </Page>
  );
}

/** Says that the link has been emailed, and offers to send a new one. */
function CheckEmail({ hasOutbox, ...form }: FormProps & { hasOutbox: boolean }) {
  const { frame, signIn: { verify } } = form.words;
  const { email } = form.values;
  return (
    <Page title={verify.checkTitle} isNarrow>
      <p>{email ? verify.sentTo(email) : verify.sent}</p>
      {hasOutbox && <OutboxLink words={frame} />}
      <h2>{verify.nothing}</h2>
      <ResendForm {...form} />
    </Page>
  );
}

function ResendForm({ values, message, details, words: { signIn } }: FormProps) {
  return (
    <form method="post" action="/verify-email" novalidate>
      <FormId />
      <FormMessage message={message} details={details} labels={{ email: signIn.email }} />
      <EmailField label={signIn.email} value={values.email} errors={details.email} />
      <button type="submit" name="action" value="resend">{signIn.verify.resend}</button>
    </form>
  );
}
