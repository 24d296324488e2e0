import { page } from "fresh";
import type { ComponentChildren } from "preact";
import { resendVerification, verifyEmail } from "../lib/accounts/email_verification.ts";
import { hasMailFolder } from "../lib/http/pages/mail_folder.ts";
import { type FormState, linkForm, submitForm } from "../lib/http/pages/form.ts";
import { redirectWithNotice } from "../lib/http/pages/notice.ts";
import { countRequest, limited } from "../lib/http/rate_limit.ts";
import { define } from "../lib/http/state.ts";
import { EmailVerificationFormSchema } from "../lib/schemas/account.ts";
import { EMAIL_LABEL, EmailField } from "../lib/ui/EmailField.tsx";
import { FormId } from "../lib/ui/FormId.tsx";
import { FormMessage } from "../lib/ui/FormMessage.tsx";
import { OutboxLink } from "../lib/ui/OutboxLink.tsx";
import { Page } from "../lib/ui/Page.tsx";

const LABELS = { email: EMAIL_LABEL };

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
  const isFresh = data.values.token && data.message === undefined;
  return isFresh ? <Confirm values={data.values} /> : <SendAgain {...data} hasOutbox={hasMailFolder(state.services)} />;
});

/** Asks with buttons, because mail scanners follow links. */
function Confirm({ values }: Pick<FormState, "values">) {
  // Both forms have one id: of two quick clicks, only the first counts.
  const formId = crypto.randomUUID();
  return (
    <Page title="Confirm your address" isNarrow>
      <p>
        Is <strong>{values.email}</strong> your address, and did you register here?
      </p>
      <Answer values={values} formId={formId}>
        <button type="submit" name="action" value="verify">Yes, confirm it</button>
      </Answer>
      <Answer values={values} formId={formId}>
        <button class="secondary" type="submit" name="action" value="reject">This was not me</button>
      </Answer>
      <p class="hint">“This was not me” deletes the account that somebody made with your address.</p>
    </Page>
  );
}

interface AnswerProps extends Pick<FormState, "values"> {
  formId: string;
  /** The button that gives the answer. */
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

function SendAgain({ values, message, details, hasOutbox }: FormState & { hasOutbox: boolean }) {
  return (
    <Page title="Check your mail" isNarrow hasError={message !== undefined}>
      <p>
        We have mailed you a link that confirms your address. It may take a minute; please look into the spam folder
        too.
      </p>
      {hasOutbox && <OutboxLink />}
      <h2>Nothing there?</h2>
      <form method="post" action="/verify-email" novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={LABELS} />
        <EmailField value={values.email} errors={details.email} />
        <button type="submit" name="action" value="resend">Send the mail again</button>
      </form>
    </Page>
  );
}
