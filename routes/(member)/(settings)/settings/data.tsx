import { define } from "../../../../lib/http/state.ts";
import { Page } from "../../../../lib/ui/Page.tsx";
import { wordsIn } from "../../../../lib/words/words.ts";

export default define.page(function DataPage({ state }) {
  const { closing, emails } = wordsIn(state.language);
  const words = closing.data;
  const { deletionGraceSeconds } = state.services.config;
  return (
    <Page title={words.title} isNarrow>
      <h2>{words.downloadTitle}</h2>
      <p>{words.download}</p>
      <p>
        <a class="button" href="/settings/data/export">{words.downloadSubmit}</a>
      </p>
      <h2>{words.closeTitle}</h2>
      <p>{deletionGraceSeconds === 0 ? words.closeAtOnce : words.close(emails.lifetime(deletionGraceSeconds))}</p>
      <p>
        <a class="button secondary" href="/close-account">{words.closeLink}</a>
      </p>
    </Page>
  );
});
