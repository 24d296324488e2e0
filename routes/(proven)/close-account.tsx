import { page } from "fresh";
import { closeAccount, closingDueAt } from "../../lib/accounts/account_closing.ts";
import { KEEP_ACCOUNT_PAGE } from "../../lib/web/middleware/closing_account.ts";
import { withNext } from "../../lib/web/pages/next_path.ts";
import { redirectWithNotice } from "../../lib/web/pages/notice.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../lib/web/pages/proof.ts";
import { requireSameUser } from "../../lib/web/authentication/require_user.ts";
import { withoutSessionCookie } from "../../lib/web/authentication/session_cookie.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define } from "../../lib/web/state.ts";
import { CloseAccountFormSchema } from "../../lib/sign_in/schema.ts";
import { FormId } from "../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { hasUploads } from "../../lib/config/uploads_setting.ts";
import { ProofFields, proofLabels } from "../../lib/ui/account/ProofFields.tsx";
import { textsIn } from "../../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "memberToRead", whileClosing: "refused", limit: "write" }, {
  GET: async (ctx) => await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM),
  POST: (ctx) =>
    submitWithProof(ctx, CloseAccountFormSchema, async ({ userId }, principal) => {
      const { services } = ctx.state;
      await requireSameUser(ctx, userId);
      await closeAccount(services, principal);
      const path = withNext("/login", KEEP_ACCOUNT_PAGE);
      return withoutSessionCookie(redirectWithNotice(ctx, path, "account_closing"), services);
    }),
});

export default define.page<typeof handler>(function CloseAccountPage({ data, state }) {
  const { message, details, proof } = data;
  const catalog = textsIn(state.language);
  const { frame, closing, proof: proofTexts } = catalog;
  const texts = closing.close;
  const { linksEnd, filesKept, ...now } = texts.nowPoints;
  const userId = data.values.userId ?? state.viewer?.id;
  const date = closingDueAt(state.services);
  return (
    <Page title={texts.title} windowTitle={message && frame.titleWithError({ title: texts.title })}>
      <p>
        <a href="/settings/data">{texts.download}</a>
      </p>
      <h2>{texts.now}</h2>
      <Points
        texts={[...Object.values(now), ...hasUploads(state.services.config, "files") ? [linksEnd, filesKept] : []]}
      />
      <h2>{texts.later({ date })}</h2>
      <Points texts={Object.values(texts.laterPoints)} />
      {state.services.config.deletionGraceSeconds > 0 && <p>{texts.undo({ date })}</p>}
      <form method="post" action="/close-account" novalidate>
        <FormId />
        <input type="hidden" name="userId" value={userId} />
        <FormMessage message={message} details={details} labels={proofLabels(proofTexts)} />
        <ProofFields proof={proof} details={details} texts={catalog} />
        <div class="actions">
          <button class="danger last" type="submit">{texts.submit}</button>
          <a class="button secondary" href="/settings/data">{proofTexts.cancel}</a>
        </div>
      </form>
    </Page>
  );
});

function Points({ texts }: { texts: string[] }) {
  return <ul>{texts.map((text) => <li key={text}>{text}</li>)}</ul>;
}
