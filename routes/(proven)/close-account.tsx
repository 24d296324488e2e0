import { page } from "fresh";
import { closeAccount, closingDueAt } from "../../lib/operations/account_closing.ts";
import { redirectWithNotice } from "../../lib/http/pages/notice.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../lib/http/pages/proof.ts";
import { limited } from "../../lib/http/rate_limit.ts";
import { requireSameUser } from "../../lib/http/principal/require_user.ts";
import { withoutSessionCookie } from "../../lib/http/principal/session_cookie.ts";
import { define } from "../../lib/http/state.ts";
import { CloseAccountFormSchema } from "../../lib/schemas/account.ts";
import { FormId } from "../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { ProofFields, proofLabels } from "../../lib/ui/account/ProofFields.tsx";
import { wordsIn } from "../../lib/words/words.ts";

export const handler = define.handlers({
  GET: async (ctx) => await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM),
  POST: limited("proof", (ctx) =>
    submitWithProof(ctx, CloseAccountFormSchema, async ({ userId }, principal) => {
      const { services } = ctx.state;
      await requireSameUser(ctx, userId);
      await closeAccount(services, principal);
      return withoutSessionCookie(redirectWithNotice(ctx, "/", "account_closing"), services);
    })),
});

export default define.page<typeof handler>(async function CloseAccountPage({ data, state }) {
  const { message, details, proof } = data;
  const { frame, closing, proof: proofWords } = wordsIn(state.language);
  const words = closing.close;
  const userId = data.values.userId ?? (await state.currentSession())?.user.id;
  const date = closing.date(closingDueAt(state.services));
  return (
    <Page title={words.title} windowTitle={message && frame.titleWithError(words.title)} isNarrow>
      <h2>{words.now}</h2>
      <Points texts={words.nowPoints} />
      <h2>{words.later(date)}</h2>
      <Points texts={words.laterPoints} />
      {state.services.config.deletionGraceSeconds > 0 && <p>{words.undo(date)}</p>}
      <form method="post" action="/close-account" novalidate>
        <FormId />
        <input type="hidden" name="userId" value={userId} />
        <FormMessage message={message} details={details} labels={proofLabels(proofWords)} />
        <ProofFields proof={proof} details={details} words={proofWords} />
        <button class="danger" type="submit">{words.submit}</button>
      </form>
      <p>
        <a href="/settings/data">{words.download}</a>
      </p>
    </Page>
  );
});

function Points({ texts }: { texts: string[] }) {
  return <ul>{texts.map((text) => <li key={text}>{text}</li>)}</ul>;
}
