import { type Context, page, type PageResponse } from "fresh";
import { withData, withUser } from "../../../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../../../lib/web/pages/notice.ts";
import {
  askForProof,
  EMPTY_PROVEN_FORM,
  type ProvenFormState,
  submitWithProof,
} from "../../../../lib/web/pages/proof.ts";
import { pageHandlers } from "../../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../../lib/web/state.ts";
import { EmailChangeFormSchema } from "../../../../lib/sign_in/schema.ts";
import { cancelEmailChange, findPendingEmailChange, requestEmailChange } from "../../../../lib/sign_in/email_change.ts";
import { EmailField } from "../../../../lib/ui/form/EmailField.tsx";
import { FormId } from "../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../lib/ui/form/FormMessage.tsx";
import { Row } from "../../../../lib/ui/list/Row.tsx";
import { Page } from "../../../../lib/ui/Page.tsx";
import { ProofFields, proofLabels } from "../../../../lib/ui/account/ProofFields.tsx";
import { orList } from "../../../../lib/texts/formats.ts";
import { type Texts, textsIn } from "../../../../lib/texts/texts.ts";

const PATH = "/settings/email";

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "mail" }, {
  GET: async (ctx) => await withAccount(ctx, await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM)),
  async POST(ctx) {
    const { services } = ctx.state;
    const result = await submitWithProof(ctx, EmailChangeFormSchema, async (input, principal) => {
      if (input.action === "cancel") {
        await cancelEmailChange(services, principal);
        return redirectWithNotice(ctx, PATH, "email_change_canceled");
      }
      await requestEmailChange(services, principal, input);
      return redirectWithNotice(ctx, PATH, "email_change_sent");
    }, {
      needsProof: ({ action }) => action !== "cancel",
      policy: ({ action }) => action === "cancel" ? "write" : undefined,
      errorText: ({ code }, { email }) => code === "EMAIL_NOT_VERIFIED" ? email.confirmFirst : undefined,
    });
    return await withAccount(ctx, result);
  },
});

/** Adds the address that the person has, the one that waits for its confirmation, and the domains that are allowed. */
async function withAccount(ctx: Context<State>, result: Response | PageResponse<ProvenFormState>) {
  const { services } = ctx.state;
  const { allowedEmailDomains: domains } = services.config;
  return await withData(await withUser(ctx, result), async ({ user }) => {
    return { domains, pending: await findPendingEmailChange(services, user.id) };
  });
}

export default define.page<typeof handler>(function EmailPage({ data, state }) {
  const { values, message, details, proof, user, domains, pending } = data;
  const catalog = textsIn(state.language);
  const { email: texts, frame, proof: proofTexts, signIn } = catalog;
  return (
    <Page title={texts.title} windowTitle={message && frame.titleWithError({ title: texts.title })}>
      <p>{texts.current({ email: user.email })}</p>
      {pending
        ? <PendingChange to={pending} from={user.email} texts={texts.pending} />
        : <p class="lead">{texts.lead}</p>}
      <form method="post" action={PATH} novalidate>
        <FormId />
        <FormMessage
          message={message}
          details={details}
          labels={{ email: texts.newEmail, ...proofLabels(proofTexts) }}
        />
        <EmailField
          label={texts.newEmail}
          autocomplete="email"
          hint={domains.length > 0
            ? signIn.emailDomains({ domains: orList(domains, state.language.locale) })
            : undefined}
          value={values.email}
          errors={details.email}
        />
        <ProofFields proof={proof} details={details} texts={catalog} />
        <button type="submit">{texts.submit}</button>
      </form>
    </Page>
  );
});

/** The change that waits for its confirmation. Resending the email is the same request again. */
function PendingChange({ to, from, texts }: { to: string; from: string; texts: Texts["email"]["pending"] }) {
  return (
    <ul class="rows">
      <Row
        icon="mail"
        title={<h2>{texts.title({ email: to })}</h2>}
        action={
          <div class="actions">
            <form method="post" action={PATH}>
              <FormId />
              <input type="hidden" name="email" value={to} />
              <button class="secondary small" type="submit" aria-label={texts.resendTo({ email: to })}>
                {texts.resend}
              </button>
            </form>
            <form method="post" action={PATH}>
              <FormId />
              <button
                class="secondary small"
                type="submit"
                name="action"
                value="cancel"
                aria-label={texts.cancelOf({ email: to })}
              >
                {texts.cancel}
              </button>
            </form>
          </div>
        }
      >
        <p class="meta">{texts.lead({ email: from })}</p>
      </Row>
    </ul>
  );
}
